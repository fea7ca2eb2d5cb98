import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { start, type TestInstance } from "../support/TestInstance.js"

describe.each(["node", "web"] as const)("RestApp (%s)", (transport) => {
  let errata: TestInstance
  beforeAll(async () => {
    errata = await start({ transport, corsOrigins: ["https://app.example", "https://two.example"] })
  })
  afterAll(() => errata.stop())

  describe("GET /up", () => {
    it("answers without a key", async () => {
      const answer = await errata.fetch("/up")
      expect(answer.status).toBe(200)
      expect(answer.text).toBe("up")
      expect(answer.headers.get("content-type")).toMatch(/^text\/plain/)
      expect(answer.headers.get("cache-control")).toBe("no-store")
    })

    it("allows HEAD and no other method", async () => {
      const head = await errata.fetch("/up", { method: "HEAD" })
      expect([head.status, head.text]).toEqual([200, ""])
      const post = await errata.fetch("/up", { method: "POST" })
      expect(post.status).toBe(405)
      expect(post.headers.get("allow")).toBe("GET, HEAD")
    })
  })

  it("does not ignore parameters after a semicolon in paths", async () => {
    const project = `/projects/${errata.mine.id}`
    for (const path of [`${project};2`, `${project};/groups`, "/projects;x", `${project}%3B2`]) {
      expect([path, (await errata.api(path)).status]).toEqual([path, 404])
    }
    expect((await errata.fetch("/up;x")).status).toBe(404)
    expect((await errata.api("/projects?name=a;b#c")).status).toBe(200)
  })

  it("allows only configured origins, also for error responses", async () => {
    const headers = { origin: "https://two.example" }
    expect((await errata.api("/projects", { headers })).headers.get("access-control-allow-origin")).toBe(
      "https://two.example",
    )
    const refusal = await errata.api("/projects", { headers, key: null })
    expect(refusal.status).toBe(401)
    expect(refusal.headers.get("access-control-allow-origin")).toBe("https://two.example")
    const other = await errata.api("/projects", { headers: { origin: "https://evil.example" } })
    expect(other.headers.get("access-control-allow-origin")).toBeNull()
    const preflight = await errata.fetch("/api/service/v1/projects", {
      method: "OPTIONS",
      headers: {
        origin: "https://app.example",
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization",
      },
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get("access-control-allow-origin")).toBe("https://app.example")
    expect(preflight.headers.get("access-control-allow-headers")).toContain("authorization")
    expect(preflight.headers.get("access-control-allow-methods")).toContain("DELETE")
  })
})

describe("RestApp without configured origins", () => {
  let errata: TestInstance
  beforeAll(async () => {
    errata = await start({ baseUrl: "https://errors.example.com/errata/" })
  })
  afterAll(() => errata.stop())

  it("sends no CORS headers", async () => {
    const answer = await errata.api("/projects", { headers: { origin: "https://app.example" } })
    expect(answer.status).toBe(200)
    expect(answer.headers.get("access-control-allow-origin")).toBeNull()
    expect((await errata.api("/projects", { method: "OPTIONS" })).status).toBe(405)
  })

  it("serves at the root and below the path of its base URL", async () => {
    for (const path of ["/up", "/errata/up", "/errata/up?x=1"]) {
      expect((await errata.fetch(path)).status).toBe(200)
    }
    const headers = { authorization: `Bearer ${"errata_admin_0123456789abcdef"}` }
    expect((await errata.fetch("/errata/api/service/v1/projects", { headers })).status).toBe(200)
    expect((await errata.fetch("/errataup")).status).toBe(404)
    const { id, token } = errata.mine
    const sent = await errata.fetch(`/errata/api/${id}/store/?sentry_key=${token}`, {
      method: "POST",
      body: "{}",
    })
    expect(sent.status).toBe(200)
  })

  it("has problem types below its base URL", async () => {
    const answer = await errata.api("/projects", { key: null })
    expect(answer.json.type).toBe("https://errors.example.com/errata/problems/unauthorized")
  })
})
