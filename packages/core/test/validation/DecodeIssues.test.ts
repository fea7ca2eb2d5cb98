import { Result, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { DecodeIssues } from "../../src/internal.js"

const schema = Schema.Struct({
  name: Schema.String,
  ids: Schema.optionalKey(Schema.Array(Schema.Number)),
  state: Schema.optional(Schema.NullOr(Schema.Literals(["open", "archived"]))),
})

const issuesOf = (value: unknown) =>
  Result.match(Schema.decodeUnknownResult(schema, DecodeIssues.parseOptions)(value), {
    onFailure: ({ issue }) => DecodeIssues.of(issue),
    onSuccess: () => [],
  })

describe("DecodeIssues.of", () => {
  it("includes the schema's messages for small values", () => {
    expect(issuesOf({ name: 1, ids: [1, "two"] })).toEqual([
      { path: ["name"], message: "Expected string, got 1" },
      { path: ["ids", 1], message: 'Expected number, got "two"' },
    ])
    expect(issuesOf({})).toEqual([{ path: ["name"], message: "is missing" }])
  })

  it("cuts values, keys and messages", () => {
    const deep: unknown = JSON.parse(`${"[".repeat(1000)}${"]".repeat(1000)}`)
    const wide = Array.from({ length: 10_000 }, () => [])
    const named = Object.fromEntries(wide.map((_, i) => ["k".repeat(200) + i, "v".repeat(1000)]))
    for (const name of [deep, wide, named, [[named, named, named], named]]) {
      for (const state of [name, "s".repeat(100_000)]) {
        const issues = issuesOf({ name, state })
        expect(issues[0]?.path).toEqual(["name"])
        for (const { message } of issues) expect(message.length).toBeLessThan(310)
      }
    }
    expect(issuesOf({ name: wide })).toEqual([
      { path: ["name"], message: 'Expected string, got [[],[],[],"…"]' },
    ])
  })

  it("reads only a few properties of a large value", () => {
    let looks = 0
    const name = Object.defineProperties(
      {},
      Object.fromEntries(
        Array.from({ length: 100 }, (_, i) => [`k${i}`, { enumerable: true, get: () => ++looks }]),
      ),
    )
    issuesOf({ name, ids: Array(100).fill(name) })
    expect(looks).toBeLessThan(200)
  })

  it("reports at most 50 issues", () => {
    const issues = issuesOf({ name: 1, ids: Array(10_000).fill("x") })
    expect(issues.length).toBeGreaterThan(20)
    expect(issues.length).toBeLessThanOrEqual(50)
  })
})
