import { describe, expect, it } from "vitest"
import { printable, shorten, startTable, table, textWidth } from "../../src/Table.js"

describe("a table", () => {
  it("has columns as wide as their longest cells, without trailing spaces", () => {
    expect(
      table(
        ["ID", "NAME"],
        [
          ["1", "a"],
          ["100", "bc"],
        ],
      ),
    ).toBe("ID   NAME\n1    a\n100  bc")
  })

  it("aligns numbers to the right", () => {
    expect(
      table(
        [{ title: "ID", align: "right" }, "NAME"],
        [
          ["1", "a"],
          ["100", "b"],
        ],
      ),
    ).toBe(" ID  NAME\n  1  a\n100  b")
  })

  it("counts terminal columns: wide scripts, emoji and combining accents", () => {
    expect(["茶", "👩‍💻", "e\u0301", "한글", "ab", "\u200b", "❤️", "→"].map(textWidth)).toEqual([
      2, 2, 1, 4, 2, 0, 2, 1,
    ])
    expect(
      table(
        ["A", "B"],
        [
          ["茶", "x"],
          ["abc", "y"],
        ],
      ),
    ).toBe("A    B\n茶   x\nabc  y")
  })

  it("fits a terminal by cutting flexible columns, the widest first", () => {
    const columns = [
      { title: "ID" },
      { title: "ERROR", flexible: true },
      { title: "CULPRIT", flexible: true },
      { title: "REPORTS" },
    ]
    const row = ["12", "TypeError: Cannot read properties of undefined", "shop.js in pay", "3"]
    const lines = table(columns, [row], 60).split("\n")
    expect(lines[1]).toBe("12  TypeError: Cannot read propert…  shop.js in pay  3")
    expect(lines.every((line) => textWidth(line) <= 60)).toBe(true)
    // Too narrow for all columns, so whole lines are cut.
    expect(
      table(columns, [row], 20)
        .split("\n")
        .every((line) => textWidth(line) <= 20),
    ).toBe(true)
    // Nothing is cut if the output is no terminal.
    expect(table(columns, [row])).toContain(row[1])
  })

  it("omits other columns before the main column falls below half its width", () => {
    const columns = [
      { title: "ID" },
      { title: "KIND", omit: 2 },
      { title: "ERROR", flexible: true, main: true },
      { title: "CULPRIT", flexible: true, least: 20, omit: 1 },
    ]
    const row = [
      "12",
      "warning",
      "TypeError: Cannot read properties of undefined",
      "src/checkout/cart.ts in total",
    ]
    const at = (width: number) => table(columns, [row], width).split("\n")[1]
    expect([at(90), at(55), at(30)]).toMatchInlineSnapshot(`
      [
        "12  warning  TypeError: Cannot read properties of undefined  src/checkout/cart.ts in total",
        "12  warning  TypeError: Cannot read properties of unde…",
        "12  warning  TypeError: Canno…",
      ]
    `)
    expect(at(20)).toBe("12  TypeError: Cann…")
    // Later rows stay aligned with the head that is already printed.
    const print = startTable(columns, 90)
    expect(print([["1", "error", "short", "a"]])[0]).toContain("CULPRIT")
    expect(print([row])[0]).toMatch(/^12 {2}warning {2}TypeError.* {2}src/)
  })

  it("prints whole cells if the output has no width", () => {
    const columns = [{ title: "ERROR", flexible: true }]
    const long = "e".repeat(300)
    expect(table(columns, [[long]], 0)).toBe(`ERROR\n${long}`)
    expect(table(columns, [[long]], null)).toBe(`ERROR\n${long}`)
  })

  it("cuts between grapheme clusters", () => {
    expect(shorten("茶茶茶", 4)).toBe("茶…")
    expect(shorten("👩‍💻👩‍💻", 3)).toBe("👩‍💻…")
    expect(shorten("abc", 3)).toBe("abc")
  })

  it("keeps its columns when rows are added, with one header", () => {
    const lines = startTable([{ title: "ID" }, { title: "NAME" }], null)
    expect(lines([["1", "a"]])).toEqual(["ID  NAME", "1   a"])
    expect(lines([["100", "b"]])).toEqual(["100  b"])
    expect(lines([["2", "c"]])).toEqual(["2    c"])
  })

  it("replaces control characters and direction marks", () => {
    expect(printable("\u001b[31mred\u0007\u202egpj.exe\n")).toBe("�[31mred��gpj.exe�")
    expect(table(["A"], [["\u001b]0;x"]])).toBe("A\n�]0;x")
  })
})
