/** Compares the decoder with the standard one on all kinds of mappings. */
import { TraceMap, traceSegment } from "@jridgewell/trace-mapping"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Mappings, type MappingsFault } from "../src/Mappings.js"
import { encodeMappings } from "./support/Encode.js"

const decode = (text: string, sources = 3, names = 3): Mappings | MappingsFault =>
  Mappings.decode([{ text, line: 0, column: 0, end: null, firstSource: 0, sources, firstName: 0, names }])

const decoded = (text: string, sources?: number, names?: number): Mappings => {
  const mappings = decode(text, sources, names)
  if (typeof mappings === "string") throw new Error(mappings)
  return mappings
}

const segment = fc.oneof(
  fc.tuple(fc.nat(200)),
  fc.tuple(fc.nat(200), fc.nat(2), fc.nat(500), fc.nat(200)),
  fc.tuple(fc.nat(200), fc.nat(2), fc.nat(500), fc.nat(200), fc.nat(2)),
)
const lines = fc.array(fc.array(segment, { maxLength: 20 }), { maxLength: 20 })

describe("Mappings", () => {
  it("agrees with trace-mapping, also if columns are not in ascending order", () => {
    fc.assert(
      fc.property(lines, fc.array(fc.tuple(fc.nat(22), fc.nat(220)), { maxLength: 30 }), (lines, places) => {
        const text = encodeMappings(lines)
        const mappings = decoded(text)
        const oracle = new TraceMap({
          version: 3,
          sources: ["a", "b", "c"],
          names: ["x", "y", "z"],
          mappings: text,
        })
        for (const [line, column] of places) {
          const [, source, originalLine, originalColumn, name] = traceSegment(oracle, line, column) ?? []
          expect(mappings.find(line, column)).toEqual(
            source === undefined
              ? null
              : { source, line: originalLine, column: originalColumn, name: name ?? -1 },
          )
        }
      }),
      { numRuns: 300 },
    )
  })

  it("ignores indexes outside the map", () => {
    // Negative source, line and column; a source and a name out of range.
    for (const segment of [
      [0, -1, 0, 0],
      [0, 0, -1, 0],
      [0, 0, 0, -1],
      [0, 3, 0, 0],
    ]) {
      expect(decoded(encodeMappings([[segment]])).find(0, 5)).toBeNull()
    }
    expect(decoded(encodeMappings([[[0, 0, 1, 2, 9]]])).find(0, 5)).toEqual({
      source: 0,
      line: 1,
      column: 2,
      name: -1,
    })
    // Negative columns are ignored.
    expect(decoded(encodeMappings([[[-4, 0, 1, 2]]])).size).toBe(0)
  })

  it.each([
    ["a character that is no digit", "AA!A"],
    ["one beyond ASCII", "AAé"],
    ["a number that does not end", "AAAg"],
    ["a number with more than 32 bits", "gggggggggA"],
    ["two fields", "AA"],
    ["three fields", "AAA"],
    ["six fields", "AAAAAA"],
  ])("calls %s malformed", (_, text) => {
    expect(decode(text)).toBe("malformed")
  })

  it("needs no memory for lines without mappings", () => {
    const mappings = decoded(`${";".repeat(10_000_000)}AAAA`)
    expect(mappings.memory).toBeLessThan(100)
    expect(mappings.find(10_000_000, 3)).toEqual({ source: 0, line: 0, column: 0, name: -1 })
    expect(mappings.find(9_999_999, 3)).toBeNull()
  })

  it("finds the first of many mappings of one column, and the last before a column", () => {
    const mappings = decoded(`AAAA${",AACA".repeat(500_000)}`)
    const found = new Set(Array.from({ length: 100_000 }, () => mappings.find(0, 0)?.line))
    expect([...found]).toEqual([0])
    expect(mappings.find(0, 7)?.line).toBe(500_000)
  })

  it("rejects a map with too many mappings", () => {
    expect(decode("A,".repeat(5_000_000))).toBeInstanceOf(Mappings)
    expect(decode("A,".repeat(5_000_001))).toBe("too_many")
  })
})
