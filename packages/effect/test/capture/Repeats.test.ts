import { describe, expect, it } from "vitest"
import { Repeats } from "../../src/capture/Repeats.js"

describe("the limit of repeats", () => {
  it("counts each kind within a second, for a limited number of kinds", () => {
    let now = 0
    const repeats = new Repeats(2, () => now)
    const count = (kind: string) => Array.from({ length: 4 }, () => repeats.isTooMany(kind))
    expect(count("a")).toEqual([false, false, true, true])
    expect(count("b")).toEqual([false, false, true, true])
    now = 999
    expect(count("a")).toEqual([true, true, true, true])
    now = 1_000
    expect(count("a")).toEqual([false, false, true, true])
    for (let i = 0; i < 5_000; i++) repeats.isTooMany(`kind ${i}`)
    expect((repeats as unknown as { counts: Map<string, number> }).counts.size).toBeLessThanOrEqual(1_000)
  })
})
