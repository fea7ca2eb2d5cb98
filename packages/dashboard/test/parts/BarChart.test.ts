import { describe, expect, it } from "vitest"
import { barsOf, markedSteps, sentenceOf } from "../../src/parts/BarChart.js"

const since = "2026-11-23T10:00:00.000Z"
const now = Date.parse("2026-11-23T12:30:00.000Z")

describe("barsOf", () => {
  it("scales from zero, to ten reports at least", () => {
    expect(barsOf({ since, step: "hour", reports: [0, 5, 1] }, now).map(({ height }) => height)).toEqual([
      0, 0.5, 0.1,
    ])
    expect(barsOf({ since, step: "hour", reports: [0, 50, 100] }, now).map(({ height }) => height)).toEqual([
      0, 0.5, 1,
    ])
  })

  it("scales the bars and the line of the period before alike", () => {
    const bars = barsOf({ since, step: "hour", reports: [10, 20], before: [40, 0] }, now)
    expect(bars.map(({ height }) => height)).toEqual([0.25, 0.5])
  })

  it("marks the running hour only", () => {
    expect(
      barsOf({ since, step: "hour", reports: [1, 1, 1] }, now).map(({ isRunning }) => isRunning),
    ).toEqual([false, false, true])
  })

  it("names the start of each step", () => {
    expect(barsOf({ since, step: "day", reports: [1, 1] }, now)[1]?.at).toBe("2026-11-24T10:00:00.000Z")
  })

  it("marks bars far above the usual", () => {
    expect(barsOf({ since, step: "hour", reports: [3, 3, 40, 9] }, now).map(({ isHot }) => isHot)).toEqual([
      false,
      false,
      true,
      false,
    ])
  })
})

describe("sentenceOf", () => {
  it("says the total and the highest bar", () => {
    expect(sentenceOf({ since, step: "hour", reports: [1, 1_200, 3] })).toBe(
      "1,204 reports in 3 hours, at most 1,200 in one hour",
    )
    expect(sentenceOf({ since, step: "day", reports: [0, 0] })).toBe("No reports in 2 days")
  })
})

describe("markedSteps", () => {
  it("numbers the marks of each step, and leaves out those outside of the chart", () => {
    const marks = [
      "2026-11-23T10:59:00Z",
      "2026-11-23T10:00:00Z",
      "2026-11-23T09:59:00Z",
      "2026-11-23T13:00:00Z",
    ]
    const steps = markedSteps(
      { since, step: "hour", reports: [0, 0, 0] },
      marks.map((at) => ({ at, name: at })),
    )
    expect([...steps]).toEqual([[0, [1, 2]]])
  })
})
