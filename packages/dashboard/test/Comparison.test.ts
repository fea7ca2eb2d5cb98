import { describe, expect, it } from "vitest"
import { periodOf, signedPercent } from "../src/pages/groups/Comparison.js"

const activity = (reports: ReadonlyArray<number>) => ({
  since: "2026-11-21T18:00:00.000Z",
  until: "2026-11-23T18:00:00.000Z",
  step: "hour" as const,
  complete_until: "2026-11-23T18:00:00.000Z",
  series: [{ group_id: null, reports, new_groups: reports.map(() => 1), total: 0 }],
})

describe("a period beside the one before", () => {
  it("compares whole hours", () => {
    const before = Array.from({ length: 24 }, () => 10)
    const now = Array.from({ length: 23 }, () => 11)
    expect(periodOf(activity([...before, ...now, 500]), 24)).toMatchObject({
      since: "2026-11-22T18:00:00.000Z",
      total: 753,
      newGroups: 24,
      change: "10 % more than the day before",
    })
  })

  it("says nothing about nothing", () => {
    expect(periodOf(activity(Array.from({ length: 48 }, () => 0)), 24).change).toBeNull()
  })

  it("has a sign", () => {
    expect([38, -4, 0].map(signedPercent)).toEqual(["+38 %", "−4 %", "±0 %"])
  })
})
