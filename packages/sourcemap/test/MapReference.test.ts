import { describe, expect, it } from "vitest"
import { readDataUrl, referenceOf } from "../src/script/MapReference.js"

const bytes = (text: string) => new TextEncoder().encode(text)

describe("The reference of a script", () => {
  it("is taken from a header before comments, unless the header is empty", () => {
    const script = bytes("//# sourceMappingURL=c.map?v=1#top")
    expect(referenceOf({ sourcemap: " a.map ", "x-sourcemap": "b.map" }, script)).toBe("a.map")
    expect(referenceOf({ sourcemap: "", "x-sourcemap": "b.map" }, script)).toBe("b.map")
    expect(referenceOf({ sourcemap: "", "x-sourcemap": " " }, script)).toBe("c.map?v=1#top")
    expect(referenceOf({}, bytes("a()"))).toBeNull()
  })
})

describe("A data: address", () => {
  it.each([
    ["data:application/json;base64,eyJ9", '{"}'],
    ["data:application/json;charset=utf-8;base64,e30%3D", "{}"],
    ["data:application/json,%7B%22%C3%A9%22%7D", '{"é"}'],
    ["data:,{}", "{}"],
    ["data:application/json;charset=utf-8;base64,e30", "{}"],
    ["data:application/json;base64,***", null],
    ["data:,%zz", null],
    ["data:application/json", null],
    ["https://h.example/app.js.map,", null],
  ])("%s holds %j", (url, text) => {
    const bytes = readDataUrl(url)
    expect(bytes === null ? null : new TextDecoder().decode(bytes)).toBe(text)
  })
})
