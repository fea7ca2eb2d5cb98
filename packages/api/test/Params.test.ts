import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import { Params } from "../src/internal.js"

const page = Schema.decodeUnknownResult(Schema.Struct(Params.pageParams))

describe("Params", () => {
  it("accepts only positive integers, of any length", () => {
    expect(page({ limit: "007" })).toMatchObject({ success: { limit: 7 } })
    expect(page({ limit: "101" })).toMatchObject({ success: { limit: 101 } })
    expect(page({ limit: "9".repeat(400) })).toMatchObject({ success: { limit: Number.MAX_SAFE_INTEGER } })
    expect(page({ cursor: "9".repeat(400) })).toMatchObject({ success: { cursor: Number.MAX_SAFE_INTEGER } })
    for (const limit of ["0", "00", "-1", "1.0", " 1", "1 ", "", "١", "0x1", "1e1", "Infinity"]) {
      expect([limit, page({ limit })._tag]).toEqual([limit, "Failure"])
    }
  })

  it("accepts ids only in decimal form without leading zeros", () => {
    const id = Schema.decodeUnknownResult(Params.projectIdParam)
    expect(id("12")).toMatchObject({ success: 12 })
    expect(id("999999999999999")).toMatchObject({ success: 999_999_999_999_999 })
    for (const text of ["0", "01", "-1", "1.0", "1e1", " 1", "1000000000000000", "abc", ""]) {
      expect([text, id(text)._tag]).toEqual([text, "Failure"])
    }
    expect(Schema.encodeSync(Params.projectIdParam)(12)).toBe("12")
  })

  it("accepts only text that every storage can store", () => {
    const text = Schema.decodeUnknownResult(Params.Text)
    expect(text("a \u{1F4A9} \uFFFD")._tag).toBe("Success")
    for (const bad of ["\0", "\ud800", "x\udc00y", 5, null]) expect(text(bad)._tag).toBe("Failure")
  })

  it("checks no items of a list that is too long, and stops at the first wrong one", () => {
    let looked = 0
    const problem = ({ length }: ReadonlyArray<unknown>) => (length > 3 ? "must have at most 3 ones" : null)
    const isItem = (value: unknown): value is number => {
      looked++
      return value === 1
    }
    const list = Schema.decodeUnknownResult(
      Params.list({ isItem, of: "ones", problem, maxItems: 3, item: { const: 1 } }),
    )
    const messageOf = (value: unknown) => {
      const decoded = list(value)
      return decoded._tag === "Failure" ? decoded.failure.message : undefined
    }
    expect(list([1, 1, 1])).toMatchObject({ success: [1, 1, 1] })
    looked = 0
    expect(messageOf([2, 2, 2, 2])).toBe("must have at most 3 ones")
    expect(messageOf("111")).toBe("must be an array of ones")
    expect(looked).toBe(0)
    expect(messageOf([2, 1, 1])).toBe("must be an array of ones")
    expect(looked).toBe(1)
  })
})
