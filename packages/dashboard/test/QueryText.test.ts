import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { optionsFor, valuesWanted } from "../src/parts/query/Completion.js"
import { piecesOf, replaced, tokenAt, tokensOf, withFilters, without } from "../src/parts/query/QueryText.js"

const texts = (query: string) => tokensOf(query).map(({ end, start }) => query.slice(start, end))
const colors = (query: string, tagKeys?: ReadonlyArray<string>) =>
  piecesOf(query, tagKeys)
    .filter(({ kind }) => kind !== "space")
    .map(({ kind, text }) => `${kind} ${text}`)

describe("the tokens of a query", () => {
  it("end at a space outside quotes", () => {
    expect(texts('is:unresolved  environment:"my staging" "connection reset" timeout')).toEqual([
      "is:unresolved",
      'environment:"my staging"',
      '"connection reset"',
      "timeout",
    ])
  })

  it("include keys of tags in quotes, and quotes that are not closed", () => {
    expect(texts('tags."a b":c environment:"prod')).toEqual(['tags."a b":c', 'environment:"prod'])
  })

  it("include a key without a value", () => {
    expect(tokensOf("is: x")[0]).toMatchObject({ key: "is", value: "" })
  })

  it("are found from the cursor", () => {
    expect(tokenAt("is:unresolved env", 17)).toMatchObject({ key: null, value: "env" })
    expect(tokenAt("is:unresolved ", 14)).toEqual({ start: 14, end: 14, key: null, value: "" })
  })
})

describe("the colors of a query", () => {
  it("distinguish filters, text and unknown filters", () => {
    expect(colors("is:unresolved enviroment:x timeout")).toEqual([
      "key is:",
      "value unresolved",
      "unknown enviroment:x",
      "text timeout",
    ])
  })

  it("accept keys of the project's tags", () => {
    expect(colors("tenant:acme")).toEqual(["unknown tenant:acme"])
    expect(colors("tenant:acme", ["tenant"])).toEqual(["key tenant:", "value acme"])
  })

  it("leave every text as it is", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'is:"\\! tags.x') }), (query) => {
        expect(
          piecesOf(query)
            .map(({ text }) => text)
            .join(""),
        ).toBe(query)
      }),
    )
  })
})

describe("a completion", () => {
  const options = (query: string, tagKeys: ReadonlyArray<string> = [], values: ReadonlyArray<string> = []) =>
    optionsFor(tokenAt(query, query.length), tagKeys, values).map(({ text }) => text)

  it("offers keys, and keys of tags", () => {
    expect(options("env")).toEqual(["environment:"])
    expect(options("tags.", ["region", "a b", "environment"])).toContain('tags."a b":')
    expect(options("tags.", ["environment"])).not.toContain("tags.environment:")
  })

  it("offers values, in quotes if necessary", () => {
    expect(options("is:unr")).toEqual(["is:unresolved"])
    expect(options("!is:res")).toEqual(["!is:resolved"])
    expect(options("environment:", [], ["production", "my staging"])).toEqual([
      "environment:production",
      'environment:"my staging"',
    ])
  })

  it("queries the server only for values of tags and releases", () => {
    expect(valuesWanted(tokenAt("tags.region:e", 13))).toEqual({ key: "region", prefix: "e" })
    expect(valuesWanted(tokenAt("release:1.4", 11))).toEqual({ key: "release", prefix: "1.4" })
    expect(valuesWanted(tokenAt("is:unresolved", 5))).toBeNull()
  })

  it("replaces its token and puts the cursor after it", () => {
    const query = "is:unr timeout"
    expect(replaced(query, tokenAt(query, 6), "is:unresolved")).toEqual({
      query: "is:unresolved timeout",
      cursor: 14,
    })
    expect(replaced("env", tokenAt("env", 3), "environment:")).toEqual({ query: "environment:", cursor: 12 })
  })
})

describe("a changed query", () => {
  it("loses a token", () => {
    const query = "is:unresolved environment:x timeout"
    expect(without(query, tokensOf(query)[1]!)).toBe("is:unresolved timeout")
  })

  it("has each filter once", () => {
    expect(withFilters("is:unresolved since:24h timeout", { since: "7d", until: null })).toBe(
      "is:unresolved timeout since:7d",
    )
  })
})
