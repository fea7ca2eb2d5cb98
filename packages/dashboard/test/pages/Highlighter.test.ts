import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { highlight } from "../../src/pages/group/stack/Highlighter.js"
import { type Language, languageOf } from "../../src/pages/group/stack/Language.js"

const languages: ReadonlyArray<Language> = [
  "csharp",
  "go",
  "java",
  "kotlin",
  "php",
  "python",
  "ruby",
  "rust",
  "typescript",
]

const colorsIn = async (language: Language, source: string) =>
  (await highlight(language, source)).map((line) => line.map(({ color, text }) => [text, color]))

describe("highlight", () => {
  it("colors keywords, strings, values and comments", async () => {
    expect(await colorsIn("python", 'if total > 3:\n  fail("x") # why')).toEqual([
      [
        ["if", "code-keyword"],
        [" total > ", undefined],
        ["3", "code-value"],
        [":", undefined],
      ],
      [
        ["  fail(", undefined],
        ['"x"', "code-string"],
        [") ", undefined],
        ["# why", "code-comment"],
      ],
    ])
  })

  it("continues a comment in the next line, and leaves a value inside a string plain", async () => {
    expect(await colorsIn("ruby", '=begin\nwhy\n=end\n"a#{name}"')).toEqual([
      [["=begin", "code-comment"]],
      [["why", "code-comment"]],
      [["=end", "code-comment"]],
      [
        ['"a', "code-string"],
        ["#{name}", "code-plain"],
        ['"', "code-string"],
      ],
    ])
  })

  it.each(languages)("changes no character of %s", async (language) => {
    const line = fc.string({
      unit: fc.constantFrom(..."ab 1\"'`/*#{}()<>$?=\\;", "if", "<?php"),
      maxLength: 60,
    })
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 8 }), async (lines) => {
        const pieces = await highlight(language, lines.join("\n"))
        expect(pieces.map((line) => line.map(({ text }) => text).join(""))).toEqual(lines)
      }),
      { numRuns: 50 },
    )
  })
})

describe("languageOf", () => {
  it.each([
    [{ filename: "src/cart.ts" }, "typescript"],
    [{ filename: "app:///main.JS?v=3" }, "typescript"],
    [{ abs_path: "/srv/app/models.py" }, "python"],
    [{ filename: "a.constructor" }, null],
    [{ filename: "<anonymous>" }, null],
    [{}, null],
  ])("finds the language of %o", (frame, language) => {
    expect(languageOf(frame)).toBe(language)
  })
})
