/** Untrusted text cannot break out of its code span or fence. */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { block, cut, inline, visible } from "../../src/markdown/Text.js"

/** Texts with Markdown delimiters and arbitrary characters. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "`",
        "```",
        "````````````````````",
        "\n",
        "\r",
        "\r\n",
        "~~~",
        "# ",
        "> ",
        "- ",
        "<b>",
        "](",
      ),
      fc.constantFrom(
        "\u202e",
        "\u2066",
        "\u200b",
        "\ufeff",
        "\u0000",
        "\u001b[31m",
        "\u{e0041}",
        "\u2028",
        "\ud800",
      ),
      fc.string({ unit: "binary", maxLength: 20 }),
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(""))

const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

/** The invisible characters of a text, except those that `visible` keeps. */
const unseenIn = (text: string): ReadonlyArray<string> =>
  (text.match(unseen) ?? []).filter((character) => !["\n", "\t", "\ufe0f"].includes(character))

describe("A block", () => {
  it("is closed only by its own fence", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const lines = block(text, 5_000).split("\n")
        const fence = /^`+/.exec(lines[0]!)![0]
        // CommonMark: a line of at least as many backticks, indented by up to three spaces, closes a fence.
        const closing = lines.flatMap((line, i) =>
          new RegExp(`^ {0,3}${fence}\`*[ \\t]*$`).test(line) ? [i] : [],
        )
        expect(closing).toEqual([lines.length - 1])
        expect(unseenIn(lines.join("\n"))).toEqual([])
      }),
      { numRuns: 500 },
    )
  })

  it("limits its length and the length of its lines", () => {
    const megabyte = "x".repeat(1024 * 1024)
    const shown = block(`first\n${megabyte}\n${megabyte}`, 3_000, 100)
    expect(shown.length).toBeLessThanOrEqual(3_000 + 2 * 20)
    expect(Math.max(...shown.split("\n").map((line) => line.length))).toBe(100)
    expect(block("`".repeat(100_000), 1_000).length).toBeLessThan(200)
  })
})

describe("A code span", () => {
  it("is one line, closed only by its own delimiter", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const span = inline(text, 1_000)
        expect(span).not.toContain("\n")
        expect(unseenIn(span)).toEqual([])
        if (span === "") return
        const delimiter = /^`+/.exec(span)![0]
        const runs = span.match(/`+/g)!
        // CommonMark: the first run of exactly as many backticks closes a span.
        expect(runs.flatMap((run, i) => (run === delimiter ? [i] : []))).toEqual([0, runs.length - 1])
        expect(span.endsWith(delimiter)).toBe(true)
      }),
      { numRuns: 500 },
    )
  })

  it("is empty for blank text", () => {
    expect([inline("", 10), inline(" \n ", 10), inline("a", 10)]).toEqual(["", "", "`a`"])
  })
})

describe("Texts", () => {
  it("are cut without splitting surrogate pairs", () => {
    expect(cut("ab🐛cd", 4)).toBe("ab…")
    expect(cut("ab🐛cd", 5)).toBe("ab🐛…")
    expect(cut("abc", 3)).toBe("abc")
  })

  it("escape invisible characters", () => {
    expect(visible("a\u202eb\u0000\tc\r\nd")).toBe("a\\u{202e}b\\u{0}\tc\nd")
    expect(visible("❤️ 🐛 é 昨日")).toBe("❤️ 🐛 é 昨日")
    expect(visible("`".repeat(40))).toBe("`\\u{60}{39}")
  })
})
