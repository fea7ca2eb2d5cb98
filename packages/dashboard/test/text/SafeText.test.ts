import { describe, expect, it } from "vitest"
import { cut, isWebAddress, line, links, segments, visible } from "../../src/text/SafeText.js"

describe("visible", () => {
  it("writes control characters as escapes and keeps line breaks and tabs", () => {
    expect(visible("a\u0007b\nc\td\0")).toBe("a\\u{7}b\nc\td\\0")
  })

  it("writes marks of direction as escapes", () => {
    expect(visible("user\u202Egnp.exe")).toBe("user\\u{202e}gnp.exe")
    expect(visible("\u2066a\u2069\u200F")).toBe("\\u{2066}a\\u{2069}\\u{200f}")
  })

  it("writes characters without a width as escapes", () => {
    expect(visible("ad\u200Bmin\uFEFF")).toBe("ad\\u{200b}min\\u{feff}")
    expect(visible("\u{E0041}")).toBe("\\u{e0041}")
  })

  it("keeps the color of emojis", () => {
    expect(visible("❤\uFE0F")).toBe("❤\uFE0F")
  })

  it("removes the colors and links of terminals", () => {
    expect(visible("\u001b[31mred\u001b[0m \u001b[1;4mbold\u001b[22m")).toBe("red bold")
    expect(visible("\u001b]8;;https://a.example\u0007link\u001b]8;;\u0007")).toBe("link")
    expect(visible("\u009b31mred")).toBe("red")
  })

  it("shows an escape character without a sequence", () => {
    expect(visible("a\u001bZ")).toBe("a\\u{1b}Z")
  })

  it("writes lone surrogates as escapes", () => {
    expect(visible("\uD800x")).toBe("\\u{d800}x")
  })

  it("reads the line breaks of every system", () => {
    expect(visible("a\r\nb\rc")).toBe("a\nb\nc")
  })
})

describe("segments", () => {
  it("distinguish an escape from text that looks like one", () => {
    expect(segments("\\u{202e}\u202E")).toEqual([
      { text: "\\u{202e}", isEscape: false },
      { text: "\\u{202e}", isEscape: true },
    ])
  })

  it("are a single one for an ordinary text", () => {
    expect(segments("plain")).toEqual([{ text: "plain", isEscape: false }])
  })
})

describe("line", () => {
  it("joins lines", () => {
    expect(line("a\n   b\n\nc")).toBe("a b c")
  })
})

describe("cut", () => {
  it("cuts long texts and never splits a character", () => {
    expect(cut("abcdef", 4)).toBe("abc…")
    expect(cut("ab😀ef", 4)).toBe("ab…")
    expect(cut("abcd", 4)).toBe("abcd")
  })
})

describe("links", () => {
  it("finds web addresses and leaves the end of the sentence", () => {
    expect(links("see https://a.example/x?y=1, or (http://b.example).")).toEqual([
      { text: "see ", href: null },
      { text: "https://a.example/x?y=1", href: "https://a.example/x?y=1" },
      { text: ", or (", href: null },
      { text: "http://b.example", href: "http://b.example" },
      { text: ").", href: null },
    ])
  })

  it("makes no link of other schemes", () => {
    expect(links("javascript:alert(1) data:text/html,x ftp://a.example")).toEqual([
      { text: "javascript:alert(1) data:text/html,x ftp://a.example", href: null },
    ])
    expect(isWebAddress("javascript://x/%0aalert(1)")).toBe(false)
    expect(isWebAddress("//a.example")).toBe(false)
  })
})
