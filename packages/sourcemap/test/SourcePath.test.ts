import { describe, expect, it } from "vitest"
import { pathOf } from "../src/FramePath.js"
import { cleanPath, isOwnCode, resolveSource } from "../src/SourcePath.js"

describe("cleanPath", () => {
  it.each([
    ["../../src/cart.ts", "src/cart.ts", true],
    ["webpack://web/./src/cart.ts?a1b2", "src/cart.ts", true],
    ["webpack:///./src/cart.ts", "src/cart.ts", true],
    ["webpack-internal:///(app-pages-browser)/./src/cart.tsx", "src/cart.tsx", true],
    ["webpack://apps/./src/till.js", "src/till.js", true],
    ["apps/./src/till.js", "src/till.js", true],
    ["webpack:/src/till.js", "src/till.js", true],
    ["webpack:/./src/till.js", "src/till.js", true],
    ["webpack:/apps/./src/till.js", "src/till.js", true],
    ["webpack://apps/./src/../lib/./till.js?ab", "lib/till.js", true],
    ["apps/web/../shared/./till.js", "apps/shared/till.js", true],
    ["../apps/../../src/till.js", "src/till.js", true],
    ["./node_modules/./react/index.js", "node_modules/react/index.js", false],
    ["file:/home/ci/src/../cart.ts", "/home/ci/cart.ts", true],
    ["https://example.com/../src/./cart.ts", "https://example.com/src/cart.ts", true],
    ["turbopack:///[project]/src/cart.ts", "src/cart.ts", true],
    ["file:///home/ci/src/cart.ts", "/home/ci/src/cart.ts", true],
    ["src/Cart.vue?vue&type=script&lang.ts", "src/Cart.vue", true],
    ["..\\src\\cart.ts", "src/cart.ts", true],
    ["https://example.com/src/cart.ts", "https://example.com/src/cart.ts", true],
    ["../node_modules/react/index.js", "node_modules/react/index.js", false],
    ["webpack:///./~/react/index.js", "~/react/index.js", false],
    ["webpack://web/webpack/bootstrap", "webpack/bootstrap", false],
    ["webpack:///(webpack)/buildin/module.js", "(webpack)/buildin/module.js", false],
    ['webpack://web/external "react"', 'external "react"', false],
    ["../../vite/preload-helper.js", "vite/preload-helper.js", false],
    ["\0commonjsHelpers.js", "\0commonjsHelpers.js", false],
    ["src/my_node_modules/a.ts", "src/my_node_modules/a.ts", true],
  ])("%j is %j", (source, path, isOwn) => {
    expect(cleanPath(source)).toBe(path)
    expect(isOwnCode(path)).toBe(isOwn)
  })
})

describe("resolveSource", () => {
  it.each([
    ["../src/a.ts", "https://h.example/assets/app.js.map?v=3", "https://h.example/src/a.ts"],
    ["../../../src/a.ts", "https://h.example/assets/app.js.map", "https://h.example/src/a.ts"],
    ["./a b.ts", "https://h.example/app.js.map", "https://h.example/a b.ts"],
    ["/src/a.ts", "https://h.example/assets/app.js.map", "https://h.example/src/a.ts"],
    ["//cdn.example/a.ts", "https://h.example/assets/app.js.map", "https://cdn.example/a.ts"],
    ["../src/a.ts", "~/assets/app.js.map", "~/src/a.ts"],
    ["/lib/../src/./a.ts", "https://h.example/assets/app.js.map", "https://h.example/src/a.ts"],
    ["/src/a.ts", "~/assets/app.js.map", "/src/a.ts"],
    ["src/a.ts", "app:///main.jsbundle.map", "app:///src/a.ts"],
    ["../src/a.ts", "/srv/dist/app.js.map", "/srv/src/a.ts"],
    ["webpack://web/./src/b/../a.ts", "https://h.example/app.js.map", "webpack://web/src/a.ts"],
    ["C:\\work\\a.ts", "https://h.example/app.js.map", "C:/work/a.ts"],
    ["src/a.ts", "", "src/a.ts"],
  ])("%s of %s is %s", (source, mapUrl, address) => {
    expect(resolveSource(source, mapUrl)).toBe(address)
  })
})

describe("pathOf", () => {
  const at = (filename: string) => pathOf({ filename, lineno: 1, colno: 5 })

  it.each([
    "https://h.example/assets/app.js?v=3",
    "app:///index.android.bundle",
    "/srv/dist/app.mjs",
    "http://localhost:3000/_next/static/chunks/app/page",
  ])("%s", (path) => {
    expect(at(path)).toBe(path)
  })

  it("prefers the absolute path, and removes the prefix of old clients", () => {
    expect(pathOf({ filename: "app.js", abs_path: "https://h.example/app.js", lineno: 1, colno: 1 })).toBe(
      "https://h.example/app.js",
    )
    expect(at("async https://h.example/app.js")).toBe("https://h.example/app.js")
  })

  it.each([
    "",
    "<anonymous>",
    "[native code]",
    "native",
    "node:internal/process/task_queues",
    "blob:https://h.example/6b3c",
    "data:text/javascript,a()",
    "chrome-extension://abcdef/content.js",
    "safari-web-extension://abcdef/content.js",
    "https://h.example/",
    "https://h.example",
    "https://h.example/cart/?a=b",
    "https://h.example/index.html?a=b#c",
    "eval at a (https://h.example/app.js:1:1)",
  ])("%j has no map", (path) => {
    expect(at(path)).toBeNull()
  })

  it("needs a line and a column", () => {
    const filename = "https://h.example/app.js"
    expect(pathOf({ filename, lineno: 3 })).toBeNull()
    expect(pathOf({ filename, lineno: 0, colno: 3 })).toBeNull()
    expect(pathOf({ filename, colno: 3 })).toBeNull()
    expect(pathOf({ lineno: 3, colno: 3 })).toBeNull()
  })
})
