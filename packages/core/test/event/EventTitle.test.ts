import { describe, expect, it } from "vitest"
import { maxTitleBytes, titleOf } from "../../src/event/EventTitle.js"
import { eventOf, exception, thread } from "../report/events.js"

const app = { module: "app.views", filename: "app/views.py", function: "show", in_app: true }
const library = { module: "django.core", function: "handle", in_app: false }

describe("error type and message", () => {
  it("are those of the exception raised last", () => {
    const event = eventOf({
      exceptions: [exception("OSError", "disk"), exception("AppError", "cannot save")],
    })
    expect(titleOf(event)).toMatchObject({ errorType: "AppError", errorMessage: "cannot save" })
  })

  it("are empty if the exception has none", () => {
    expect(titleOf(eventOf({ exceptions: [exception("KeyError", undefined)] }))).toMatchObject({
      errorType: "KeyError",
      errorMessage: "",
    })
    expect(titleOf(eventOf({ exceptions: [exception(undefined, "boom")] }))).toMatchObject({
      errorType: "",
      errorMessage: "boom",
    })
  })

  it("skip an exception without type and message", () => {
    const event = eventOf({ exceptions: [exception("OSError", "disk"), exception(undefined, "", [app])] })
    expect(titleOf(event)).toMatchObject({ errorType: "OSError", errorMessage: "disk" })
  })

  it("are also those of a synthetic exception", () => {
    const event = eventOf({
      exceptions: [exception("SIGSEGV", "Segfault", [], { mechanism: { synthetic: true } })],
    })
    expect(titleOf(event)).toMatchObject({ errorType: "SIGSEGV", errorMessage: "Segfault" })
  })

  it("are `Message` and the text of a message that was sent with its stack", () => {
    const stack = exception(undefined, "The till is nearly full", [app], { mechanism: { synthetic: true } })
    expect(titleOf(eventOf({ exceptions: [stack] }))).toEqual({
      errorType: "Message",
      errorMessage: "The till is nearly full",
      culprit: "app.views in show",
    })
  })

  it("are `Message` and the formatted log entry without an exception", () => {
    const logentry = { formatted: "Hello Ada", message: "Hello %s", params: ["Ada"] }
    expect(titleOf(eventOf({ logentry }))).toMatchObject({ errorType: "Message", errorMessage: "Hello Ada" })
    expect(titleOf(eventOf({ logentry, exceptions: [exception("E", "v")] }))).toMatchObject({
      errorType: "E",
    })
    expect(titleOf(eventOf({}))).toEqual({ errorType: "Message", errorMessage: "", culprit: "" })
  })

  it("are the directive and the blocked URL of a security report", () => {
    const security_report = { kind: "csp", directive: "script-src", blocked: "https://cdn.example", data: {} }
    expect(titleOf(eventOf({ security_report }))).toEqual({
      errorType: "script-src",
      errorMessage: "https://cdn.example",
      culprit: "",
    })
  })
})

describe("culprit", () => {
  const culprit = (details: Parameters<typeof eventOf>[0]) => titleOf(eventOf(details)).culprit

  it("is the SDK's transaction", () => {
    expect(culprit({ transaction: "/checkout", exceptions: [exception("E", "", [app])] })).toBe("/checkout")
  })

  it("is the innermost in-app frame", () => {
    expect(
      culprit({ exceptions: [exception("E", "", [library, { ...app, function: "outer" }, app, library])] }),
    ).toBe("app.views in show")
  })

  it("is the innermost frame if none is in-app", () => {
    expect(culprit({ exceptions: [exception("E", "", [{ ...library, function: "outer" }, library])] })).toBe(
      "django.core in handle",
    )
  })

  it.each([
    [{ filename: "app.js", function: "run" }, "app.js in run"],
    [{ abs_path: "/srv/app.js", function: "run" }, "/srv/app.js in run"],
    [{ module: "app", function: "" }, "app"],
    [{ module: "app", function: "?" }, "app"],
    [{ function: "run" }, "run"],
    [{ package: "libc.so", instruction_addr: "0x1" }, ""],
  ])("of the frame %j is %j", (frame, expected) => {
    expect(culprit({ exceptions: [exception("E", "", [frame])] })).toBe(expected)
  })

  it("skips frames without a name", () => {
    expect(culprit({ exceptions: [exception("E", "", [app, { in_app: true, package: "libfoo.so" }])] })).toBe(
      "app.views in show",
    )
  })

  it("comes from the exception raised last that has a stack", () => {
    const other = { ...app, function: "other" }
    expect(culprit({ exceptions: [exception("A", "", [other]), exception("B", "", [app])] })).toBe(
      "app.views in show",
    )
    expect(culprit({ exceptions: [exception("A", "", [app]), exception("B", "")] })).toBe("app.views in show")
  })

  it("comes from the exception's thread, else from the crashed, current or last one", () => {
    const threads = [
      thread([{ function: "first" }], { id: "1" }),
      thread([{ function: "current" }], { id: "2", current: true }),
      thread([{ function: "crashed" }], { id: "3", crashed: true }),
      thread([{ function: "last" }], { id: "4" }),
      thread([], { id: "5" }),
    ]
    expect(culprit({ exceptions: [exception("E", "", [], { thread_id: "1" })], threads })).toBe("first")
    expect(culprit({ exceptions: [exception("E", "")], threads })).toBe("crashed")
    expect(culprit({ threads: threads.filter(({ id }) => id !== "3") })).toBe("current")
    expect(culprit({ threads: threads.filter(({ id }) => id !== "3" && id !== "2") })).toBe("last")
  })
})

it("bounds each string without splitting a character", () => {
  const long = "𝒳".repeat(10_000)
  const title = titleOf(eventOf({ transaction: `a${long}`, exceptions: [exception(`ab${long}`, long)] }))
  for (const text of Object.values(title)) {
    const bytes = new TextEncoder().encode(text).length
    expect(bytes).toBeLessThanOrEqual(maxTitleBytes)
    expect(bytes).toBeGreaterThan(maxTitleBytes - 4)
    expect(text.isWellFormed()).toBe(true)
  }
})
