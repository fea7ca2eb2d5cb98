import { describe, expect, it } from "vitest"
import { moreOrFewer, periodOf, signedPercent } from "../src/pages/groups/Comparison.js"

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
      change: "10 % more than the day before (whole hours only: 253, previously 230)",
      before,
      beforeName: "the day before",
    })
  })

  it("compares whole days", () => {
    const days = [...Array<number>(30).fill(2), ...Array<number>(30).fill(1)]
    expect(periodOf({ ...activity(days), step: "day" }, 720).change).toBe(
      "50 % fewer than the 30 days before (whole days only: 29, previously 58)",
    )
  })

  it("names a previous period without reports", () => {
    const reports = [...Array<number>(24).fill(0), ...Array<number>(24).fill(1)]
    expect(periodOf(activity(reports), 24)).toMatchObject({ change: "none in the day before", percent: null })
  })

  it("treats a missing series as one without reports", () => {
    const period = periodOf({ ...activity([]), series: [] }, 24)
    expect(period).toMatchObject({ total: 0, change: null })
    expect(period.reports).toHaveLength(24)
  })

  it("shows no change without any reports", () => {
    expect(periodOf(activity(Array.from({ length: 48 }, () => 0)), 24).change).toBeNull()
  })

  it("shows large changes as multiples", () => {
    expect([moreOrFewer(120, 10), moreOrFewer(99, 10), moreOrFewer(10, 10), moreOrFewer(5, 10)]).toEqual([
      "12 times as many as",
      "890 % more than",
      "as many as",
      "50 % fewer than",
    ])
  })

  it("writes percentages with a sign", () => {
    expect([38, -4, 0].map(signedPercent)).toEqual(["+38 %", "−4 %", "±0 %"])
  })
})
