import { describe, expect, it } from "vitest"
import { readDataUrl, referenceOf } from "../../src/sourcemap/MapReference.js"

describe("The reference of a script", () => {
  it.each([
    ["//# sourceMappingURL=a.js.map", "a.js.map"],
    ["//@ sourceMappingURL=a.js.map", "a.js.map"],
    ["x()//# sourceMappingURL=a.js.map?v=1#x  \n\n", "a.js.map?v=1#x"],
    ["/*# sourceMappingURL=a.js.map */", "a.js.map"],
    ["/*# sourceMappingURL=a.js.map*/", "a.js.map"],
    ["//# sourceMappingURL=one.map\r\n//# sourceMappingURL=two.map\r\n", "two.map"],
    ['x="//# sourceMappingURL=no.map"', null],
    ["x=`//# sourceMappingURL=a`", null],
    ["//# sourceMappingURL=", null],
    ["// sourceMappingURL=a.js.map", null],
    ["//# sourceMappingURL=a.js.map and more", null],
    ["", null],
  ])("of %j is %j", (script, reference) => {
    expect(referenceOf({}, script)).toBe(reference)
  })

  it("is of a header before all comments, but of none that is empty", () => {
    const script = "//# sourceMappingURL=c.map"
    expect(referenceOf({ sourcemap: " a.map ", "x-sourcemap": "b.map" }, script)).toBe("a.map")
    expect(referenceOf({ sourcemap: "", "x-sourcemap": "b.map" }, script)).toBe("b.map")
    expect(referenceOf({ sourcemap: "", "x-sourcemap": " " }, script)).toBe("c.map")
  })

  it("is found in no time in what only looks like many", () => {
    expect(referenceOf({}, "//# sourceMappingURL= ".repeat(3000))).toBeNull()
    expect(referenceOf({}, `//# sourceMappingURL=${"x".repeat(60_000)}'`)).toBeNull()
  })
})

describe("A data: address", () => {
  it.each([
    ["data:application/json;base64,eyJ9", '{"}'],
    ["data:application/json;charset=utf-8;base64,e30%3D", "{}"],
    ["data:application/json,%7B%22%C3%A9%22%7D", '{"é"}'],
    ["data:,{}", "{}"],
    ["data:application/json;base64,***", null],
    ["data:,%zz", null],
    ["data:application/json", null],
  ])("%s holds %j", (url, text) => {
    const bytes = readDataUrl(url)
    expect(bytes === null ? null : new TextDecoder().decode(bytes)).toBe(text)
  })
})
