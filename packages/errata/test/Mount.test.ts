import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, describe, expect, it } from "vitest"
import type { Errata } from "../src/index.js"
import { failureOf, instances } from "./support/Instances.js"
import { keyedStorage } from "./support/KeyedStorage.js"

type Middleware = (request: IncomingMessage, response: ServerResponse, next: () => void) => void

/** Reads the body and leaves it as a value, like `express.json()`. */
const reading =
  (leave: (request: IncomingMessage, text: string) => void): Middleware =>
  (request, _, next) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      leave(request, Buffer.concat(chunks).toString())
      next()
    })
  }
const asJson = reading((request, text) =>
  Object.assign(request, { body: text === "" ? {} : JSON.parse(text) }),
)
const asText = reading((request, text) => Object.assign(request, { body: text }))
const asBytes = reading((request, text) => Object.assign(request, { body: Buffer.from(text) }))
const asForm = reading((request, text) =>
  Object.assign(request, { body: Object.fromEntries(new URLSearchParams(text)) }),
)
const away = reading(() => {})

describe("a mounted instance", () => {
  const make = instances()
  const servers: Array<Server> = []
  afterEach(async () => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  })

  /** A server that routes `/errors` to the instance, after the given middleware. */
  const serve = async (
    errata: () => Errata,
    { before, isStripped = true }: { before?: Middleware; isStripped?: boolean } = {},
  ) => {
    const server = createServer((request, response) => {
      const url = request.url ?? ""
      if (!url.startsWith("/errors")) {
        response.end("the application's own")
        return
      }
      if (isStripped) request.url = url.slice("/errors".length) || "/"
      const handle = () => errata().nodeHandler(request, response)
      if (before === undefined) handle()
      else before(request, response, handle)
    })
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  const statusOf = async (url: string, init?: RequestInit) => (await fetch(url, init)).status
  const mounted = async (options: Parameters<typeof serve>[1] = {}) => {
    let errata: Errata | undefined
    const origin = await serve(() => errata!, options)
    const { apiKey, storage } = await keyedStorage()
    errata = await make({ storage, baseUrl: `${origin}/errors/` })
    return { errata, origin, authorization: `Bearer ${apiKey}` }
  }

  it.each([true, false])("handles all requests below its path (prefix removed: %s)", async (isStripped) => {
    const { authorization, errata, origin } = await mounted({ isStripped })
    const base = `${origin}/errors`
    expect(await statusOf(`${base}/up`)).toBe(200)
    // It becomes ready within a second, after the first heartbeat of its workers.
    expect(await (await fetch(`${base}/ready`)).text()).toMatch(/^(not )?ready$/)
    expect(await statusOf(`${base}/api/service/v1/projects`)).toBe(401)
    const listed = await fetch(`${base}/api/service/v1/projects`, { headers: { authorization } })
    expect(await listed.json()).toMatchObject({ projects: [{ id: errata.project.id }] })
    const page = await fetch(`${base}/sign_in`)
    expect([page.status, page.headers.get("content-type")]).toEqual([
      200,
      expect.stringContaining("text/html"),
    ])
    expect(await page.text()).toContain('"/errors/')
    const mcp = await fetch(`${base}/mcp`, {
      method: "POST",
      headers: {
        authorization,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
    })
    expect([mcp.status, await mcp.text()]).toEqual([200, expect.stringContaining("tools")])
    expect(await (await fetch(origin)).text()).toBe("the application's own")
  })

  it("accepts events from SDKs at its DSN", async () => {
    const { errata, origin } = await mounted()
    const dsn = new URL(errata.dsn())
    expect(dsn.href).toBe(`${origin.replace("//", `//${errata.project.token}@`)}/errors/${errata.project.id}`)
    // SDKs derive the URL in this way.
    const [, path, id] = /^(.*)\/(\d+)$/.exec(dsn.pathname)!
    const url = `${dsn.origin}${path}/api/${id}/envelope/?sentry_key=${dsn.username}`
    const event = { exception: { values: [{ type: "Error", value: "from an SDK" }] } }
    const body = `{}\n{"type":"event"}\n${JSON.stringify(event)}\n`
    expect(await statusOf(url, { method: "POST", body })).toBe(200)
    await errata.flush()
    expect((await errata.groups.list(errata.project.id)).groups).toMatchObject([
      { error_message: "from an SDK" },
    ])
    const other = await errata.projects.create({ name: "Other" })
    expect(new URL(errata.dsn(other))).toMatchObject({
      username: other.token,
      pathname: `/errors/${other.id}`,
    })
  })

  it.each([
    ["a JSON value", asJson],
    ["a text", asText],
    ["bytes", asBytes],
  ])("uses a body that was parsed before, as %s", async (_, before) => {
    const { authorization, errata, origin } = await mounted({ before })
    const created = await fetch(`${origin}/errors/api/service/v1/projects`, {
      method: "POST",
      headers: { authorization, "content-type": "application/json" },
      body: JSON.stringify({ name: "Tea ☕" }),
    })
    expect([created.status, await created.json()]).toEqual([201, expect.objectContaining({ name: "Tea ☕" })])
    const event = { message: "stored" }
    const store = `${origin}/errors/api/${errata.project.id}/store/?sentry_key=${errata.project.token}`
    const headers = { "content-type": "application/json" }
    expect(await statusOf(store, { method: "POST", headers, body: JSON.stringify(event) })).toBe(200)
    expect(await statusOf(`${origin}/errors/up`)).toBe(200)
    expect(await statusOf(`${origin}/errors/api/service/v1/projects`, { headers: { authorization } })).toBe(
      200,
    )
  })

  it("uses a form that was parsed before", async () => {
    const { origin } = await mounted({ before: asForm })
    const answer = await fetch(`${origin}/errors/oauth/revoke`, {
      method: "POST",
      body: new URLSearchParams({ token: "none of ours" }),
    })
    expect(answer.status).toBe(200)
  })

  it("fails with a message if other middleware consumed the body", async () => {
    const { authorization, origin } = await mounted({ before: away })
    const answer = await fetch(`${origin}/errors/api/service/v1/projects`, {
      method: "POST",
      headers: { authorization, "content-type": "application/json" },
      body: JSON.stringify({ name: "Tea" }),
    })
    expect([answer.status, await answer.text()]).toEqual([
      500,
      expect.stringContaining("Another middleware read the body"),
    ])
    // A request without a body lacks nothing.
    expect(await statusOf(`${origin}/errors/up`)).toBe(200)
  })

  it("answers servers of the fetch style", async () => {
    const errata = await make({ metrics: { token: "figures" } })
    const ask = (path: string, init?: RequestInit) =>
      errata.fetch(new Request(`https://app.example${path}`, init))
    expect((await ask("/up")).status).toBe(200)
    expect((await ask("/metrics")).status).toBe(401)
    expect((await ask("/metrics", { headers: { authorization: "Bearer figures" } })).status).toBe(200)
    // No header grants a network client the permissions of the process.
    expect((await ask("/api/service/v1/projects")).status).toBe(401)
    expect(
      (await ask("/api/service/v1/projects", { headers: { authorization: "Bearer in-process" } })).status,
    ).toBe(401)
    expect(() => errata.dsn()).toThrow(TypeError)
  })

  it("answers requests from before it closes, and rejects later ones", async () => {
    const { errata, origin } = await mounted()
    const before = errata.fetch(new Request(`${origin}/errors/up`))
    const closing = errata.close()
    expect((await before).status).toBe(200)
    expect((await errata.fetch(new Request(`${origin}/errors/up`))).status).toBe(503)
    expect(await statusOf(`${origin}/errors/up`)).toBe(503)
    await closing
    expect(await statusOf(`${origin}/errors/up`)).toBe(503)
  })

  it.each(["ftp://app.example", "app.example", "https://app.example?a=b"])(
    "rejects the base URL %s",
    async (baseUrl) => {
      expect(await failureOf(make({ baseUrl }))).toMatchObject({ code: "StartFailed" })
    },
  )
})
