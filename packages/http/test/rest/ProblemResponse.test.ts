import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as BrokenStores from "../support/BrokenStores.js"
import { memberKey, start, type TestInstance } from "../support/TestInstance.js"

describe.each(["node", "web"] as const)("ProblemResponse (%s)", (transport) => {
  const failing: BrokenStores.Failing = { mode: "work" }
  let errata: TestInstance
  beforeAll(async () => {
    errata = await start({ transport, baseUrl: "https://errors.example" }, BrokenStores.layer(failing))
  })
  afterAll(() => errata.stop())

  it.each([
    "/nowhere",
    "/api",
    "/api/",
    "/api/service/v1",
    "/api/service/v2/projects",
    "/api/other/v1/projects",
    "/api/service/v1/nowhere",
    "/api/service/v1/projects/1/nowhere",
    "/API/service/v1/projects",
    "/api/service/v1/projects/1/groups/1/resolve/1",
    "/../etc/passwd",
    "/%zz",
    "/up%00",
    "/.well-known/x",
  ])("answers 404 to %s, with a key and without", async (path) => {
    for (const headers of [{}, { authorization: `Bearer ${memberKey}` }] as Array<Record<string, string>>) {
      for (const method of ["GET", "POST", "DELETE"]) {
        const answer = await errata.fetch(path, { method, headers })
        expect([method, answer.status]).toEqual([method, 404])
        expect(answer.headers.get("content-type")).toBe("application/problem+json")
        expect(answer.json).toEqual({
          type: "about:blank",
          title: "Not Found",
          status: 404,
          detail: expect.any(String),
        })
      }
    }
  })

  it("accepts paths with a slash at the end", async () => {
    expect((await errata.api("/projects/")).status).toBe(200)
  })

  it("answers 503 while the storage is unavailable", async () => {
    failing.mode = "unavailable"
    const answer = await errata.api("/projects")
    failing.mode = "work"
    expect(answer.status).toBe(503)
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0)
    expect(answer.json).toEqual({
      type: "about:blank",
      title: "Service Unavailable",
      status: 503,
      detail: expect.any(String),
    })
    expect(answer.text).not.toContain("secret")
    expect((await errata.api("/projects")).status).toBe(200)
  })

  it.each(["rejected", "throw"] as const)("answers 500 to unexpected failures (%s)", async (mode) => {
    failing.mode = mode
    const answer = await errata.api("/projects?name=private")
    failing.mode = "work"
    expect(answer.status).toBe(500)
    expect(answer.headers.get("content-type")).toBe("application/problem+json")
    expect(answer.json).toEqual({
      type: "about:blank",
      title: "Internal Server Error",
      status: 500,
      correlation_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
    const logged = errata.logs.filter((line) => line.includes(answer.json.correlation_id))
    expect(logged).toHaveLength(1)
    expect(logged[0]).toContain("secret")
    expect(logged[0]).toContain("/api/service/v1/projects")
    expect(logged[0]).not.toContain("private")
    expect((await errata.api("/projects")).status).toBe(200)
  })
})
