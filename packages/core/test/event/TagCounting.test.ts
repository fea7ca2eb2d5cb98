import { describe, expect, it } from "@effect/vitest"
import { combine, type TagTally } from "../../src/event/TagCounting.js"

const tally = (counts: Record<string, Record<string, number>>): TagTally =>
  new Map(Object.entries(counts).map(([key, values]) => [key, new Map(Object.entries(values))]))

describe("combine", () => {
  const os = tally({ os: { linux: 2, windows: 1 }, region: { eu: 1 } })

  it("adds the tags of two candidates of one group", () => {
    const other = tally({ os: { linux: 1, macos: 4 }, plan: { free: 1 } })
    expect(combine(os, other, 1)).toEqual(
      tally({ os: { linux: 3, windows: 1, macos: 4 }, region: { eu: 1 }, plan: { free: 1 } }),
    )
  })

  it("subtracts counts, and drops those that become zero", () => {
    expect(combine(os, tally({ os: { linux: 1, windows: 1 }, region: { eu: 1 } }), -1)).toEqual(
      tally({ os: { linux: 1 } }),
    )
  })

  it("does not change its arguments, because a transaction may be retried", () => {
    combine(os, os, -1)
    expect(os).toEqual(tally({ os: { linux: 2, windows: 1 }, region: { eu: 1 } }))
  })
})
