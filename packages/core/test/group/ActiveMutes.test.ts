import { DateTime } from "effect"
import { describe, expect, it } from "vitest"
import { activeMutes, type Group } from "../../src/index.js"

const now = DateTime.makeUnsafe(1_000)
const until = (millis: number) => DateTime.makeUnsafe(millis)

const muted = (condition: NonNullable<Group["mute"]>["condition"]): NonNullable<Group["mute"]> => ({
  at: DateTime.makeUnsafe(0),
  by: null,
  condition,
})

describe("the mutes that hold at a moment", () => {
  it("omit an expired mute that is not yet removed", () => {
    const project = (millis: number) => ({ at: DateTime.makeUnsafe(0), by: null, until: until(millis) })
    const mute = (millis: number) => muted({ _tag: "Until", until: until(millis) })
    const over = { mute: mute(1_000), projectMute: project(999), reportsCount: 1 }
    expect(activeMutes(over, now)).toEqual({ mute: null, projectMute: null })
    const holding = { mute: mute(1_001), projectMute: project(1_001), reportsCount: 1 }
    expect(activeMutes(holding, now)).toEqual({ mute: holding.mute, projectMute: holding.projectMute })
    const counted = { mute: muted({ _tag: "UntilReportsCount", reportsCount: 3 }), projectMute: null }
    expect(activeMutes({ ...counted, reportsCount: 3 }, now).mute).toBeNull()
    expect(activeMutes({ ...counted, reportsCount: 2 }, now).mute).toEqual(counted.mute)
  })
})
