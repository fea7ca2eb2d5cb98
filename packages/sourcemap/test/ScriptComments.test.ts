import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { commentsOf } from "../src/script/ScriptComments.js"

const bytes = (text: string) => new TextEncoder().encode(text)
const urlOf = (text: string) => commentsOf(bytes(text)).sourceMappingUrl
const id = "85314830-023f-4cf1-a267-535f4e37bb17"

describe("commentsOf", () => {
  it.each([
    ["a()\n//# sourceMappingURL=app.js.map", "app.js.map"],
    ["a()\n//# sourceMappingURL=app.js.map\r\n", "app.js.map"],
    ["a();//@ sourceMappingURL=app.js.map", "app.js.map"],
    ["a()\n//#sourceMappingURL=app.js.map\n", "app.js.map"],
    ["a()\n/*# sourceMappingURL=app.js.map*/", "app.js.map"],
    ["//# sourceMappingURL=first.map\n//# sourceMappingURL=last.map\nb()", "last.map"],
    ["//# sourceMappingURL=one.map\r\n//# sourceMappingURL=two.map\r\n", "two.map"],
    ["//# sourceMappingURL=../maps/app.js.map?v=3#top  \n\n", "../maps/app.js.map?v=3#top"],
    ["a() /*# sourceMappingURL=app.js.map */ ", "app.js.map"],
    ["/*# sourceMappingURL=app.js.map\n*/", "app.js.map"],
    ["//# sourceMappingURL= \tapp.js.map", "app.js.map"],
    ["//# sourceMappingURL=data:application/json;base64,e30=", "data:application/json;base64,e30="],
    [
      "//# sourceMappingURL=data:application/json,%7B%22a%22:1%7D?#",
      "data:application/json,%7B%22a%22:1%7D?#",
    ],
    // Code that writes such comments.
    [`//# sourceMappingURL=app.js.map\nb("//# sourceMappingURL=other.map")`, "app.js.map"],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: what is searched has a template.
    ["//# sourceMappingURL=app.js.map\nb(`//# sourceMappingURL=${c}`)", "app.js.map"],
    // A style sheet in a string.
    [`//# sourceMappingURL=app.js.map\nb("a{}/*# sourceMappingURL=app.css.map */")`, "app.js.map"],
    ["//# sourceMappingURL=app.js.map and more", null],
    ["/*# sourceMappingURL=app.js.map */ and more", null],
    ["//# sourceMappingURL=\n", null],
    ["// sourceMappingURL=app.js.map", null],
    ["sourceMappingURL=app.js.map", null],
    [`//# sourceMappingURL=${"a".repeat(5000)}`, null],
    ["", null],
  ])("%s", (script, url) => {
    expect(urlOf(script)).toBe(url)
  })

  it.each([
    [`//# debugId=${id}\n//# sourceMappingURL=app.js.map`, id],
    [`//# sourceMappingURL=app.js.map\n//# debugId=${id.toUpperCase()}`, id],
    [`//# debugId=${id.replaceAll("-", "")}`, id],
    ["//# debugId=none", null],
    [`//# debugId=${id}x`, null],
    [`//# debugId=${id} and more`, null],
  ])("%s", (script, debugId) => {
    expect(commentsOf(bytes(script)).debugId).toBe(debugId)
  })

  it("checks the last thousand occurrences of the name", () => {
    const name = "sourceMappingURL=\n"
    expect(urlOf(`//# sourceMappingURL=a.map\n${name.repeat(999)}`)).toBe("a.map")
    expect(urlOf(`//# sourceMappingURL=a.map\n${name.repeat(1_000)}`)).toBeNull()
  })

  it("scans any input once", () => {
    const nothing = { sourceMappingUrl: null, debugId: null }
    for (const part of ["//#sourceMappingURL=", "//# sourceMappingURL= ", "//#\t\tdebugId=\t\t"]) {
      expect(commentsOf(bytes(part.repeat(500_000)))).toEqual(nothing)
      expect(commentsOf(bytes(`${part.repeat(500_000)}'`))).toEqual(nothing)
    }
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (script) => {
        expect(commentsOf(script).debugId).toBeNull()
      }),
    )
  })
})
