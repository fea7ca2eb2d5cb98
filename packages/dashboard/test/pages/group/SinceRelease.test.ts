import { describe, expect, it } from "vitest"
import { answerOf, comparisonAt } from "../../../src/pages/group/SinceRelease.js"

const release = { id: 1, version: "shop@1.5.0", appeared_at: "2026-11-25T08:20:00.000Z" }
const at = (time: string) => comparisonAt(release, Date.parse(time))
const several = { isOnly: false }

describe("the hours around a release", () => {
  it("omit the hour of the release and the current one", () => {
    expect(at("2026-11-25T12:30:00.000Z")).toEqual({
      hours: 3,
      since: "2026-11-25T05:00:00.000Z",
      until: "2026-11-25T12:00:00.000Z",
    })
  })

  it("are zero until a whole hour has passed", () => {
    expect(at("2026-11-25T08:59:00.000Z").hours).toBe(0)
    expect(at("2026-11-25T09:59:00.000Z").hours).toBe(0)
    expect(at("2026-11-25T10:00:00.000Z").hours).toBe(1)
  })

  it("are at most seven days", () => {
    expect(at("2027-01-01T00:00:00.000Z").hours).toBe(168)
  })
})

describe("the answer", () => {
  it("is yes or no if the difference is clear", () => {
    expect(answerOf([2, 3, 99, 30, 31], 2, several)).toBe(
      "Yes, 12 times as many as before: 31 reports an hour in the 2 hours after it, 2.5 in the 2 hours before.",
    )
    expect(answerOf([40, 99, 10], 1, several)).toBe(
      "No, 75 % fewer than before: 10 reports an hour in the hour after it, 40 in the hour before.",
    )
  })

  it("is that there is no clear difference if chance explains it", () => {
    expect(answerOf([10, 0, 14], 1, several)).toContain("No clear difference: 14 reports an hour")
  })

  it("is that there is too little data", () => {
    expect(answerOf([], 0, several)).toBe("Too early to say: no whole hour has passed.")
    expect(answerOf([1, 50, 3], 1, several)).toBe(
      "Too little data: 3 reports in the hour after it, 1 in the hour before.",
    )
    expect(answerOf([0, 50, 30], 1, { isOnly: true })).toContain("no report came before the first release")
  })

  it("detects groups that began with the release", () => {
    expect(answerOf([0, 50, 30], 1, several)).toBe(
      "Yes: 30 reports an hour in the hour after it, 0 in the hour before.",
    )
  })
})
