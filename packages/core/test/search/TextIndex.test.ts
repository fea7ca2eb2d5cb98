import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { parse } from "../../src/search/SearchQuery.js"
import {
  documentOf,
  lexemes,
  matches,
  maxLexemeLength,
  maxPositions,
  maxSymbols,
  type TextTerm,
  toTsQuery,
  toTsVector,
  words,
} from "../../src/search/TextIndex.js"
import { expectLinear } from "../support/linear.js"

describe("words", () => {
  it.each([
    ["Connection reset by peer", ["connection", "reset", "by", "peer"]],
    ["java.lang.NullPointerException", ["java", "lang", "nullpointerexception"]],
    ["snake_case kebab-case", ["snake", "case", "kebab", "case"]],
    ["/users/123?x=1", ["users", "123", "x", "1"]],
    ["ÄRGER Große ΑΣ", ["ärger", "große", "ας"]],
    ["e\u0301te\u0301", ["été"]],
    ["数据库 error", ["数", "据", "库", "error"]],
    ["ошибка сети", ["ошибка", "сети"]],
    ["日本語のエラーx", ["日", "本", "語", "の", "エ", "ラ", "ー", "x"]],
    ["'\\ \" -- !", []],
  ])("of %j", (text, expected) => {
    expect(words(text)).toEqual(expected)
  })

  it("cuts long words without splitting a character", () => {
    expect(words("a".repeat(1000))).toEqual(["a".repeat(maxLexemeLength)])
    expect(words(`${"a".repeat(maxLexemeLength - 1)}𝒳𝒳`)).toEqual(["a".repeat(maxLexemeLength - 1)])
  })
})

describe("lexemes", () => {
  it("indexes the ends of compound words too", () => {
    expect(lexemes("a NullPointerException HTTPError utf8Decoder B")).toEqual([
      { lexeme: "a", position: 1 },
      { lexeme: "nullpointerexception", position: 2 },
      { lexeme: "pointerexception", position: 2 },
      { lexeme: "exception", position: 2 },
      { lexeme: "httperror", position: 3 },
      { lexeme: "error", position: 3 },
      { lexeme: "utf8decoder", position: 4 },
      { lexeme: "decoder", position: 4 },
      { lexeme: "b", position: 5 },
    ])
  })

  it("is bounded in positions and in parts of a word", () => {
    expect(lexemes("a ".repeat(10_000))).toHaveLength(maxPositions)
    expect(lexemes("Aa".repeat(10_000)).length).toBeLessThanOrEqual(9)
  })

  it("takes hostile texts in linear time", () => {
    expectLinear(32_768, (size) => {
      for (const unit of ["a", "A", "aA", "A1", "%", "% ", "\u0301", "e\u0301", "数", "_", "𝒳"])
        documentOf("", unit.repeat(size), "")
    })
  })
})

describe("documentOf", () => {
  it("leaves a gap between type, culprit and message", () => {
    expect(documentOf("TypeError", "bad value", "app/main in run")).toEqual([
      { lexeme: "typeerror", position: 1 },
      { lexeme: "error", position: 1 },
      { lexeme: "app", position: 3 },
      { lexeme: "main", position: 4 },
      { lexeme: "in", position: 5 },
      { lexeme: "run", position: 6 },
      { lexeme: "bad", position: 8 },
      { lexeme: "value", position: 9 },
      { lexeme: "/", position: 0 },
    ])
  })

  it("indexes the ends of each run of symbols once, up to a limit", () => {
    const symbolsOf = (text: string) =>
      documentOf("", text, "")
        .filter(({ position }) => position === 0)
        .map(({ lexeme }) => lexeme)
    expect(symbolsOf("a => b[=>] 100%%")).toEqual(["=>", ">", "[=>]", "=>]", ">]", "]", "%%", "%"])
    expect(symbolsOf("-".repeat(10_000))[0]).toBe("-".repeat(maxLexemeLength))
    const runs = Array.from({ length: 1000 }, (_, i) =>
      String.fromCodePoint(0x2200 + (i % 200), 0x2600 + (i % 99)),
    )
    expect(symbolsOf(runs.join(" "))).toHaveLength(maxSymbols)
  })

  it("reserves space for each part, however long the others are", () => {
    const long = "word ".repeat(5000)
    const document = documentOf(`first ${long}`, `third ${long}`, `second ${long}`)
    expect(Math.max(...document.map(({ position }) => position))).toBeLessThanOrEqual(maxPositions)
    for (const word of ["first", "second", "third"]) {
      expect(matches(document, [{ words: [word], phrase: true }])).toBe(true)
    }
  })
})

describe("matches", () => {
  const document = documentOf(
    "java.lang.NullPointerException",
    "Cannot read /users/123 of ConnectionPool: reset by peer 🦆🦆 => 100%%",
    "com.acme.Billing in chargeCard",
  )

  it.each([
    ["", true],
    ["cannot", true],
    ["CANN", true],
    ["annot", false],
    ["nullpointer", true],
    ["pointerexception", true],
    ["exception", true],
    ["except", true],
    ["NullPointerException", true],
    ["java.lang.Null", true],
    ["java.Null", false],
    ["/users/12", true],
    ['"users 12"', false],
    ['"users 123"', true],
    ['"reset by peer"', true],
    ['"reset peer"', false],
    ['"by reset"', false],
    ['"peer"', true],
    ['"pee"', false],
    ["card billing", true],
    ["billing missing", false],
    ['"exception com"', false],
    ['"chargecard cannot"', false],
    ['"pool reset"', true],
    ["%%", true],
    ['"%"', true],
    ["%%%", false],
    ["🦆", true],
    ["🦚", false],
    ["=> cannot", true],
    [">=", false],
    ['"=> %"', true],
    ['"reset => by"', true],
  ])("%j: %s", (query, expected) => {
    expect(matches(document, parse(query).text)).toBe(expected)
  })

  it("agrees with a simple model", () => {
    const vocabulary = fc.constantFrom("a", "ab", "abc", "b", "AbC", "abAb", "c1")
    const text = fc.array(vocabulary, { maxLength: 8 }).map((parts) => parts.join(" "))
    const term: fc.Arbitrary<TextTerm> = fc.record({
      words: fc.array(vocabulary, { minLength: 1, maxLength: 3 }).map((parts) => words(parts.join(" "))),
      phrase: fc.boolean(),
    })
    // The model writes each word as itself or one of its ends, and looks for the term as a string.
    const variants = (run: string): ReadonlyArray<string> =>
      run === "AbC" ? ["abc", "c"] : run === "abAb" ? ["abab", "ab"] : [run.toLowerCase()]
    const spellings = (runs: ReadonlyArray<string>): ReadonlyArray<string> =>
      runs.reduce<ReadonlyArray<string>>(
        (lines, run) => lines.flatMap((line) => variants(run).map((variant) => `${line}${variant} `)),
        [" "],
      )
    fc.assert(
      fc.property(text, fc.array(term, { maxLength: 3 }), (text, terms) => {
        const lines = spellings(text.split(" ").filter((run) => run !== ""))
        const expected = terms.every(({ phrase, words }) => {
          const sought = ` ${words.join(" ")}${phrase ? " " : ""}`
          return lines.some((line) => line.includes(sought))
        })
        expect(matches(lexemes(text), terms)).toBe(expected)
      }),
      { numRuns: 3000 },
    )
  })

  it("finds every text by its own words", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 200 }), (text) => {
        const found = words(text)
        expect(matches(lexemes(text), [{ words: found, phrase: true }])).toBe(true)
        expect(matches(lexemes(text), [{ words: found, phrase: false }])).toBe(true)
        for (const word of found) expect(matches(lexemes(text), [{ words: [word], phrase: true }])).toBe(true)
      }),
    )
  })
})

describe("PostgreSQL's text forms", () => {
  it("write a document as a tsvector", () => {
    expect(toTsVector(lexemes("a BaseError a error"))).toBe("'a':1,3 'baseerror':2 'error':2,4")
    expect(toTsVector([{ lexeme: "it's \\", position: 7 }])).toBe("'it''s \\\\':7")
    expect(toTsVector(documentOf("", "a%' b", ""))).toBe("'a':3 'b':4 '%''' ''''")
    expect(toTsVector([])).toBe("")
  })

  it("write terms as a tsquery", () => {
    expect(toTsQuery(parse('reset "by peer" java.lang "x"').text)).toBe(
      "'reset':* & 'by' <-> 'peer' & 'java' <-> 'lang':* & 'x'",
    )
    expect(toTsQuery([{ words: ["o'b\\"], phrase: true }])).toBe("'o''b\\\\'")
    expect(toTsQuery([])).toBe("")
    expect(toTsQuery([{ words: [], phrase: true }])).toBe("")
  })
})
