import { describe, expect, it } from "vitest"
import { bytes, count, counted, ordinal, share, shortCount } from "../../src/text/Numbers.js"

describe("Numbers", () => {
  it("separates thousands", () => {
    expect(count(1_204_000)).toBe("1,204,000")
    expect(counted(1, "report")).toBe("1 report")
    expect(counted(1_204, "report")).toBe("1,204 reports")
    expect(counted(2, "library frame")).toBe("2 library frames")
  })

  it("shortens counts", () => {
    expect([999, 1_000, 1_249, 12_400, 999_499, 999_500, 2_500_000].map(shortCount)).toEqual([
      "999",
      "1 k",
      "1.2 k",
      "12 k",
      "999 k",
      "1 M",
      "2.5 M",
    ])
  })

  it("never rounds a share to 0 % or 100 %", () => {
    expect(share(1, 1_000)).toBe("< 1 %")
    expect(share(999, 1_000)).toBe("> 99 %")
    expect(share(71, 100)).toBe("71 %")
    expect(share(5, 5)).toBe("100 %")
    expect(share(0, 5)).toBe("0 %")
    expect(share(0, 0)).toBe("0 %")
  })

  it("names sizes", () => {
    expect([0, 1, 999, 1_400, 64_000, 1_400_000].map(bytes)).toEqual([
      "0 bytes",
      "1 byte",
      "999 bytes",
      "1.4 kB",
      "64 kB",
      "1.4 MB",
    ])
  })

  it("writes ordinal numbers", () => {
    expect([1, 2, 3, 4, 11, 21, 112, 1_204].map(ordinal)).toEqual([
      "1st",
      "2nd",
      "3rd",
      "4th",
      "11th",
      "21st",
      "112th",
      "1,204th",
    ])
  })
})
