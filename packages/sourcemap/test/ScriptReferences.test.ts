import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { referencesOf } from "../src/ScriptReferences.js"

const bytes = (text: string) => new TextEncoder().encode(text)
const urlOf = (text: string) => referencesOf(bytes(text)).sourceMappingUrl
const id = "85314830-023f-4cf1-a267-535f4e37bb17"

describe("referencesOf", () => {
  it.each([
    ["a()\n//# sourceMappingURL=app.js.map", "app.js.map"],
    ["a()\n//# sourceMappingURL=app.js.map\r\n", "app.js.map"],
    ["a();//@ sourceMappingURL=app.js.map", "app.js.map"],
    ["a()\n//#sourceMappingURL=app.js.map\n", "app.js.map"],
    ["a()\n/*# sourceMappingURL=app.js.map*/", "app.js.map"],
    ["//# sourceMappingURL=first.map\n//# sourceMappingURL=last.map\nb()", "last.map"],
    ["//# sourceMappingURL=../maps/app.js.map?v=3#top", "../maps/app.js.map"],
    ["//# sourceMappingURL=data:application/json;base64,e30=", "data:application/json;base64,e30="],
    [
      "//# sourceMappingURL=data:application/json,%7B%22a%22:1%7D?#",
      "data:application/json,%7B%22a%22:1%7D?#",
    ],
    // Code that writes such comments.
    [`//# sourceMappingURL=app.js.map\nb("//# sourceMappingURL=other.map")`, "app.js.map"],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: what is searched has a template.
    ["//# sourceMappingURL=app.js.map\nb(`//# sourceMappingURL=${c}`)", "app.js.map"],
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
    [`//# debugId=${id}0`, null],
  ])("%s", (script, debugId) => {
    expect(referencesOf(bytes(script)).debugId).toBe(debugId)
  })

  it("looks at everything once, whatever there is", () => {
    const long = bytes("//#sourceMappingURL=".repeat(500_000))
    expect(referencesOf(long)).toEqual({ sourceMappingUrl: "//", debugId: null })
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (script) => {
        expect(referencesOf(script).debugId).toBeNull()
      }),
    )
  })
})
