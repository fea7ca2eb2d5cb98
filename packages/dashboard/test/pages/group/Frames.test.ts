import type { Frame } from "@errata/core/event"
import { describe, expect, it } from "vitest"
import {
  itemsOfFold,
  libraryOf,
  openAtFirst,
  sourceOf,
  stackItems,
} from "../../../src/pages/group/stack/Frames.js"

const own = (name: string, rest: Partial<Frame> = {}): Frame => ({
  function: name,
  filename: "src/a.ts",
  in_app: true,
  ...rest,
})
const library = (name: string, rest: Partial<Frame> = {}): Frame => ({
  function: name,
  filename: `/app/node_modules/express/lib/${name}.js`,
  in_app: false,
  ...rest,
})

const shape = (frames: ReadonlyArray<Frame>, options: Partial<Parameters<typeof stackItems>[1]> = {}) =>
  stackItems(frames, { areAllShown: false, order: "oldest", ...options }).map((item) =>
    item.kind === "frame"
      ? `${item.frame.function}${item.times > 1 ? ` x${item.times}` : ""}`
      : `${item.frames.length} of ${item.libraries.join(", ")}`,
  )

describe("stackItems", () => {
  it("folds runs of library frames between those of the application", () => {
    const frames = [library("a"), library("b"), own("x"), library("c"), own("y")]
    expect(shape(frames)).toEqual(["2 of express", "x", "1 of express", "y"])
  })

  it("shows the innermost frame first if that is chosen", () => {
    expect(shape([own("x"), library("c"), own("y")], { order: "newest" })).toEqual(["y", "1 of express", "x"])
  })

  it("shows every frame if all are chosen", () => {
    expect(shape([library("a"), own("x")], { areAllShown: true })).toEqual(["a", "x"])
  })

  it("shows a recursion as one line", () => {
    expect(shape([own("x"), own("f"), own("f"), own("f")])).toEqual(["x", "f x3"])
  })

  it("shows the innermost frames if none is known to belong to the application", () => {
    const frames = Array.from({ length: 40 }, (_, i): Frame => ({ function: `f${i}` }))
    const items = stackItems(frames, { areAllShown: false, order: "newest" })
    expect(items).toHaveLength(9)
    expect(items[0]).toMatchObject({ kind: "frame", frame: { function: "f39" } })
    expect(items.at(-1)).toMatchObject({ kind: "fold", isLibrary: false, index: 0 })
  })

  it("renders a bounded number of lines of a thousand frames", () => {
    const frames = Array.from({ length: 1_000 }, (_, i) => own(`f${i}`))
    const items = stackItems(frames, { areAllShown: false, order: "newest" })
    expect(items.length).toBeLessThan(100)
    expect(
      items.reduce((sum, item) => sum + (item.kind === "fold" ? item.frames.length : item.times), 0),
    ).toBe(1_000)
  })

  it("unfolds a run in the order of the stack", () => {
    const [fold] = stackItems([library("a"), library("b"), own("x")], { areAllShown: false, order: "oldest" })
    expect(fold?.kind === "fold" && itemsOfFold(fold, "newest")).toMatchObject([
      { frame: { function: "b" }, index: 1 },
      { frame: { function: "a" }, index: 0 },
    ])
  })
})

describe("openAtFirst", () => {
  it("opens frames of the application that have source or variables", () => {
    const frames = [
      own("x", { context_line: "a" }),
      library("l", { context_line: "b" }),
      own("y"),
      own("z", { vars: { a: 1 } }),
    ]
    expect([...openAtFirst(frames)].sort()).toEqual([0, 3])
  })

  it("opens the innermost frame with source if none belongs to the application", () => {
    expect([...openAtFirst([{ context_line: "a" }, { context_line: "b" }, { function: "c" }])]).toEqual([1])
  })
})

describe("sourceOf", () => {
  it("numbers the lines and removes the common indentation", () => {
    expect(
      sourceOf({
        lineno: 8,
        pre_context: ["  if (x) {", ""],
        context_line: "    y()",
        post_context: ["  }"],
      }),
    ).toEqual([
      { number: 6, text: "if (x) {", isCurrent: false },
      { number: 7, text: "", isCurrent: false },
      { number: 8, text: "  y()", isCurrent: true },
      { number: 9, text: "}", isCurrent: false },
    ])
  })

  it("has no numbers if the line is unknown", () => {
    expect(sourceOf({ context_line: "y()" })).toEqual([{ number: null, text: "y()", isCurrent: true }])
  })

  it("is empty without a source line", () => {
    expect(sourceOf({ lineno: 3, pre_context: ["a"] })).toEqual([])
  })
})

describe("libraryOf", () => {
  it("finds the package of a path", () => {
    const of = (filename: string) => libraryOf({ filename })
    expect(of("/app/node_modules/express/lib/router.js")).toBe("express")
    expect(of("/app/node_modules/a/node_modules/@prisma/client/x.js")).toBe("@prisma/client")
    expect(of("node:internal/process/task_queues")).toBe("node:internal")
    expect(of("/usr/lib/python3/site-packages/django/core/handlers.py")).toBe("django")
    expect(of("/usr/lib/python3/site-packages/six.py")).toBe("six")
    expect(of("/srv/vendor/laravel/framework/src/Kernel.php")).toBe("laravel/framework")
    expect(of("/usr/local/gems/actionpack-7.1.2/lib/x.rb")).toBe("actionpack")
    expect(of("C:\\app\\node_modules\\koa\\index.js")).toBe("koa")
  })

  it("falls back to the package and the module", () => {
    expect(libraryOf({ package: "/usr/lib/libc.so.6" })).toBe("libc.so.6")
    expect(libraryOf({ module: "org.springframework.web.Filter" })).toBe("org.springframework")
    expect(libraryOf({})).toBe("")
  })
})
