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

  it("answers an OpenAPI document that is valid", async () => {
    const answer = await errata.fetch("/api/service/v1/openapi.json")
    expect(answer.json.servers).toEqual([{ url: "/" }])
    expect((await new Validator().validate(answer.json)).valid).toBe(true)
  })

  it("shows it on a page that runs its own scripts only", async () => {
    const answer = await errata.fetch("/api/service/v1/docs")
    const policy = answer.headers.get("content-security-policy")!
    const scripts = Array.from(answer.text.matchAll(/<script>([\s\S]*?)<\/script>/g), ([, script]) => script!)
    expect(scripts).toHaveLength(1)
    const hash = createHash("sha256").update(scripts[0]!).digest("base64")
    expect(policy).toContain(`script-src 'sha256-${hash}';`)
    expect(answer.text).toContain("/api/service/v1/projects/{project_id}/groups")
  })
})

describe("Documentation below a base path", () => {
  it("contains the server's path", async () => {
    const errata = await start({ baseUrl: "https://errors.example.com/errata/" })
    const answer = await errata.fetch("/errata/api/service/v1/openapi.json")
    expect(answer.json.servers).toEqual([{ url: "/errata" }])
    await errata.stop()
  })
})
