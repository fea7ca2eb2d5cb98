import { createHash } from "node:crypto"
import { Validator } from "@seriousme/openapi-schema-validator"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { start, type TestInstance } from "../support/TestInstance.js"

describe.each(["node", "web"] as const)("Documentation (%s)", (transport) => {
  let errata: TestInstance
  beforeAll(async () => {
    errata = await start({ transport })
  })
  afterAll(() => errata.stop())

  it("answers the OpenAPI document to everyone", async () => {
    const answer = await errata.fetch("/api/service/v1/openapi.json")
    expect(answer.status).toBe(200)
    expect(answer.headers.get("content-type")).toMatch(/^application\/json/)
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff")
    expect(answer.json.servers).toEqual([{ url: "/" }])
    expect((await new Validator().validate(answer.json)).valid).toBe(true)
  })

  it("shows it on a page that runs its own scripts only", async () => {
    const answer = await errata.fetch("/api/service/v1/docs")
    expect(answer.status).toBe(200)
    expect(answer.headers.get("content-type")).toMatch(/^text\/html/)
    const policy = answer.headers.get("content-security-policy")!
    const scripts = Array.from(answer.text.matchAll(/<script>([\s\S]*?)<\/script>/g), ([, script]) => script!)
    expect(scripts).toHaveLength(1)
    const hash = createHash("sha256").update(scripts[0]!).digest("base64")
    expect(policy).toContain(`script-src 'sha256-${hash}';`)
    expect(policy).toContain("default-src 'none'")
    expect(answer.headers.get("x-frame-options")).toBe("DENY")
    expect(answer.text).toContain("/api/service/v1/projects/{project_id}/groups")
  })

  it("knows no other methods for them", async () => {
    for (const path of ["openapi.json", "docs"]) {
      const answer = await errata.fetch(`/api/service/v1/${path}`, { method: "POST" })
      expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD"])
      const head = await errata.fetch(`/api/service/v1/${path}`, { method: "HEAD" })
      expect([head.status, head.text]).toEqual([200, ""])
    }
  })
})

describe("Documentation below a base path", () => {
  it("tells where the server is", async () => {
    const errata = await start({ baseUrl: "https://errors.example.com/errata/" })
    const answer = await errata.fetch("/errata/api/service/v1/openapi.json")
    expect(answer.json.servers).toEqual([{ url: "/errata" }])
    await errata.stop()
  })
})
