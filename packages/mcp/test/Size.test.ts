/** Limits the bytes that a model must read. Raise a limit only for a reason. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { memberKey, start, type TestInstance } from "../../http/test/support/TestInstance.js"
import { mcp } from "../src/index.js"
import { checkoutFailure } from "./support/Checkout.js"

const real = "../shared/data/events"
const isPresent = existsSync(real)
if (!isPresent) process.stderr.write(`${real} is not there: only our own event is measured\n`)

let errata: TestInstance
beforeAll(async () => {
  errata = await start({ mcp })
})
afterAll(() => errata.stop())

/** The bytes of a whole response. */
const bytesOf = async (method: string, params?: object): Promise<number> => {
  const { status, text } = await errata.fetch("/mcp", {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${memberKey}` },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  })
  expect([status, JSON.parse(text).result.isError]).toEqual([200, undefined])
  return Buffer.byteLength(text)
}

const called = (name: string, args: object) => bytesOf("tools/call", { name, arguments: args })

/** A tool searches the groups, reads one, and reads its report. */
const investigated = async ({ group_id, id }: { readonly group_id: number; readonly id: number }) =>
  (await called("list_groups", {
    project_id: errata.mine.id,
    severity: "fatal,error,warning,info,debug",
    limit: 1,
  })) +
  (await called("get_group", { group_id })) +
  (await called("get_report", { report_id: id }))

describe("The size", () => {
  it("of the list of tools is limited", async () => {
    expect(await bytesOf("tools/list")).toBeLessThanOrEqual(19_800)
  })

  it("of an investigation is limited", async () => {
    const report = await errata.report(checkoutFailure)
    expect(await investigated(report)).toBeLessThanOrEqual(14_200)
    expect(await called("get_investigation_context", { group_id: report.group_id })).toBeLessThanOrEqual(
      12_440,
    )
    expect(await called("get_report", { report_id: report.id, full: true })).toBeLessThanOrEqual(16_400)
  })

  it.runIf(isPresent)("of investigations of real events is limited", async () => {
    const names = readdirSync(real, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".json"))
      .sort()
    let total = 0
    for (const [i, name] of names.entries()) {
      const event = JSON.parse(readFileSync(`${real}/${name}`, "utf8"))
      const bytes = await investigated(
        await errata.report({
          platform: "other",
          ...event,
          event_id: String(i).padStart(32, "0"),
          timestamp: Date.now() / 1_000,
        }),
      )
      expect([name, bytes <= 12_900]).toEqual([name, true])
      total += bytes
    }
    expect(total / names.length).toBeLessThanOrEqual(5_830)
  })
})
