/** Shows how an application tests its error reporting, with a complete Errata in memory. */
import { createErrata, type Errata, memory } from "errata"
import { afterAll, beforeAll, expect, it } from "vitest"
import { checkout } from "../checkout.js"

let errata: Errata

beforeAll(async () => {
  errata = await createErrata({ storage: memory(), project: "Shop" })
})
afterAll(() => errata.close())

it("reports a payment that fails, with the order", async () => {
  const payments = {
    charge: async () => {
      throw new RangeError("The card has expired")
    },
  }
  expect(await checkout(17, { errata, payments })).toBe(false)
  expect(await checkout(18, { errata, payments })).toBe(false)

  // Captured errors are recorded when `flush` returns.
  await errata.flush()
  const { groups } = await errata.groups.list(errata.project.id, { query: "tags.step:checkout" })
  expect(groups).toMatchObject([
    { error_type: "RangeError", error_message: "The card has expired", reports_count: 2, resolved: false },
  ])

  const { reports } = await errata.reports.list(errata.project.id, groups[0]!.id)
  const report = await errata.reports.get(errata.project.id, groups[0]!.id, reports[0]!.id)
  expect(report.extras).toEqual([{ key: "order", value: 18 }])
})
