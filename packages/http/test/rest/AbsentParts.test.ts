/** A storage that leaves out parts of Errata: writes to them are refused, and the log does not call them failures. */
import { AbsentStores } from "@errata/core/ports"
import { MemoryStorage } from "@errata/storage-memory"
import { Layer } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { start, type TestInstance } from "../support/TestInstance.js"

describe("a write to a part that the storage leaves out", () => {
  let errata: TestInstance
  beforeAll(async () => {
    errata = await start({}, Layer.merge(MemoryStorage.layer, AbsentStores.layer))
  })
  afterAll(() => errata.stop())

  it.each([
    ["/apps", { name: "Tea" }, "apps"],
    ["/projects/1/webhooks", { url: "https://example.com/hook", events: ["group.created"] }, "notifications"],
    ["/projects/1/hosted_sourcemap_origins", { origin: "https://example.com" }, "source maps"],
  ])("POST %s has a problem that names the part", async (path, body, part) => {
    const answer = await errata.api(path.replace("1", String(errata.mine.id)), { method: "POST", body })
    const problem = `cannot be stored: the storage does not support ${part}`
    expect([answer.status, answer.json]).toEqual([
      422,
      expect.objectContaining({ detail: `base ${problem}`, errors: { base: [problem] } }),
    ])
  })

  it("registers no application", async () => {
    const answer = await errata.fetch("/oauth/register", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ client_name: "Tea", redirect_uris: ["http://127.0.0.1:1/back"] }),
    })
    expect([answer.status, answer.json]).toEqual([
      400,
      { error: "invalid_request", error_description: "The storage does not support connected applications" },
    ])
  })

  it("logs no failure", () => {
    expect(errata.logs.filter((line) => /level=(?:WARN|ERROR)/.test(line))).toEqual([])
  })
})
