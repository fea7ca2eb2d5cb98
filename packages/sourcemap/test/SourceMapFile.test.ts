/** Maps of every form, and files that only claim to be one. */

import { FlattenMap, originalPositionFor } from "@jridgewell/trace-mapping"
import { Result } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type MapFault, SourceMapFile } from "../src/SourceMapFile.js"
import { encodeMappings } from "./support/Encode.js"

const bytes = (text: string) => new TextEncoder().encode(text)
const readBytes = (json: Uint8Array): Result.Result<SourceMapFile, MapFault> => {
  const read = SourceMapFile.read(json)
  return read instanceof SourceMapFile ? Result.succeed(read) : Result.fail(read)
}
const read = (map: unknown) => readBytes(bytes(JSON.stringify(map)))
const codeOf = (result: Result.Result<unknown, MapFault>) =>
  Result.match(result, { onFailure: ({ code }) => code, onSuccess: () => "read" })

const plain = {
  version: 3,
  sources: ["a.ts"],
  names: ["a"],
  mappings: encodeMappings([[[0, 0, 1, 2, 0]]]),
}

const sectionsOf = (nesting: number): object =>
  nesting === 0
    ? plain
    : { version: 3, sections: [{ offset: { line: 0, column: 0 }, map: sectionsOf(nesting - 1) }] }

describe("SourceMapFile", () => {
  it.each([
    ["a guard before it", `)]}'\n${JSON.stringify(plain)}`],
    ["half a guard before it", `)]}\n${JSON.stringify(plain)}`],
    ["a byte order mark", `\ufeff${JSON.stringify(plain)}`],
    ["a byte order mark and a guard", `\ufeff)]}'\n${JSON.stringify(plain)}`],
    ["unknown members", JSON.stringify({ ...plain, scopes: "x", debugId: "y", rangeMappings: ";;" })],
    ["nested sections", JSON.stringify(sectionsOf(8))],
  ])("reads a map with %s", (_, json) => {
    const map = Result.getOrThrow(readBytes(bytes(json)))
    expect(map.mappings.find(0, 9)).toEqual({ source: 0, line: 1, column: 2, name: 0 })
  })

  it("prepends the root to sources, and keeps unnamed sources null", () => {
    const map = Result.getOrThrow(
      read({ ...plain, sourceRoot: "/srv/app", sources: ["a.ts", null, "", 5], sourcesContent: [null, "b"] }),
    )
    expect(map.sources.map(({ content, url }) => [url, content])).toEqual([
      ["/srv/app/a.ts", null],
      [null, "b"],
      [null, null],
      [null, null],
    ])
  })

  it("agrees with trace-mapping on index maps", () => {
    const part = fc.record({
      sources: fc.constantFrom(["a"], ["b", "c"]),
      lines: fc.array(
        fc.array(fc.tuple(fc.nat(30), fc.constant(0), fc.nat(9), fc.nat(9)), { maxLength: 5 }),
        {
          maxLength: 3,
        },
      ),
    })
    const offset = fc.record({ line: fc.nat(6), column: fc.nat(40) })
    fc.assert(
      fc.property(fc.array(fc.tuple(offset, part), { minLength: 1, maxLength: 5 }), (parts) => {
        const sections = parts
          .sort(([a], [b]) => a.line - b.line || a.column - b.column)
          .map(([offset, { lines, sources }]) => ({
            offset,
            map: {
              version: 3 as const,
              sources,
              names: [],
              mappings: encodeMappings(lines.map((line) => line.toSorted((a, b) => a[0] - b[0]))),
            },
          }))
        const map = Result.getOrThrow(read({ version: 3, sections }))
        const oracle = new FlattenMap({ version: 3, sections })
        for (let line = 0; line < 9; line++) {
          for (let column = 0; column < 60; column += 7) {
            const found = map.mappings.find(line, column)
            const {
              source,
              line: wantedLine,
              column: wantedColumn,
            } = originalPositionFor(oracle, { line: line + 1, column })
            expect(found && [map.sources[found.source]!.url, found.line + 1, found.column]).toEqual(
              source === null ? null : [source, wantedLine, wantedColumn],
            )
          }
        }
      }),
    )
  })

  it("counts the memory that it uses", () => {
    const content = "a".repeat(10_000)
    const small = Result.getOrThrow(read(plain)).memory
    const latin = Result.getOrThrow(read({ ...plain, sourcesContent: [content] })).memory
    const wide = Result.getOrThrow(read({ ...plain, sourcesContent: [`${content}\u20ac`] })).memory
    expect(latin - small).toBe(10_000)
    expect(wide - small).toBeGreaterThan(20_000)
  })

  it("keeps only strings of Metro's names, and counts their memory", () => {
    const memoryOf = (entry: unknown) =>
      Result.getOrThrow(read({ ...plain, x_facebook_sources: [entry] })).memory
    const names = Array.from({ length: 10_000 }, () => "a")
    const without = memoryOf([{ names: [], mappings: "" }])
    expect(memoryOf([{ names, mappings: "" }]) - without).toBeGreaterThan(10_000 * 8)
    expect(memoryOf([{ names: names.map(() => [[]]), mappings: "", more: names }, names])).toBe(
      memoryOf([{ names: names.map(() => null), mappings: "" }]),
    )
  })

  it("cuts very long names of sources", () => {
    const map = { ...plain, sourceRoot: "r/".repeat(1_000_000), sources: ["a/".repeat(1_000_000), "b.ts"] }
    const { sources } = Result.getOrThrow(read(map))
    expect(sources.map(({ url }) => url?.length)).toEqual([4096, 4096])
  })

  it.each([
    ["the start page of an application", "<!doctype html><p>Not here", "not_a_source_map"],
    ["another document", "  \n<svg/>", "not_a_source_map"],
    ["plain text", "404 not found", "not_a_source_map"],
    ["nothing", "", "not_a_source_map"],
    ["a guard alone", ")]}'", "not_a_source_map"],
    ["a list", "[]", "not_a_source_map"],
    ["a number", "3", "not_a_source_map"],
    ["another object", `{"version":3}`, "not_a_source_map"],
    ["half a map", JSON.stringify(plain).slice(0, -5), "source_map_malformed"],
    ["another version", JSON.stringify({ ...plain, version: 2 }), "source_map_malformed"],
    ["sources that are none", JSON.stringify({ ...plain, sources: "a" }), "source_map_malformed"],
    ["names that are none", JSON.stringify({ ...plain, names: {} }), "source_map_malformed"],
    ["mappings that are none", JSON.stringify({ ...plain, mappings: "!" }), "source_map_malformed"],
    ["sections that are none", JSON.stringify({ version: 3, sections: {} }), "source_map_malformed"],
    ["a section without an offset", JSON.stringify({ version: 3, sections: [{}] }), "source_map_malformed"],
    [
      "a section before the first line",
      JSON.stringify({ version: 3, sections: [{ offset: { line: -1, column: 0 }, map: plain }] }),
      "source_map_malformed",
    ],
    ["sections in sections without an end", JSON.stringify(sectionsOf(9)), "source_map_malformed"],
    ["very deep JSON", "[".repeat(3_000_000), "not_a_source_map"],
    ["more values than memory is for", `{"a":[${"[],".repeat(2_000_000)}[]]}`, "source_map_too_large"],
    [
      "more sources than memory is for",
      JSON.stringify({
        version: 3,
        mappings: "",
        names: [],
        sources: Array.from({ length: 100_001 }, () => ""),
      }),
      "source_map_too_large",
    ],
    ["more bytes than memory is for", " ".repeat(64 * 1024 * 1024 + 1), "source_map_too_large"],
  ])("reports %s with its own code", (_, json, code) => {
    expect(codeOf(readBytes(bytes(json)))).toBe(code)
  })

  it("returns a result for any bytes, and for any values in a map", () => {
    const value = fc.jsonValue({ maxDepth: 3 })
    const map = fc.record(
      {
        version: fc.constantFrom<unknown>(3, "3", 2, null),
        sources: fc.oneof(fc.array(value, { maxLength: 3 }), value),
        sourcesContent: fc.oneof(fc.array(value, { maxLength: 3 }), value),
        names: fc.oneof(fc.array(value, { maxLength: 3 }), value),
        sourceRoot: value,
        ignoreList: value,
        x_facebook_sources: fc.oneof(fc.array(value, { maxLength: 3 }), value),
        mappings: fc.oneof(fc.stringMatching(/^[A-Za-z0-9+/,;]{0,30}$/), value),
        sections: fc.oneof(
          fc.array(fc.record({ offset: fc.record({ line: fc.nat(3), column: value }), map: value }), {
            maxLength: 3,
          }),
          fc.constant(undefined),
        ),
      },
      { requiredKeys: [] },
    )
    const known = ["read", "not_a_source_map", "source_map_malformed"]
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        expect(known).toContain(codeOf(readBytes(bytes)))
      }),
    )
    fc.assert(
      fc.property(map, fc.nat(4), fc.nat(40), (map, line, column) => {
        const result = read(map)
        expect(known).toContain(codeOf(result))
        if (Result.isFailure(result)) return
        const found = result.success.mappings.find(line, column)
        if (found === null) return
        expect(result.success.sources[found.source]).toBeDefined()
        expect(found.line >= 0 && found.column >= 0).toBe(true)
        result.success.functionsOf(found.source)?.find(found.line, found.column)
      }),
      { numRuns: 2_000 },
    )
  })
})
