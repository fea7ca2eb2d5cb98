import { Cause, Effect, References } from "effect"
import { describe, expect, it } from "vitest"
import { errorsOf, eventsOf, textsOf } from "./support/Events.js"

describe("a line of the log", () => {
  it("is a report from the level Error on", async () => {
    const events = await eventsOf(
      Effect.gen(function* () {
        yield* Effect.logWarning("The tin is nearly empty")
        yield* Effect.logError("The tin is empty", { tin: 7 })
        yield* Effect.logFatal("The house burns")
      }),
    )
    expect(events.map(({ level, message }) => [level, message])).toEqual([
      ["error", 'The tin is empty {"tin":7}'],
      ["fatal", "The house burns"],
    ])
    expect(events[0]!.exception).toBeUndefined()
    expect(events[0]!.tags).toEqual({ "log.level": "Error" })
  })

  it("is a report from the level that is configured", async () => {
    const program = Effect.andThen(Effect.logInfo("a"), Effect.logWarning("b"))
    const events = await eventsOf(program, { reportLevel: "Warn" })
    expect(events.map(({ message }) => message)).toEqual(["b"])
  })

  it("reports its errors, with its text", async () => {
    const [ofError] = await eventsOf(Effect.logError("Brewing failed", new RangeError("no cups")))
    expect(errorsOf(ofError!)).toEqual(["RangeError: no cups"])
    expect(ofError).toMatchObject({ contexts: { log: { level: "Error", message: "Brewing failed" } } })

    const [ofCause] = await eventsOf(Effect.logFatal("Brewing failed", Cause.die(new TypeError("broken"))))
    expect(errorsOf(ofCause!)).toEqual(["TypeError: broken"])
    expect(ofCause!.level).toBe("fatal")
  })
})

describe("breadcrumbs", () => {
  const step = (name: string) =>
    Effect.gen(function* () {
      yield* Effect.logInfo(`begin ${name}`)
      yield* Effect.yieldNow
      yield* Effect.forkChild(Effect.logDebug(`child of ${name}`)).pipe(Effect.andThen(Effect.yieldNow))
      return yield* Effect.fail(new Error(name))
    }).pipe(Effect.withErrorReporting, Effect.withSpan("step"))

  it("are the lines before an error in the same request and its child fibers only", async () => {
    const requests = ["a", "b"].map((name) =>
      Effect.exit(Effect.withSpan(step(name), name, { kind: "server" })),
    )
    const program = Effect.all(requests, { concurrency: "unbounded" }).pipe(Effect.withSpan("main"))
    const events = await eventsOf(Effect.provideService(program, References.MinimumLogLevel, "Debug"))
    expect(events.map((event) => [event.transaction, textsOf(event)])).toEqual([
      ["a", ["begin a", "child of a"]],
      ["b", ["begin b", "child of b"]],
    ])
  })

  it("are those of the fiber without spans", async () => {
    const job = (name: string) => Effect.andThen(Effect.logInfo(name), Effect.logError("failed"))
    const events = await eventsOf(Effect.all([job("a"), job("b")], { concurrency: "unbounded" }))
    expect(events.map(textsOf)).toEqual([["a"], ["b"]])
  })

  it("are the last hundred", async () => {
    const lines = Effect.forEach(
      Array.from({ length: 250 }, (_, i) => i),
      (i) => Effect.logInfo(`line ${i}`),
    )
    const [event] = await eventsOf(Effect.andThen(lines, Effect.logError("failed")))
    expect(textsOf(event!)).toHaveLength(100)
    expect(textsOf(event!)!.at(-1)).toBe("line 249")
  })
})
