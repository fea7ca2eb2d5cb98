import { describe, expect, it } from "vitest"
import {
  baseNameOf,
  mapUrlFor,
  namesOf,
  namesOfMapBeside,
  resolveReference,
  webOriginOf,
} from "../src/script/ScriptNames.js"

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
  ])("are in order from the most to the least exact: %s", (path, names) => {
    expect(namesOf(path)).toEqual(names)
  })

  it.each([
    ["https://h/app/%5Bslug%5D/%C3%A9%20a.js", "~/app/[slug]/é a.js"],
    ["app:///%40modal/index.js", "~/@modal/index.js"],
    ["/srv/a%20b.js", "/srv/a b.js"],
  ])("include undecoded names of files: %s", (path, name) => {
    expect(namesOf(path)[0]).toBe(path)
    expect(namesOf(path)).toContain(name)
    expect(namesOfMapBeside(path)).toContain(`${name}.map`)
  })

  it.each(["/srv/100%/app.js", "/srv/%E9.js", "/srv/%00.js"])(
    "are not decoded if the result cannot be stored: %s",
    (path) => {
      expect(namesOf(path)).toEqual([path, `~${path}`])
    },
  )

  it("of its map leave out the query", () => {
    expect(namesOfMapBeside("https://h/a/app.js?v=3")).toEqual(["https://h/a/app.js.map", "~/a/app.js.map"])
  })
})

describe("the URL of a map from a script's reference", () => {
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

  it("is found by the encoded and the decoded name of its file", () => {
    const resolved = resolveReference("maps/é.js.map", "~/a b/é.js")
    expect(resolved).not.toBeNull()
    expect(namesOf(resolved!)).toContain("~/a b/maps/é.js.map")
  })
})

it("a map is on the host that has the script", () => {
  expect(mapUrlFor("~/a/app.js.map", "https://h/a/app.js?v=3")).toBe("https://h/a/app.js.map")
  expect(mapUrlFor("https://cdn/app.js.map", "https://h/a/app.js")).toBe("https://cdn/app.js.map")
  expect(mapUrlFor(null, "https://h/a/app.js")).toBe("https://h/a/app.js")
})

it("only web addresses have an origin to fetch from", () => {
  expect(webOriginOf("https://Shop.example.com/app.js")).toBe("https://shop.example.com")
  expect(webOriginOf("app:///app.js")).toBeNull()
  expect(baseNameOf("https://h/a/app.js?v=/3")).toBe("app.js")
  expect(baseNameOf("https://h/a/%5Bslug%5D.js")).toBe("[slug].js")
})
