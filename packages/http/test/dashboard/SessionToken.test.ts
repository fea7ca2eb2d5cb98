/** The two routes by which the dashboard has a bearer token and signs out. */
import { AccessPolicy, Actor, CurrentActor, StorageError, Users } from "@errata/core"
import { CredentialStore } from "@errata/core/ports"
import { Context, Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Browser, formOf } from "../support/Browser.js"
import { changedStores } from "../support/changedStores.js"
import { start, type TestInstance } from "../support/TestInstance.js"

describe("The token of a session", () => {
  let isAway = false
  const away = changedStores((stores) => {
    const sessions = Context.get(stores, CredentialStore)
    const failure = new StorageError({ operation: "use", reason: "unavailable", cause: null })
    return Context.add(stores, CredentialStore, {
      ...sessions,
      useSession: (...asked) => (isAway ? failure : sessions.useSession(...asked)),
    })
  })
  let errata: TestInstance
  beforeAll(async () => {
    errata = await start({}, away)
  })
  afterAll(() => errata.stop())

  const signedIn = async (id = errata.memberId) => {
    const browser = new Browser(errata)
    const { json } = await errata.api(`/users/${id}/sign_in_link`, { method: "POST" })
    await browser.signIn(json.sign_in_link)
    return browser
  }
  const own = () => ({ origin: errata.url, "sec-fetch-site": "same-origin" })
  const ask = (browser: Browser, headers: Record<string, string> = own()) =>
    browser.visit("/session/token", { method: "POST", headers })
  const tokenOf = async (browser: Browser): Promise<string> =>
    JSON.parse((await ask(browser)).text).access_token
  const statusOf = async (key: string, path = "/projects") => (await errata.api(path, { key })).status

  it("is given only to the instance's own pages: a foreign origin gets a problem document", async () => {
    const browser = await signedIn()
    const strangers: Array<Record<string, string>> = [
      {},
      { origin: "https://evil.example.com" },
      { origin: "null", "sec-fetch-site": "same-origin" },
      { origin: errata.url, "sec-fetch-site": "cross-site" },
      { origin: errata.url, "sec-fetch-site": "same-site" },
      { origin: errata.url.replace("http:", "https:") },
      { origin: `${errata.url}0`, "sec-fetch-site": "same-origin" },
    ]
    for (const headers of strangers) {
      const refused = await ask(browser, headers)
      expect([headers, refused.status]).toEqual([headers, 403])
      expect(refused.headers.get("content-type")).toBe("application/problem+json")
      expect(JSON.parse(refused.text).detail).toContain(`a page of ${errata.url}`)
      const out = await browser.visit("/session", { method: "DELETE", headers })
      expect([headers, out.status]).toEqual([headers, 403])
    }
    expect((await ask(browser)).status).toBe(200)
  })

  it("is refused without a session, with a problem document", async () => {
    for (const cookie of ["", "errata-session=x", `errata-session=errata-session_${"a".repeat(43)}`]) {
      const refused = await errata.fetch("/session/token", { method: "POST", headers: { ...own(), cookie } })
      expect([refused.status, refused.headers.get("content-type")]).toEqual([401, "application/problem+json"])
      expect(refused.json).toMatchObject({
        status: 401,
        title: "Unauthorized",
        detail: "You are not signed in",
      })
    }
  })

  it("lasts 15 minutes, and is not cached", async () => {
    const answer = await ask(await signedIn())
    expect(JSON.parse(answer.text)).toEqual({
      access_token: expect.stringMatching(/^errata-bearer_[\w-]{43}$/),
      token_type: "Bearer",
      expires_in: 900,
    })
    expect(answer.headers.get("cache-control")).toBe("no-store")
  })

  it("has the rights of its user", async () => {
    const admin = await errata.run(
      Effect.gen(function* () {
        const allowed = yield* AccessPolicy.instance("users.administer")
        const input = { name: "root", emailAddress: "root@example.com", role: "admin" } as const
        return (yield* (yield* Users).create(allowed, input)).user
      }).pipe(Effect.provideService(CurrentActor, Actor.System())),
    )
    const key = await tokenOf(await signedIn(admin.id))
    const body = { email_address: "new@example.com" }
    expect((await errata.api("/users", { method: "POST", key, body })).status).toBe(201)
    const member = await tokenOf(await signedIn())
    expect([await statusOf(member), await statusOf(member, "/users")]).toEqual([200, 403])
  })

  it("ends with its session: by signing out in the dashboard or on a page", async () => {
    const browser = await signedIn()
    const other = await signedIn()
    const [token, theirs] = [await tokenOf(browser), await tokenOf(other)]
    const out = await browser.visit("/session", { method: "DELETE", headers: own() })
    expect([out.status, out.text, browser.cookies.has("errata-session")]).toEqual([204, "", false])
    expect([await statusOf(token), await statusOf(theirs)]).toEqual([401, 200])
    expect((await ask(browser)).status).toBe(401)
    // To sign out again does no harm.
    expect((await browser.visit("/session", { method: "DELETE", headers: own() })).status).toBe(204)
    await other.send(formOf(await other.visit("/account"), "/sign_out"))
    expect(await statusOf(theirs)).toBe(401)
  })

  it("ends with a new password that was set in another browser", async () => {
    const browser = await signedIn()
    const token = await tokenOf(browser)
    const elsewhere = await signedIn()
    const account = await elsewhere.visit("/account")
    const fields = { new_password: "correct horse battery" }
    expect((await elsewhere.send(formOf(account, "/account/password"), fields)).status).toBe(200)
    expect([await statusOf(token), (await ask(browser)).status]).toEqual([401, 401])
  })

  it("ends with its user's account", async () => {
    const { json } = await errata.api("/users", {
      method: "POST",
      body: { email_address: "gone@example.com" },
    })
    const browser = await signedIn(json.id)
    const token = await tokenOf(browser)
    expect((await errata.api(`/users/${json.id}`, { method: "DELETE" })).status).toBe(204)
    expect([await statusOf(token), (await ask(browser)).status]).toEqual([401, 401])
  })

  it("is separate for up to a hundred tabs; a further one replaces the oldest", async () => {
    const browser = await signedIn()
    const first = await tokenOf(browser)
    const second = await tokenOf(browser)
    for (let tab = 2; tab <= 100; tab++) await tokenOf(browser)
    expect([await statusOf(first), await statusOf(second)]).toEqual([401, 200])
  })

  it("fails with a problem document while the storage is unavailable", async () => {
    const browser = await signedIn()
    isAway = true
    const answer = await ask(browser)
    isAway = false
    expect([answer.status, answer.headers.get("content-type")]).toEqual([503, "application/problem+json"])
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0)
  })

  it("is stored as a hash", async () => {
    const token = await tokenOf(await signedIn())
    const found = await errata.run(Effect.flatMap(CredentialStore, (store) => store.findBearer(token)))
    expect(found._tag).toBe("None")
  })
})

describe("Behind a proxy with TLS, without a base URL", () => {
  it("an https origin is accepted if Sec-Fetch-Site is same-origin", async () => {
    const errata = await start({ transport: "web" })
    const origin = errata.url.replace("http:", "https:")
    const ask = (headers: Record<string, string>) =>
      errata.fetch("/session/token", { method: "POST", headers: { origin, ...headers } })
    // The origin is accepted. There is no session.
    expect((await ask({ "sec-fetch-site": "same-origin" })).status).toBe(401)
    expect((await ask({})).status).toBe(403)
    expect((await ask({ "sec-fetch-site": "same-site" })).status).toBe(403)
    await errata.stop()
    const known = await start({ transport: "web", baseUrl: "http://errors.example.com" })
    const answer = await known.fetch("/session/token", {
      method: "POST",
      headers: { origin: "https://errors.example.com", "sec-fetch-site": "same-origin" },
    })
    expect(answer.status).toBe(403)
    await known.stop()
  })
})
