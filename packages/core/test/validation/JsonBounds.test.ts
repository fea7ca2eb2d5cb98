import { describe, expect, it } from "vitest"
import { JsonBounds } from "../../src/internal.js"

const bounds = { maxDepth: 3, maxValues: 5 }

describe("JsonBounds.problem", () => {
  it("accepts texts within the bounds", () => {
    for (const text of ["", "1", '{"a":{"b":[1,2]}}', "[1,2,3,4,5]", "[[],[],[]]".slice(0, 6)]) {
      expect(JsonBounds.problem(text, bounds)).toBeNull()
    }
  })

  it("reports texts that are nested too deep", () => {
    expect(JsonBounds.problem("[[[[]]]]", bounds)).toBe("is nested deeper than 3 levels")
    expect(JsonBounds.problem('{"a":{"a":{"a":{}}}}', bounds)).toBe("is nested deeper than 3 levels")
  })

  it("reports texts with too many values, also incomplete texts", () => {
    expect(JsonBounds.problem("[1,2,3,4,5,6]", bounds)).toBe("has more than 5 values")
    expect(JsonBounds.problem("[[],[],[],", bounds)).toBe("has more than 5 values")
  })

  it("ignores brackets and commas in strings", () => {
    expect(JsonBounds.problem(String.raw`["[[[[{{{{,,,,,,\"[[[[\\", "]`, bounds)).toBeNull()
  })
})
