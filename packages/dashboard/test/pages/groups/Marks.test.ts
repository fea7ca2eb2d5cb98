import { describe, expect, it } from "vitest"
import { marksOf } from "../../../src/pages/groups/Marks.js"

const since = "2026-11-25T08:00:00.000Z"
const release = (id: number, appeared_at: string) => ({ id, version: `shop@${id}`, appeared_at })

describe("the marks of releases", () => {
  it("are those since the start of the chart", () => {
    const releases = [release(2, "2026-11-25T09:30:00.000Z"), release(1, "2026-11-25T07:59:00.000Z")]
    expect(marksOf(releases, since)).toEqual({
      marks: [{ at: "2026-11-25T09:30:00.000Z", name: "shop@2" }],
      others: 0,
    })
  })

  it("are the last five, with the count of the others", () => {
    const releases = Array.from({ length: 8 }, (_, i) => release(8 - i, `2026-11-25T1${8 - i}:00:00.000Z`))
    const { marks, others } = marksOf(releases, since)
    expect(marks.map(({ name }) => name)).toEqual(["shop@8", "shop@7", "shop@6", "shop@5", "shop@4"])
    expect(others).toBe(3)
  })
})
