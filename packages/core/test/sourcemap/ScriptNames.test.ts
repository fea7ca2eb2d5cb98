import { describe, expect, it } from "vitest"
import {
  baseNameOf,
  mapUrlFor,
  namesOf,
  namesOfMapBeside,
  resolveReference,
  webOriginOf,
} from "../../src/sourcemap/ScriptNames.js"

describe("the names of a script", () => {
  it.each([
    [
      "https://h/assets/app.js?v=3#top",
      ["https://h/assets/app.js?v=3", "https://h/assets/app.js", "~/assets/app.js?v=3", "~/assets/app.js"],
    ],
    ["https://h/app.js", ["https://h/app.js", "~/app.js"]],
    ["app:///index.android.bundle", ["app:///index.android.bundle", "~/index.android.bundle"]],
    ["/srv/app/main.js", ["/srv/app/main.js", "~/srv/app/main.js"]],
    ["main.js", ["main.js"]],
  ])("go from the most to the least exact: %s", (path, names) => {
    expect(namesOf(path)).toEqual(names)
  })

  it("of its map leave out the query", () => {
    expect(namesOfMapBeside("https://h/a/app.js?v=3")).toEqual(["https://h/a/app.js.map", "~/a/app.js.map"])
  })
})

describe("where a script says that its map is", () => {
  it.each([
    ["app.js.map", "~/assets/app.js", "~/assets/app.js.map"],
    ["../maps/app.js.map?x=1", "~/assets/app.js", "~/maps/app.js.map"],
    ["../../../app.js.map", "~/assets/app.js", "~/app.js.map"],
    ["https://cdn/m/app.js.map", "~/assets/app.js", "https://cdn/m/app.js.map"],
    ["/m/app.js.map", "https://h/a/app.js", "https://h/m/app.js.map"],
    ["./app.js.map", "dist/app.js", "dist/app.js.map"],
    ["//[", "~/app.js", null],
  ])("%s beside %s", (reference, url, resolved) => {
    expect(resolveReference(reference, url)).toBe(resolved)
  })
})

it("a map is on the host that has the script", () => {
  expect(mapUrlFor("~/a/app.js.map", "https://h/a/app.js?v=3")).toBe("https://h/a/app.js.map")
  expect(mapUrlFor("https://cdn/app.js.map", "https://h/a/app.js")).toBe("https://cdn/app.js.map")
  expect(mapUrlFor(null, "https://h/a/app.js")).toBe("https://h/a/app.js")
})

it("only web servers have an origin to be asked", () => {
  expect(webOriginOf("https://Shop.example.com/app.js")).toBe("https://shop.example.com")
  expect(webOriginOf("app:///app.js")).toBeNull()
  expect(baseNameOf("https://h/a/app.js?v=/3")).toBe("app.js")
})
