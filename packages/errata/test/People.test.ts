import { createHash } from "node:crypto"
import { once } from "node:events"
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { afterEach, describe, expect, it } from "vitest"
import type { ErrataOptions, PeopleRequest } from "../src/index.js"
import { instances } from "./support/Instances.js"

/** A request after the application's session middleware. */
interface WithSession extends IncomingMessage {
  session?: { readonly emailAddress: string | null }
  body?: unknown
}

describe("an application's own people", () => {
  const make = instances()
  const ends: Array<() => void> = []
  afterEach(() => {
    for (const end of ends.splice(0)) end()
  })

  /** An application with sessions that mounts Errata below `/errors` and reads forms before Errata does. */
  const application = async (options: Partial<ErrataOptions> = {}) => {
    const server = createServer(async (request: WithSession, response) => {
      request.session = {
        emailAddress: /app-session=([^;\s]+)/.exec(request.headers.cookie ?? "")?.[1] ?? null,
      }
      if (request.method === "POST") {
        request.body = Object.fromEntries(new URLSearchParams(await text(request)))
      }
      errata.nodeHandler(request, response)
    })
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    ends.push(() => void server.close().closeAllConnections())
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const errata = await make({
      baseUrl: `${origin}/errors`,
      people: {
        identify: async ({ source }) => (source as WithSession).session?.emailAddress,
        signInUrl: (returnTo) => `${origin}/login?to=${encodeURIComponent(returnTo)}`,
      },
      ...options,
    })
    const { id } = await errata.users.create({ name: "Ann", email_address: "ann@example.com", role: "admin" })
    const visit = async (path: string, session: string | null, init: RequestInit = {}, cookie = "") => {
      const headers = { cookie: session === null ? cookie : `app-session=${session}; ${cookie}` }
      const answer = await fetch(`${origin}/errors${path}`, {
        redirect: "manual",
        ...init,
        headers: { ...headers, ...(init.headers as Record<string, string>) },
      })
      return {
        status: answer.status,
        location: answer.headers.get("location"),
        cookie: answer.headers
          .getSetCookie()
          .map((line) => line.split(";")[0])
          .join("; "),
        text: await answer.text(),
      }
    }
    return { errata, origin, visit, userId: id }
  }

  it("have account pages, and sign in at the application's URL", async () => {
    const { origin, visit } = await application()
    expect((await visit("/account", null)).location).toBe(
      `${origin}/login?to=${encodeURIComponent(`${origin}/errors/account`)}`,
    )
    const account = await visit("/account", "ann@example.com")
    expect([account.status, account.text]).toEqual([200, expect.stringContaining("ann@example.com")])
    expect((await visit("/sign_in", "ann@example.com")).location).toBe("/errors/account")
    // A redirect would loop: the user is signed in to the application but unknown to Errata.
    const stranger = await visit("/account", "eve@example.com")
    expect([stranger.status, stranger.location]).toEqual([403, null])
  })

  it("get a token for the REST API, with the user's rights, until the account ends", async () => {
    const { errata, origin, userId, visit } = await application()
    const exchange = (session: string | null, headers: Record<string, string> = { origin }) =>
      visit("/session/token", session, { method: "POST", headers })
    expect((await exchange(null)).status).toBe(401)
    expect((await exchange("eve@example.com")).status).toBe(403)
    expect((await exchange("ann@example.com", { origin: "https://evil.example" })).status).toBe(403)
    expect((await exchange("ann@example.com", {})).status).toBe(403)
    const exchanged = await exchange("ann@example.com")
    const { access_token: token, expires_in: seconds } = JSON.parse(exchanged.text)
    expect([exchanged.status, seconds]).toEqual([200, 900])
    const ask = () => visit("/api/service/v1/users", null, { headers: { authorization: `Bearer ${token}` } })
    const asked = await ask()
    expect([asked.status, asked.text]).toEqual([200, expect.stringContaining("ann@example.com")])
    await errata.users.create({ name: "Bob", email_address: "bob@example.com", role: "admin" })
    await errata.users.deactivate(userId)
    expect((await ask()).status).toBe(401)
    expect((await exchange("ann@example.com")).status).toBe(403)
  })

  it("authorize applications over OAuth", async () => {
    const { errata, origin, visit } = await application()
    const redirectUri = "http://127.0.0.1:9/callback"
    const verifier = "v".repeat(43)
    const registered = await errata.fetch(
      new Request(`${origin}/errors/oauth/register`, {
        method: "POST",
        body: JSON.stringify({ client_name: "Tool", redirect_uris: [redirectUri] }),
        headers: { "content-type": "application/json" },
      }),
    )
    const { client_id: clientId } = (await registered.json()) as { client_id: string }
    const asking = new URLSearchParams({
      response_type: "code",
      client_id: clientId,
      redirect_uri: redirectUri,
      code_challenge: createHash("sha256").update(verifier).digest("base64url"),
      code_challenge_method: "S256",
      resource: `${origin}/errors/mcp`,
    })
    const path = `/oauth/authorize?${asking}`
    expect((await visit(path, null)).location).toContain("/login?to=")
    const page = await visit(path, "ann@example.com")
    expect(page.text).toContain("<strong>Ann</strong>")
    const token = /name="form_token" value="([^"]+)"/.exec(page.text)![1]!
    const decide = (session: string | null, cookie: string) =>
      visit(
        path,
        session,
        {
          method: "POST",
          body: new URLSearchParams({ form_token: token, decision: "approve" }),
          headers: { origin },
        },
        cookie,
      )
    expect((await decide("ann@example.com", "")).status).toBe(403)
    const approved = await decide("ann@example.com", page.cookie)
    const code = new URL(approved.location!).searchParams.get("code")!
    const granted = await visit("/oauth/token", null, {
      method: "POST",
      body: new URLSearchParams({
        grant_type: "authorization_code",
        code,
        client_id: clientId,
        redirect_uri: redirectUri,
        code_verifier: verifier,
      }),
    })
    expect(granted.status).toBe(200)
    const { access_token: access } = JSON.parse(granted.text)
    const asked = await visit("/api/service/v1/users", null, {
      headers: { authorization: `Bearer ${access}` },
    })
    expect(asked.status).toBe(200)
  })

  it("are rejected with 500 if they cannot be identified", async () => {
    const lines: Array<string> = []
    const { visit } = await application({
      log: ({ cause, message }) => lines.push(message + cause),
      people: {
        identify: () => Promise.reject(new Error("the session store is away")),
        signInUrl: () => "/login",
      },
    })
    expect((await visit("/account", "ann@example.com")).status).toBe(500)
    expect(lines.join()).toContain("the session store is away")
  })

  it("are identified in fetch requests too", async () => {
    const asked: Array<PeopleRequest["source"]> = []
    const errata = await make({
      baseUrl: "https://app.example",
      people: {
        identify: ({ header, source }) => {
          asked.push(source)
          return header("x-user") ?? null
        },
        signInUrl: (returnTo) => new URL(`https://login.example/?to=${returnTo}`),
      },
    })
    await errata.users.create({ name: "Ann", email_address: "ann@example.com", role: "member" })
    const request = new Request("https://app.example/account", { headers: { "x-user": "ann@example.com" } })
    expect((await errata.fetch(request)).status).toBe(200)
    expect(asked[0]).toBeInstanceOf(Request)
    const signIn = await errata.fetch(new Request("https://app.example/account"))
    expect(signIn.headers.get("location")).toBe("https://login.example/?to=https://app.example/account")
  })
})
