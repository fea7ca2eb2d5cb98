/** The whole OAuth flow with a third-party client, and its failures. */
import { createHash, randomBytes } from "node:crypto"
import { StorageError } from "@errata/core"
import { OAuthStore } from "@errata/core/ports"
import { Context } from "effect"
import * as client from "openid-client"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Browser, formOf } from "../support/Browser.js"
import { changedStores } from "../support/changedStores.js"
import { memberKey, start, type TestInstance } from "../support/TestInstance.js"

const redirectUri = "http://127.0.0.1:9/callback"

describe("OAuth", () => {
  let errata: TestInstance
  let browser: Browser
  let config: client.Configuration

  beforeAll(async () => {
    errata = await start()
    browser = new Browser(errata)
    await browser.signIn(await linkFor(errata.memberId))
    config = await client.dynamicClientRegistration(
      new URL(errata.url),
      { client_name: "Some <b>tool</b>", redirect_uris: ["http://127.0.0.1/callback"] },
      client.None(),
      { algorithm: "oauth2", execute: [client.allowInsecureRequests] },
    )
  })
  afterAll(() => errata.stop())

  const linkFor = async (id: number) =>
    (await errata.api(`/users/${id}/sign_in_link`, { method: "POST" })).json.sign_in_link as string

  /** Requests authorization, and approves it as the signed-in user. */
  const approve = async (parameters: Record<string, string> = {}, person = browser) => {
    const verifier = client.randomPKCECodeVerifier()
    const state = client.randomState()
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
      resource: `${errata.url}/mcp`,
      state,
      ...parameters,
    })
    const page = await person.visit(url.pathname + url.search)
    expect(page.status).toBe(200)
    const decided = await person.send(formOf(page, "/oauth/authorize"), { decision: "approve" })
    expect(decided.status).toBe(303)
    return { callback: new URL(decided.location!), verifier, state, page }
  }

  const exchange = (
    { callback, state, verifier }: Awaited<ReturnType<typeof approve>>,
    parameters?: Record<string, string>,
  ) =>
    client.authorizationCodeGrant(
      config,
      callback,
      { pkceCodeVerifier: verifier, expectedState: state },
      parameters,
    )

  const errorOf = async (promise: Promise<unknown>) => {
    const error = await promise.then(
      () => null,
      (error: unknown) => error,
    )
    return (error as { error?: string } | null)?.error
  }

  const asks = async (token: string, method = "GET", body?: unknown) =>
    (
      await errata.api(`/projects${method === "GET" ? "" : `/${errata.mine.id}/groups/1/resolve`}`, {
        key: token,
        method,
        body,
      })
    ).status

  /** A request as a client of another make would send it. */
  const post = (path: string, body: Record<string, string>) =>
    errata.fetch(path, { method: "POST", body: new URLSearchParams(body) })

  it("connects an application, from discovery to revocation", async () => {
    const approved = await approve()
    expect(approved.page.text).toContain("Some &#60;b&#62;tool&#60;/b&#62;")
    expect(approved.page.text).toContain("a program on this computer")
    const policy = approved.page.headers.get("content-security-policy")
    expect(policy).toContain("form-action 'self' http://127.0.0.1:9;")
    expect(policy).not.toContain("unsafe")
    const tokens = await exchange(approved, { resource: `${errata.url}/mcp` })
    expect(tokens).toMatchObject({ expires_in: 43_200, scope: "service.read service.write" })
    expect(await asks(tokens.access_token)).toBe(200)
    const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token!)
    expect(refreshed.access_token).not.toBe(tokens.access_token)
    expect(await asks(refreshed.access_token)).toBe(200)
    await client.tokenRevocation(config, refreshed.access_token)
    expect(await asks(refreshed.access_token)).toBe(401)
    expect(await asks(tokens.access_token)).toBe(401)
    expect(await errorOf(client.refreshTokenGrant(config, refreshed.refresh_token!))).toBe("invalid_grant")
  })

  it("publishes its metadata for clients", async () => {
    const { issuer, ...metadata } = config.serverMetadata()
    expect(issuer).toBe(errata.url)
    expect(metadata).toMatchObject({
      code_challenge_methods_supported: ["S256"],
      client_id_metadata_document_supported: false,
      authorization_response_iss_parameter_supported: true,
    })
    for (const path of ["", "/mcp"]) {
      const answer = await errata.fetch(`/.well-known/oauth-protected-resource${path}`)
      expect(answer.json).toMatchObject({
        resource: `${errata.url}/mcp`,
        authorization_servers: [errata.url],
        scopes_supported: ["service.read", "service.write"],
      })
      expect(answer.headers.get("access-control-allow-origin")).toBe("*")
    }
    expect((await errata.fetch("/.well-known/mcp.json")).json.url).toBe(`${errata.url}/mcp`)
    const preflight = await errata.fetch("/oauth/token", { method: "OPTIONS" })
    expect([preflight.status, preflight.headers.get("access-control-allow-methods")]).toEqual([204, "POST"])
  })

  it("grants no more than the person agreed to", async () => {
    const { access_token, refresh_token } = await exchange(await approve({ scope: "service.read" }))
    expect(await asks(access_token)).toBe(200)
    expect(await asks(access_token, "POST")).toBe(403)
    expect(await errorOf(client.refreshTokenGrant(config, refresh_token!, { scope: "service.write" }))).toBe(
      "invalid_scope",
    )
    const both = await exchange(await approve({ scope: "service.write offline_access" }))
    expect(both.scope).toBe("service.read service.write")
  })

  it("lets no application manage users, not even an admin's", async () => {
    const admin = new Browser(errata)
    await admin.signIn(await linkFor(1))
    const approved = await approve({}, admin)
    expect(approved.page.text).toContain("because you are an admin")
    const { access_token } = await exchange(approved)
    const ask = async (path: string, method = "POST", body: unknown = {}) =>
      (await errata.api(path, { key: access_token, method, ...(method === "GET" ? {} : { body }) })).status
    expect(await ask("/projects", "POST", { name: "Made by an application" })).toBe(201)
    expect(await ask("/users", "GET")).toBe(200)
    expect([
      await ask(`/users/${errata.memberId}/sign_in_link`),
      await ask("/users", "POST", { email_address: "new@example.com" }),
      await ask(`/users/${errata.memberId}`, "PATCH", { role: "admin" }),
      await ask(`/users/${errata.memberId}`, "DELETE"),
    ]).toEqual([403, 403, 403, 403])
  })

  it("ends the connection of a code that is used twice", async () => {
    const approved = await approve()
    const tokens = await exchange(approved)
    expect(await asks(tokens.access_token)).toBe(200)
    expect(await errorOf(exchange(approved))).toBe("invalid_grant")
    expect(await asks(tokens.access_token)).toBe(401)
    expect(await errorOf(client.refreshTokenGrant(config, tokens.refresh_token!))).toBe("invalid_grant")
  })

  it("accepts a code only with its verifier, redirect URI, client and resource", async () => {
    const { client_id } = config.clientMetadata()
    const grant = async (changes: Record<string, string>) => {
      const { callback, verifier } = await approve()
      const answer = await post("/oauth/token", {
        grant_type: "authorization_code",
        code: callback.searchParams.get("code")!,
        client_id,
        redirect_uri: redirectUri,
        code_verifier: verifier,
        ...changes,
      })
      expect(answer.headers.get("cache-control")).toBe("no-store")
      return answer.json.error
    }
    expect(await grant({ code_verifier: client.randomPKCECodeVerifier() })).toBe("invalid_grant")
    expect(await grant({ code_verifier: "" })).toBe("invalid_grant")
    expect(await grant({ redirect_uri: "http://127.0.0.1:10/callback" })).toBe("invalid_grant")
    const other = await errata.fetch("/oauth/register", {
      method: "POST",
      body: JSON.stringify({ redirect_uris: [redirectUri] }),
    })
    expect(await grant({ client_id: other.json.client_id })).toBe("invalid_grant")
    // A forgotten client registers again after this error.
    expect(await grant({ client_id: "0".repeat(32) })).toBe("invalid_client")
    expect(await grant({ resource: "https://elsewhere.example.com/mcp" })).toBe("invalid_target")
    expect(await grant({ code: "errata-code_nonsense" })).toBe("invalid_grant")
    expect(await grant({ grant_type: "password" })).toBe("unsupported_grant_type")
    expect(await grant({})).toBeUndefined()
  })

  it("shows client and redirect errors on a page, and returns others to the client", async () => {
    const { client_id } = config.clientMetadata()
    const challenge = createHash("sha256").update(randomBytes(32)).digest("base64url")
    const ask = async (changes: Record<string, string>, more = "") => {
      const query = new URLSearchParams({
        response_type: "code",
        client_id,
        redirect_uri: redirectUri,
        code_challenge: challenge,
        code_challenge_method: "S256",
        state: "a&b=c\r\nd",
        ...changes,
      })
      return browser.visit(`/oauth/authorize?${query}${more}`)
    }
    for (const changes of [
      { client_id: "nobody" },
      { client_id: "https://app.example.com/client.json" },
      { redirect_uri: "http://127.0.0.1:9/other" },
      { redirect_uri: "http://127.0.0.1.example.com/callback" },
      { redirect_uri: "http://127.0.0.1:9@evil.example.com/callback" },
      { redirect_uri: "http://127.0.0.1:9/callback?x=1" },
      { redirect_uri: "http://127.0.0.1:9/callback#x" },
      { redirect_uri: "http://127.0.0.1:9/x/../callback" },
      { redirect_uri: "//127.0.0.1/callback" },
      { redirect_uri: "javascript:alert(1)" },
    ]) {
      const { location, status } = await ask(changes)
      expect([changes, status, location]).toEqual([changes, 400, null])
    }
    expect((await ask({}, `&redirect_uri=${encodeURIComponent(redirectUri)}`)).status).toBe(400)
    for (const [changes, error] of [
      [{ response_type: "token" }, "unsupported_response_type"],
      [{ code_challenge: "" }, "invalid_request"],
      [{ code_challenge_method: "plain" }, "invalid_request"],
      [{ resource: "https://elsewhere.example.com" }, "invalid_target"],
      [{ scope: "admin" }, "invalid_scope"],
      [{ prompt: "none" }, "interaction_required"],
    ] as const) {
      const { location, status } = await ask(changes)
      expect(status).toBe(303)
      const { origin, pathname, searchParams } = new URL(location!)
      expect([origin + pathname, searchParams.get("error")]).toEqual([redirectUri, error])
      expect([searchParams.get("state"), searchParams.get("iss")]).toEqual(["a&b=c\r\nd", errata.url])
    }
    const twice = new URL((await ask({}, "&scope=service.read&scope=service.write")).location!)
    expect(twice.searchParams.get("error")).toBe("invalid_request")
    const refused = await browser.send(formOf(await ask({}), "/oauth/authorize"), { decision: "deny" })
    expect(new URL(refused.location!).searchParams.get("error")).toBe("access_denied")
  })

  it("does not redirect to other hosts from a link alone", async () => {
    const registered = await errata.fetch("/oauth/register", {
      method: "POST",
      body: JSON.stringify({
        redirect_uris: ["https://evil.example/callback?a=b", "vscode://evil.editor/x"],
      }),
    })
    const { client_id } = registered.json
    for (const redirect_uri of registered.json.redirect_uris as ReadonlyArray<string>) {
      for (const changes of [{}, { response_type: "code", prompt: "none", code_challenge: "a".repeat(43) }]) {
        const query = new URLSearchParams({
          client_id,
          redirect_uri,
          state: '"><script>',
          code_challenge_method: "S256",
          ...changes,
        })
        const page = await browser.visit(`/oauth/authorize?${query}`)
        expect([page.status, page.location]).toEqual([400, null])
        const link = /<a rel="noreferrer" href="([^"]*)">/.exec(page.text)?.[1] ?? ""
        expect(link.replaceAll("&#38;", "&").startsWith(redirect_uri)).toBe(true)
        const { searchParams } = new URL(link.replaceAll("&#38;", "&"))
        expect(searchParams.get("error")).toMatch(/^(?:unsupported_response_type|interaction_required)$/)
        expect([searchParams.get("state"), searchParams.get("iss")]).toEqual(['"><script>', errata.url])
      }
    }
  })

  it("registers any client with valid redirect URIs", async () => {
    const register = (body: unknown) =>
      errata.fetch("/oauth/register", { method: "POST", body: JSON.stringify(body) })
    const { json, status } = await register({
      client_name: "An\u202Eeditor\n",
      redirect_uris: ["cursor://anysphere.cursor-retrieval/oauth/callback", "https://app.example.com/cb"],
      application_type: "web",
      token_endpoint_auth_method: "client_secret_post",
      grant_types: ["authorization_code", "refresh_token"],
      unknown: { deep: true },
    })
    expect(status).toBe(201)
    expect(json).toMatchObject({ client_name: "An editor", token_endpoint_auth_method: "none" })
    expect(json).not.toHaveProperty("client_secret")
    for (const uri of [
      "javascript:alert(1)",
      "data:text/html,x",
      "file:///etc/passwd",
      "http://app.example.com/cb",
      "https://user:secret@app.example.com/cb",
      "https://app.example.com/cb#x",
      "https://app.example.com/*",
      "https://app.example.com/a\r\nset-cookie: a=b",
      "unknown://x",
      "/relative",
      "",
      `https://app.example.com/${"x".repeat(2_000)}`,
    ]) {
      expect([uri, (await register({ redirect_uris: [uri] })).json.error]).toEqual([
        uri,
        "invalid_redirect_uri",
      ])
    }
    for (const body of [
      {},
      [],
      null,
      "text",
      { redirect_uris: [] },
      { redirect_uris: "https://a.example" },
    ]) {
      expect((await register(body)).status).toBe(400)
    }
    expect((await errata.fetch("/oauth/register", { method: "POST", body: "x".repeat(70_000) })).status).toBe(
      413,
    )
  })

  it("lets people list and revoke connections, which end with their account", async () => {
    const kept = await exchange(await approve())
    const page = await browser.visit("/account")
    expect(page.text).toContain("Connected applications")
    const form = formOf(page, "/account/apps/revoke")
    expect((await browser.send(form)).status).toBe(303)
    expect(await asks(kept.access_token)).toBe(401)
    const { access_token } = await exchange(await approve())
    await errata.api(`/users/${errata.memberId}`, { method: "DELETE" })
    expect(await asks(access_token)).toBe(401)
    expect(await asks(memberKey)).toBe(401)
    const [path] = [(await browser.visit("/account")).location]
    expect(path).toContain("/sign_in?next=")
  })

  it("answers 200 to every revocation", async () => {
    for (const body of [{ token: "nonsense" }, {}, { token: `errata-access_${"a".repeat(43)}` }]) {
      expect((await post("/oauth/revoke", body as Record<string, string>)).status).toBe(200)
    }
    expect((await errata.fetch("/oauth/revoke", { method: "POST", body: "x".repeat(70_000) })).status).toBe(
      200,
    )
  })
})

describe("A revocation while the storage is unavailable", () => {
  it("is answered with 200, and the failure is logged", async () => {
    const away = changedStores((stores) =>
      Context.add(stores, OAuthStore, {
        ...Context.get(stores, OAuthStore),
        findConnection: () =>
          new StorageError({ operation: "find", reason: "unavailable", cause: new Error("gone away") }),
      }),
    )
    const errata = await start({}, away)
    const answer = await errata.fetch("/oauth/revoke", {
      method: "POST",
      body: new URLSearchParams({ token: `errata-access_${"a".repeat(43)}` }),
    })
    expect([answer.status, answer.json]).toEqual([200, {}])
    expect(errata.logs.join()).toContain("Revoking a token failed")
    await errata.stop()
  })
})
