import { describe, expect, it } from "vitest"
import {
  dryRunText,
  ifText,
  periodText,
  receiversText,
  whenText,
} from "../../../src/pages/alerts/ruleText.js"

describe("the sentence of a rule", () => {
  it("joins its conditions", () => {
    expect(
      whenText({
        triggers: [
          { type: "created" },
          { type: "fatal" },
          { type: "reports", count: 1_000, minutes: 60, of: "project" },
        ],
      }),
    ).toBe(
      "When a group is new, the severity of a group reaches fatal or the project gets more than 1,000 reports in an hour.",
    )
  })

  it("has numbers in the units that people use", () => {
    const when = (minutes: number) =>
      whenText({ triggers: [{ type: "reports", count: 1, minutes, of: "group" }] })
    expect(when(1)).toBe("When a group gets more than 1 report in 1 minute.")
    expect(when(90)).toBe("When a group gets more than 1 report in 90 minutes.")
    expect(when(120)).toBe("When a group gets more than 1 report in 2 hours.")
    expect(whenText({ triggers: [{ type: "users", count: 10 }] })).toBe(
      "When a group affects 10 users or more.",
    )
    expect(whenText({ triggers: [{ type: "rate", factor: 2.5 }] })).toBe(
      "When a group gets 2.5 times its usual number of reports.",
    )
  })

  it("names the conditions of the filter", () => {
    expect(
      ifText({ filter: { query: "a", environments: ["production"], severities: ["fatal", "error"] } }),
    ).toEqual(["severity fatal or error", "environment production"])
    expect(ifText({ filter: { query: "a", environments: [], severities: [] } })).toEqual([])
  })

  it("names only existing receivers", () => {
    const nameOf = (id: number) => (id === 3 ? null : `target ${id}`)
    const to = (members: boolean, targets: "all" | ReadonlyArray<number>) =>
      receiversText({ receivers: { members, targets } }, nameOf)
    expect(to(true, "all")).toBe("to members by mail and all targets")
    expect(to(false, [1, 2, 3])).toBe("to target 1 and target 2")
    expect(to(true, [])).toBe("to members by mail")
    expect(to(false, [3])).toBe("to no receiver")
  })
})

it.each([
  [0, "every time"],
  [1, "at most once in 1 minute per group"],
  [45, "at most once in 45 minutes per group"],
  [60, "at most once an hour per group"],
  [240, "at most once in 4 hours per group"],
  [1_440, "at most once a day per group"],
  [4_320, "at most once in 3 days per group"],
  [10_080, "at most once a week per group"],
])("a period of %i minutes is %s", (minutes, text) => {
  expect(periodText(minutes)).toBe(text)
})

it.each([
  [0, false, "Would not have notified in the last 7 days."],
  [0, true, "Would have notified at least 0 times in the last 7 days."],
  [1, false, "Would have notified once in the last 7 days."],
  [2, false, "Would have notified twice in the last 7 days."],
  [1_200, true, "Would have notified at least 1,200 times in the last 7 days."],
])("a dry run with %i notifications (partial: %s) says so", (count, partial, text) => {
  expect(dryRunText({ count, partial })).toBe(text)
})
