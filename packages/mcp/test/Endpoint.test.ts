/** `POST /mcp` over HTTP. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { adminKey, start, type TestInstance, type Transport } from "../../http/test/support/TestInstance.js"
import { mcp } from "../src/index.js"
import { tools } from "../src/Tools.js"

const listTools = { jsonrpc: "2.0", method: "tools/list", id: 7 }

const post = (
  errata: TestInstance,
  body: unknown,
  {
    headers = {},
    key = adminKey,
    path = "/mcp",
  }: { headers?: Record<string, string>; key?: string | null; path?: string } = {},
) =>
  errata.fetch(path, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...headers,
    },
    body: typeof body === "string" ? body : JSON.stringify(body),
  })

describe.each(["node", "web"] satisfies ReadonlyArray<Transport>)("on %s", (transport) => {
  let errata: TestInstance
  beforeAll(async () => {
    errata = await start({ mcp, transport, baseUrl: "https://errata.example.com/errors" })
  })
  afterAll(() => errata.stop())

  it("answers a request for the tools with JSON", async () => {
    for (const path of ["/mcp", "/errors/mcp", "/errors/mcp/?a=b"]) {
      const answer = await post(errata, listTools, { path })
      expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/json"])
      expect(answer.json).toMatchObject({ jsonrpc: "2.0", id: 7 })
      expect(answer.json.result.tools).toHaveLength(tools.length)
      expect(answer.headers.get("cache-control")).toBe("no-store")
    }
  })

  it("requires a credential, names both scopes, and does not read the body without one", async () => {
    const metadata =
      'resource_metadata="https://errata.example.com/errors/.well-known/oauth-protected-resource/mcp"'
    const scope = 'scope="service.read service.write"'
    const cases = [
      [null, `Bearer ${metadata}, ${scope}`],
      ["errata_nobody_0123456789abcdef", `Bearer error="invalid_token", ${metadata}, ${scope}`],
    ] as const
    for (const [key, challenge] of cases) {
      for (const body of [listTools, "no JSON", "x".repeat(2 * 1024 * 1024)]) {
        const answer = await post(errata, body, { key })
        expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([401, challenge])
        expect(answer.json.type).toBe("https://errata.example.com/errors/problems/unauthorized")
      }
    }
    // The token is only read from the header.
    expect((await post(errata, listTools, { key: null, path: `/mcp?access_token=${adminKey}` })).status).toBe(
      401,
    )
  })

  it("allows only POST and OPTIONS", async () => {
    for (const method of ["GET", "HEAD", "PUT", "DELETE", "PATCH"]) {
      const answer = await errata.fetch("/mcp", { method, headers: { authorization: `Bearer ${adminKey}` } })
      expect([method, answer.status, answer.headers.get("allow")]).toEqual([method, 405, "OPTIONS, POST"])
    }
  })

  it("allows calls only from pages of the instance and of this machine", async () => {
    for (const origin of ["https://errata.example.com", "http://localhost:6274", "http://127.0.0.1:1"]) {
      const answer = await post(errata, listTools, { headers: { origin } })
      expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([200, origin])
    }
    for (const origin of [
      "https://evil.example",
      "null",
      "http://errata.example.com",
      "https://localhost.evil.example",
    ]) {
      const answer = await post(errata, listTools, { headers: { origin } })
      expect([answer.status, answer.json.status]).toEqual([403, 403])
    }
    const preflight = await errata.fetch("/mcp", {
      method: "OPTIONS",
      headers: { origin: "http://localhost:6274", "access-control-request-method": "POST" },
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get("access-control-allow-methods")).toBe("POST")
    expect(preflight.headers.get("access-control-allow-headers")).toMatch(
      /authorization.*mcp-protocol-version/,
    )
  })

  it("rejects invalid messages", async () => {
    expect((await post(errata, "{")).json).toMatchObject({ error: { code: -32700 }, id: null })
    expect((await post(errata, "")).status).toBe(400)
    expect((await post(errata, "null")).status).toBe(400)
    expect((await post(errata, listTools, { headers: { "content-type": "text/plain" } })).status).toBe(415)
    expect((await post(errata, " ".repeat(1024 * 1024 + 1))).status).toBe(413)
    const unknown = await post(errata, { ...listTools, method: "tools/drop" })
    expect(unknown.json.error.code).toBe(-32601)
    expect((await post(errata, { jsonrpc: "2.0", method: "notifications/initialized" })).status).toBe(202)
  })

  it("requires the headers of the current revision", async () => {
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
    }
    const message = { ...listTools, params: { _meta } }
    const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list" }
    const listed = await post(errata, message, { headers })
    expect(listed.json.result).toMatchObject({ resultType: "complete", cacheScope: "private" })
    const mismatch = await post(errata, message, { headers: { ...headers, "mcp-method": "tools/call" } })
    expect([mismatch.status, mismatch.json.error.code]).toEqual([400, -32020])
    const discovery = { ...message, method: "server/discover" }
    const found = await post(errata, discovery, { headers: { ...headers, "mcp-method": "server/discover" } })
    expect(found.json.result.supportedVersions).toEqual(["2026-07-28"])
    // Errata sends no notifications, so no stream is held open.
    const listening = await post(
      errata,
      { ...message, method: "subscriptions/listen", params: { _meta, notifications: {} } },
      { headers: { ...headers, "mcp-method": "subscriptions/listen" } },
    )
    expect(listening.json.error.code).toBe(-32603)
  })
})

describe("Origins", () => {
  it("from the operator's list may call, with a preflight for MCP headers", async () => {
    const errata = await start({ mcp, corsOrigins: ["https://tools.example"] })
    const origin = "https://tools.example"
    expect((await post(errata, listTools, { headers: { origin } })).status).toBe(200)
    const preflight = await errata.fetch("/mcp", { method: "OPTIONS", headers: { origin } })
    expect(preflight.headers.get("access-control-allow-headers")).toContain("mcp-method")
    await errata.stop()
  })
})

describe("A server without MCP", () => {
  it("answers 404", async () => {
    const errata = await start()
    expect((await post(errata, listTools)).status).toBe(404)
    await errata.stop()
  })
})
