import { describe, expect, it } from "vitest"
import { activityText, mentions } from "../../../src/pages/group/activityText.js"

describe("activityText", () => {
  it("names users if their names are known", () => {
    const nameOf = (id: number) => (id === 3 ? "Operator" : undefined)
    expect(activityText("Assigned to user 3", nameOf)).toBe("Assigned to Operator")
    expect(activityText("Assigned to user 4", nameOf)).toBe("Assigned to user 4")
    const discarded = "An earlier group of this error (number 42, 2 reports) was deleted on 2026-11-27 by"
    expect(activityText(`${discarded} user 3`, nameOf)).toBe(`${discarded} Operator`)
  })

  it("shows the end of a mute as a time", () => {
    expect(activityText("Muted until 2026-11-23T18:02:11.000Z", () => undefined, "UTC")).toBe(
      "Muted until 23 Nov 2026, 18:02:11",
    )
  })
})

describe("mentions", () => {
  it("finds the groups that were merged", () => {
    expect(mentions("Merged with groups 4, 5. Still muted, now until 9 reports")).toEqual([
      { text: "Merged with groups ", groupId: null },
      { text: "4", groupId: 4 },
      { text: ", ", groupId: null },
      { text: "5", groupId: 5 },
      { text: ". Still muted, now until 9 reports", groupId: null },
    ])
  })

  it("leaves other notes as they are", () => {
    expect(mentions("Resolved")).toEqual([{ text: "Resolved", groupId: null }])
  })
})
