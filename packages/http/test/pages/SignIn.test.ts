/** Sign-in with a browser without scripts, and attacks on it. */
import { AccessPolicy, Actor, CurrentActor, Users } from "@errata/core"
import { OAuthStore } from "@errata/core/ports"
import { Duration, Effect, Layer, Redacted } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { PeopleIdentity } from "../../src/index.js"
import { nextOf } from "../../src/pages/SignInPages.js"
import { stylesheetPath } from "../../src/site/Stylesheet.js"
import { Browser, formOf } from "../support/Browser.js"
import { memberKey, start, type TestInstance } from "../support/TestInstance.js"

const password = "correct horse battery"

describe("Signing in", () => {
  let errata: TestInstance
  beforeAll(async () => {
    errata = await start()
    const browser = new Browser(errata)
    await browser.signIn(await newLink())
    const page = await browser.visit("/account")
    const set = await browser.send(formOf(page, "/account/password"), { new_password: password })
    expect(set.text).toContain("The password is set")
  })
  afterAll(() => errata.stop())

  const newLink = async (id = errata.memberId) =>
    (await errata.api(`/users/${id}/sign_in_link`, { method: "POST" })).json.sign_in_link as string

  const pathOf = (link: string) => link.slice(errata.url.length)

  const byPassword = async (fields: Record<string, string> = {}, browser = new Browser(errata)) => {
    const form = formOf(await browser.visit("/sign_in"), "/sign_in")
    const answer = await browser.send(form, { email_address: "member@example.com", password, ...fields })
    return { answer, browser }
  }

  it("accepts a password, and redirects to the requested page", async () => {
    const browser = new Browser(errata)
    const asked = await browser.visit("/account")
    expect([asked.status, asked.location]).toEqual([303, "/sign_in?next=%2Faccount"])
    const { answer } = await byPassword({ next: "/oauth/authorize?client_id=x" }, browser)
    expect([answer.status, answer.location]).toEqual([303, "/oauth/authorize?client_id=x"])
    const [cookie] = answer.headers.getSetCookie()
    expect(cookie).toMatch(/^errata-session=errata-session_[\w-]{43}; /)
    expect(cookie).toMatch(/HttpOnly; SameSite=Lax/)
    const account = await browser.visit("/account")
    expect([account.status, account.headers.get("cache-control")]).toEqual([200, "no-store"])
    expect(account.text).toContain("member@example.com")
    const out = await browser.send(formOf(account, "/sign_out"))
    expect(out.location).toBe("/sign_in")
    expect((await browser.visit("/account")).location).toContain("/sign_in")
  })

  it("with a new password ends other sessions and tokens if the person chooses that", async () => {
    const { user, key } = await errata.run(
      Effect.gen(function* () {
        const allowed = yield* AccessPolicy.instance("users.administer")
        const users = yield* Users
        const { user } = yield* users.create(allowed, {
          name: "leaked",
          emailAddress: "leaked@example.com",
          role: "member",
        })
        const key = Redacted.value((yield* users.rotateApiKey(allowed, user.id)).apiKey)
        return { user, key }
      }).pipe(Effect.provideService(CurrentActor, Actor.System())),
    )
    const connect = Effect.gen(function* () {
      const store = yield* OAuthStore
      const approval = {
        ...{ clientId: "a tool", clientName: "A tool", userId: user.id, redirectUri: "https://tool.example" },
        ...{ codeChallenge: "", resource: `${errata.url}/mcp`, grants: ["read"] as const },
      }
      yield* store.insertCode("code", approval, Duration.minutes(1))
      yield* store.connect("code", approval)
    })
    await errata.run(connect)
    const connections = () =>
      errata.run(Effect.flatMap(OAuthStore, (store) => store.listConnections(user.id)))
    const browser = new Browser(errata)
    await browser.signIn(await newLink(user.id))
    const set = async (choices: Record<string, string>) => {
      const form = formOf(await browser.visit("/account"), "/account/password")
      return browser.send(form, { new_password: password, ...choices })
    }
    expect((await set({})).text).toContain("The password is set")
    expect([(await connections()).length, (await errata.api("/projects", { key })).status]).toEqual([1, 200])
    const { text } = await set({ disconnect_apps: "on", replace_api_key: "on" })
    expect(text).toContain("All applications are disconnected")
    expect([(await connections()).length, (await errata.api("/projects", { key })).status]).toEqual([0, 401])
    const [, renewed = ""] = /<code class="secret">(errata_[^<]+)</.exec(text) ?? []
    expect((await errata.api("/projects", { key: renewed })).status).toBe(200)
  })

  it("uses a link only when the form is sent, not when it is opened", async () => {
    const link = await newLink()
    for (let preview = 0; preview < 2; preview++) {
      expect((await errata.fetch(pathOf(link))).text).toContain("member@example.com")
      expect((await errata.fetch(pathOf(link), { method: "HEAD" })).status).toBe(200)
    }
    await new Browser(errata).signIn(link)
    expect((await errata.fetch(pathOf(link))).status).toBe(410)
    expect((await errata.fetch("/sign_in/link?token=nonsense")).status).toBe(410)
  })

  it("answers the same for known and unknown accounts", async () => {
    const { text } = (await byPassword({ password: "wrong password" })).answer
    const nobody = (await byPassword({ email_address: "nobody@example.com" })).answer
    const without = (await byPassword({ email_address: "admin@example.com" })).answer
    const strange = (await byPassword({ email_address: "a\0\ud800@example.com" })).answer
    const blank = (html: string) => html.replace(/value="[^"]*"/g, "")
    for (const { status, text: other } of [nobody, without, strange]) {
      expect([status, blank(other)]).toEqual([422, blank(text)])
    }
  })

  it("is rejected after too many attempts, also with the right password, while links still work", async () => {
    const { memberId } = errata
    const user = (
      await errata.api("/users", { method: "POST", body: { email_address: "often@example.com" } })
    ).json
    const tries = []
    for (let count = 0; count < 12; count++) {
      tries.push((await byPassword({ email_address: "OFTEN@example.com", password: "wrong" })).answer)
    }
    expect(tries.map(({ status }) => status)).toEqual([...Array(10).fill(422), 429, 429])
    expect(Number(tries[11]!.headers.get("retry-after"))).toBeGreaterThan(0)
    await new Browser(errata).signIn(await newLink(user.id))
    expect(memberId).not.toBe(user.id)
    // Other addresses are not locked out.
    expect((await byPassword()).answer.status).toBe(303)
  })

  it("replaces a planted session id, and ends the previous session", async () => {
    const planted = `errata-session_${"a".repeat(43)}`
    const victim = new Browser(errata)
    victim.cookies.set("errata-session", planted)
    await byPassword({}, victim)
    const first = victim.cookies.get("errata-session")!
    expect(first).not.toBe(planted)
    const thief = new Browser(errata)
    thief.cookies.set("errata-session", planted)
    expect((await thief.visit("/account")).status).toBe(303)
    await victim.signIn(await newLink())
    expect(victim.cookies.get("errata-session")).not.toBe(first)
    thief.cookies.set("errata-session", first)
    expect((await thief.visit("/account")).status).toBe(303)
  })

  it("rejects forms from other sites or issued for another session", async () => {
    const { browser } = await byPassword()
    const account = await browser.visit("/account")
    const form = formOf(account, "/account/api_key")
    for (const headers of [
      { origin: "https://evil.example.com" },
      { origin: "null", "sec-fetch-site": "cross-site" },
      { origin: "null", "sec-fetch-site": "" },
      { origin: `${errata.url}.evil.example.com` },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
    ]) {
      expect([headers, (await browser.send(form, {}, headers)).status]).toEqual([headers, 403])
    }
    // Browsers send the origin `null` if the referrer is disabled, which our own pages do not do.
    expect(account.headers.get("referrer-policy")).toBe("same-origin")
    const blind = { origin: "null", "sec-fetch-site": "same-origin" }
    expect((await browser.send(formOf(account, "/account/password"), {}, blind)).status).toBe(422)
    const stranger = (await byPassword()).browser
    const theirs = formOf(await stranger.visit("/account"), "/account/api_key")
    for (const form_token of ["", "x", theirs.fields["form_token"]!]) {
      expect((await browser.send(form, { form_token })).status).toBe(403)
    }
    expect((await errata.api("/projects", { key: memberKey })).status).toBe(200)
    expect((await browser.send(form)).text).toMatch(/errata_[0-9a-f]{64}/)
    expect((await errata.api("/projects", { key: memberKey })).status).toBe(401)
  })

  it("limits the body, and lists allowed methods", async () => {
    const huge = await errata.fetch("/sign_in", {
      method: "POST",
      headers: { origin: errata.url, "content-type": "application/x-www-form-urlencoded" },
      body: `email_address=${"x".repeat(70_000)}`,
    })
    expect(huge.status).toBe(413)
    const json = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" }
    expect((await errata.fetch("/sign_in", json)).status).toBe(403)
    const wrong = await errata.fetch("/sign_in", { method: "DELETE" })
    expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "GET, HEAD, POST"])
  })

  it("creates a bearer token of a session only for the instance's own pages, which ends with the session", async () => {
    const { browser } = await byPassword()
    const exchange = (headers: Record<string, string>, from = browser) =>
      from.visit("/session/token", { method: "POST", headers })
    const own = { origin: errata.url }
    for (const headers of [
      {},
      { origin: "https://evil.example.com" },
      { ...own, "sec-fetch-site": "cross-site" },
      { origin: "null", "sec-fetch-site": "same-origin" },
    ]) {
      expect((await exchange(headers)).status).toBe(403)
    }
    expect((await exchange(own, new Browser(errata))).status).toBe(401)
    const { access_token, ...rest } = JSON.parse((await exchange(own)).text)
    expect(rest).toEqual({ token_type: "Bearer", expires_in: 900 })
    expect((await errata.api("/projects", { key: access_token })).status).toBe(200)
    // The API accepts no cookies.
    expect((await browser.visit("/api/service/v1/projects")).status).toBe(401)
    await browser.send(formOf(await browser.visit("/account"), "/sign_out"))
    expect((await errata.api("/projects", { key: access_token })).status).toBe(401)
  })

  it("names the browser of a session, or shows the User-Agent of a program", async () => {
    const chrome =
      "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"
    for (const [agent, shown] of [
      [chrome, "Chrome on Linux"],
      ["<b>robot</b>", "&#60;b&#62;robot&#60;/b&#62;"],
    ] as const) {
      const browser = new Browser(errata)
      const form = formOf(await browser.visit("/sign_in"), "/sign_in")
      const fields = { email_address: "member@example.com", password }
      await browser.send(form, fields, { "user-agent": agent })
      expect((await browser.visit("/account")).text).toContain(`>${shown}</strong>`)
    }
  })

  it("lists sessions, and ends one from another browser", async () => {
    const [here, there] = [(await byPassword()).browser, (await byPassword()).browser]
    const page = await here.visit("/account")
    expect((await here.send(formOf(page, "/account/sessions/end"))).status).toBe(303)
    expect((await there.visit("/account")).status).toBe(303)
    expect((await here.visit("/account")).status).toBe(200)
  })

  it("redirects only within the site", () => {
    expect(nextOf("/oauth/authorize?a=b&c=%2F", "/account")).toBe("/oauth/authorize?a=b&c=%2F")
    for (const next of [
      null,
      "",
      "https://evil.example.com",
      "//evil.example.com",
      "/\\evil.example.com",
      "/./\\evil.example.com/..//x",
      "/..//evil.example.com",
      "javascript:alert(1)",
      "/a\r\nset-cookie: a=b",
      "/a\tb",
      `/${"a".repeat(9_000)}`,
    ]) {
      expect([next, nextOf(next, "/account")]).toEqual([next, "/account"])
    }
  })
})

describe("Attempts behind a proxy", () => {
  /** Tries a wrong password this many times, with an address that a proxy forwards. */
  const tries = async (errata: TestInstance, forwarded: (attempt: number) => string, count = 11) => {
    const browser = new Browser(errata)
    const form = formOf(await browser.visit("/sign_in"), "/sign_in")
    const statuses = []
    for (let attempt = 0; attempt < count; attempt++) {
      const fields = { email_address: "member@example.com", password: "wrong password" }
      const headers = { "x-forwarded-for": forwarded(attempt) }
      statuses.push((await browser.send(form, fields, headers)).status)
    }
    return statuses
  }
  const refusedAtLast = [...Array(10).fill(422), 429]

  it("are counted by the address that the proxy forwards, without its port", async () => {
    const errata = await start({ trustedProxies: 1 })
    expect(await tries(errata, (i) => `198.51.100.${i}, 203.0.113.1`)).toEqual(refusedAtLast)
    expect(await tries(errata, (i) => `203.0.113.2:${40_000 + i}`)).toEqual(refusedAtLast)
    expect(await tries(errata, (i) => `[2001:db8::${i + 1}]:${40_000 + i}`)).toEqual(refusedAtLast)
    expect(await tries(errata, (i) => `203.0.113.${i + 10}`)).toEqual(Array(11).fill(422))
    await errata.stop()
  })

  it("are counted by the connecting address if no proxy is trusted", async () => {
    const errata = await start()
    expect(await tries(errata, (i) => `203.0.113.${i}`)).toEqual(refusedAtLast)
    await errata.stop()
  })
})

describe("The pages of an instance below a path, over https", () => {
  let errata: TestInstance
  beforeAll(async () => {
    errata = await start({ transport: "web", baseUrl: "https://example.com/errors" })
  })
  afterAll(() => errata.stop())

  it("stay below it, with cookies that other hosts cannot set", async () => {
    const { sign_in_link: link } = (
      await errata.api(`/users/${errata.memberId}/sign_in_link`, { method: "POST" })
    ).json
    expect(link).toMatch(/^https:\/\/example\.com\/errors\/sign_in\/link\?token=/)
    const browser = new Browser(errata, "https://example.com")
    const page = await browser.visit(link)
    expect(page.text).toContain(`href="/errors${stylesheetPath}"`)
    const entered = await browser.send(formOf(page, "/errors/sign_in/link"))
    expect(entered.location).toBe("/errors/account")
    for (const cookie of entered.headers.getSetCookie()) {
      expect(cookie).toMatch(/^__Host-errata-(session|form)-[0-9a-f]{8}=/)
      const attributes = cookie.split("; ")
      expect(attributes).toEqual(expect.arrayContaining(["Path=/", "HttpOnly", "Secure", "SameSite=Lax"]))
    }
    expect((await browser.visit("/errors/account")).status).toBe(200)
    const css = await browser.visit(`/errors${stylesheetPath}`)
    expect([css.status, css.headers.get("content-type")]).toEqual([200, "text/css; charset=utf-8"])
  })

  it("have metadata at the URLs that clients request", async () => {
    for (const path of [
      "/errors/.well-known/oauth-authorization-server",
      "/.well-known/oauth-authorization-server/errors",
    ]) {
      const { json } = await errata.fetch(path)
      expect(json).toMatchObject({
        issuer: "https://example.com/errors",
        token_endpoint: "https://example.com/errors/oauth/token",
      })
    }
    const resource = await errata.fetch("/.well-known/oauth-protected-resource/errors/mcp")
    expect(resource.json.resource).toBe("https://example.com/errors/mcp")
  })
})

describe("An application with its own sign-in", () => {
  it("shows the signed-in user, and the URL for signing in", async () => {
    const { WebHandler } = await import("../../src/index.js")
    const errata = await start({ transport: "web" })
    const context = await errata.run(Effect.context<never>())
    const people = Layer.succeed(PeopleIdentity, {
      identify: (request) => Effect.succeed(request.header("x-app-user") ?? null),
      signInUrl: (returnTo) => `https://app.example.com/login?to=${encodeURIComponent(returnTo)}`,
    })
    const embedded = WebHandler.fromLayer(Layer.merge(Layer.succeedContext(context) as never, people), {
      baseUrl: "https://example.com",
    })
    const get = (path: string, user?: string) =>
      embedded.handler(
        new Request(`https://example.com${path}`, {
          headers: user === undefined ? {} : { "x-app-user": user },
        }),
      )
    const asked = await get("/account")
    expect(asked.headers.get("location")).toBe(
      "https://app.example.com/login?to=https%3A%2F%2Fexample.com%2Faccount",
    )
    // A redirect to sign in would loop.
    const stranger = await get("/account", "nobody@example.com")
    expect([stranger.status, await stranger.text()]).toEqual([
      403,
      expect.stringContaining("nobody@example.com"),
    ])
    const account = await get("/account", "member@example.com")
    expect(await account.text()).toContain("member@example.com")
    // The dashboard redirects there, and need not know how users sign in.
    const signIn = await get("/sign_in?next=/projects/1/groups")
    expect(signIn.headers.get("location")).toBe(
      `https://app.example.com/login?to=${encodeURIComponent("https://example.com/projects/1/groups")}`,
    )
    expect((await get("/sign_in/link?token=x")).status).toBe(404)
    await embedded.dispose()
    await errata.stop()
  })
})
