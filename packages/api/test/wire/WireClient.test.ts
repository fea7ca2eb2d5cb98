/** Violations that the wire suite's client detects in every case. */
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { OpenApiSchemas } from "../../src/wire/OpenApiSchemas.js"
import { WireClient } from "../../src/wire/WireClient.js"

const thing = {
  type: "object",
  required: ["id", "made_at"],
  properties: { id: { type: "integer" }, made_at: { type: "string", format: "date-time" } },
}
const problem = {
  type: "object",
  required: ["type", "title", "status"],
  properties: { type: { type: "string" }, title: { type: "string" }, status: { const: 404 } },
}
const json = (schema: object) => ({ content: { "application/json": { schema } } })

const document = {
  openapi: "3.1.0",
  paths: {
    "/api/things/{thing_id}": {
      get: {
        responses: {
          200: json({ $ref: "#/components/schemas/Thing" }),
          204: {},
          404: { $ref: "#/components/responses/NotFound" },
        },
      },
      post: {
        requestBody: json({ type: "object", properties: { name: { type: "string" } } }),
        responses: { 200: json({ $ref: "#/components/schemas/Thing" }) },
      },
    },
  },
  components: {
    schemas: { Thing: thing },
    responses: { NotFound: { content: { "application/problem+json": { schema: problem } } } },
  },
}

const good = { id: 1, made_at: "2026-01-02T03:04:05.678Z" }
const notFound = { type: "about:blank", title: "Not Found", status: 404 }

const headers = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
}

interface Given {
  readonly status?: number
  readonly body?: unknown
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
}

describe("WireClient", () => {
  let server: Server
  let given: Given = {}
  let client: WireClient
  beforeAll(async () => {
    server = createServer((request, response) => {
      const { body = good, status = 200, type = "application/json" } = given
      request.resume()
      response.writeHead(status, { "content-type": type, ...headers, ...given.headers })
      response.end(status === 204 ? undefined : typeof body === "string" ? body : JSON.stringify(body))
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as AddressInfo
    client = new WireClient({
      apiUrl: `http://127.0.0.1:${port}/api`,
      apiKey: "key",
      schemas: new OpenApiSchemas(document, "/api"),
      secrets: ["hidden"],
    })
  })
  afterAll(() => new Promise((resolve) => server.close(resolve)))

  const send = (next: Given, method = "GET", path = "/things/1", body?: unknown) => {
    given = next
    return client.send(method, path, { body })
  }

  it("accepts documented responses and requests", async () => {
    expect((await send({})).json).toEqual(good)
    expect((await send({ status: 204 })).text).toBe("")
    expect((await send({ status: 404, body: notFound, type: "application/problem+json" })).status).toBe(404)
    expect((await send({}, "POST", "/things/1", { name: "x", other: 1 })).status).toBe(200)
  })

  it.each<readonly [string, Given]>([
    ["a key that is not documented", { body: { ...good, extra: 1 } }],
    ["a key that is missing", { body: { id: 1 } }],
    ["a value of another type", { body: { ...good, id: "1" } }],
    ["a timestamp of another format", { body: { ...good, made_at: "yesterday" } }],
    ["a status that is not documented", { status: 201 }],
    ["another media type", { type: "text/plain", body: JSON.stringify(good) }],
    ["a body that is not JSON", { body: "{" }],
    ["a failure that is no problem document", { status: 404, body: notFound }],
    [
      "a problem of another status",
      { status: 404, body: { ...notFound, status: 400 }, type: "application/problem+json" },
    ],
    [
      "a problem without a title",
      { status: 404, body: { type: "x", status: 404 }, type: "application/problem+json" },
    ],
    ["a secret", { body: { ...good, made_at: "hidden" } }],
    ["a webhook's secret", { body: { ...good, made_at: "whsec_abc" } }],
    ["a missing security header", { headers: { "x-content-type-options": "" } }],
    ["an answer that may be kept", { headers: { "cache-control": "public" } }],
  ])("fails at %s", async (_, next) => {
    await expect(send(next)).rejects.toThrow("GET /things/1 answered")
  })

  it("fails at requests that are not documented", async () => {
    await expect(send({}, "DELETE")).rejects.toThrow("is not documented")
    await expect(send({}, "GET", "/others/1")).rejects.toThrow("is not documented")
    await expect(send({}, "POST", "/things/1", { name: 5 })).rejects.toThrow("must be string")
  })

  it("fails if the status differs from the expected one", async () => {
    given = {}
    await expect(client.get("/things/1", {}, 404)).rejects.toThrow("answered 200")
    given = { status: 404, body: notFound, type: "application/problem+json" }
    await expect(client.get("/things/1")).rejects.toThrow("answered 404")
  })
})
