import { Cause, Data, Effect, ErrorReporter, Fiber } from "effect"
import { describe, expect, it } from "vitest"
import { Errata } from "../src/index.js"
import { errorsOf, eventsOf } from "./support/Events.js"

class OutOfTea extends Data.TaggedError("OutOfTea")<{ readonly kettle: string; readonly cause?: unknown }> {}

class Refused extends Data.TaggedError("Refused")<{ readonly amount: number }> {
  override readonly [ErrorReporter.severity] = "Warn" as const
  override readonly [ErrorReporter.attributes] = { amount: this.amount, basket: ["tea"] }
}

class Expected extends Data.TaggedError("Expected") {
  override readonly [ErrorReporter.ignore] = true
}

const reported = <A, E>(program: Effect.Effect<A, E>) => eventsOf(Effect.withErrorReporting(program))

describe("a failure is reported", () => {
  it("with its fields and its causes", async () => {
    const [event, ...others] = await reported(
      Effect.fail(new OutOfTea({ kettle: "blue", cause: Cause.fail(new RangeError("empty tin")) })),
    )
    expect(others).toEqual([])
    expect(errorsOf(event!)).toEqual(["RangeError: empty tin", "OutOfTea: "])
    expect(event).toMatchObject({ level: "error", contexts: { error: { kettle: "blue" } } })
    expect(event!.tags).toEqual({ "effect.cause": "failure" })
    expect(event!.exception!.values[1]!.mechanism.handled).toBe(true)
  })

  it("with its spans and its fiber", async () => {
    const brew = Effect.withSpan(Effect.fail("no tea"), "brew", { attributes: { cups: 2 } })
    const serve = Effect.withSpan(Effect.withErrorReporting(brew), "serve", { attributes: { table: 7 } })
    const [event] = await eventsOf(serve)
    expect(event).toMatchObject({
      transaction: "serve",
      contexts: {
        effect: { reasons: [{ kind: "failure", spans: expect.arrayContaining(["brew", "serve"]) }] },
        fiber: { id: expect.any(Number) },
        trace: {
          trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
          span_id: expect.stringMatching(/^[0-9a-f]{16}$/),
          description: "serve",
          data: { table: 7 },
        },
      },
    })
  })

  it("with the locations of the spans if it has no stack", async () => {
    const brew = Effect.fn("brew")(function* () {
      return yield* Effect.fail({ _tag: "NoTea", cups: 2 })
    })
    const [event] = await reported(brew().pipe(Effect.withSpan("serve")))
    expect(event!.exception!.values[0]!.stacktrace.frames).toMatchObject([
      { function: "serve", filename: "packages/effect/test/ErrorReporting.test.ts", in_app: true },
      { function: "brew", filename: "packages/effect/test/ErrorReporting.test.ts", in_app: true },
    ])
  })

  it("with its severity and attributes, which take precedence over annotations of the fiber", async () => {
    const [event] = await eventsOf(
      Effect.withErrorReporting(Effect.fail(new Refused({ amount: 12 }))).pipe(
        Effect.annotateLogs({ tenant: "acme", amount: 3, "user.id": 7, basket: { size: 1 } }),
      ),
    )
    expect(event).toMatchObject({
      level: "warning",
      user: { id: 7 },
      contexts: { attributes: { amount: 12, basket: ["tea"] }, annotations: { basket: { size: 1 } } },
    })
    expect(event!.tags).toEqual({
      amount: "12",
      tenant: "acme",
      "effect.cause": "failure",
      "user.id": "7",
    })
  })

  it("separately from defects and interruptions", async () => {
    const [defect] = await reported(Effect.die(new TypeError("broken")))
    expect(errorsOf(defect!)).toEqual(["TypeError: broken"])
    expect(defect!.tags).toEqual({ "effect.cause": "defect" })
    expect(defect!.exception!.values[0]!.mechanism.handled).toBe(false)

    const interrupted = Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(Effect.withErrorReporting(Effect.never))
      yield* Effect.yieldNow
      yield* Fiber.interrupt(fiber)
    })
    expect(await reported(interrupted)).toEqual([])

    const both = Cause.combine(Cause.interrupt(3), Cause.fail(new OutOfTea({ kettle: "red" })))
    const [failure] = await reported(Effect.failCause(both))
    expect(errorsOf(failure!)).toEqual(["OutOfTea: "])
    expect(failure).toMatchObject({
      contexts: { effect: { reasons: [{ kind: "failure" }, { kind: "interruption", interrupted_by: 3 }] } },
    })
  })
})

describe("an error is reported once", () => {
  it("by spans, servers, logs and causes that contain it", async () => {
    const error = new OutOfTea({ kettle: "blue" })
    const events = await eventsOf(
      Effect.fail(error).pipe(
        Effect.withErrorReporting,
        Effect.withSpan("brew"),
        Effect.withErrorReporting,
        Effect.tapCause((cause) => Effect.logError("Brewing failed", cause)),
        Effect.tapError((failure) => Effect.logFatal(failure)),
        Effect.tapError((failure) => Errata.capture(failure)),
      ),
    )
    expect(events.map(errorsOf)).toEqual([["OutOfTea: "]])
  })

  it("never if it is marked as ignored", async () => {
    const ignored = Effect.fail(new Expected())
    expect(await reported(ignored)).toEqual([])
    expect(await eventsOf(Effect.tapCause(ignored, (cause) => Effect.logError(cause)))).toEqual([])
    const both = Cause.combine(Cause.fail(new Expected()), Cause.die(new TypeError("broken")))
    expect((await reported(Effect.failCause(both))).map(errorsOf)).toEqual([["TypeError: broken"]])
  })
})

it("reports what the application sends, with its context", async () => {
  const [event] = await eventsOf(
    Errata.capture(new OutOfTea({ kettle: "blue" }), { tags: { cup: 1 }, user: { id: 3 }, severity: "info" }),
  )
  expect(event).toMatchObject({ level: "info", user: { id: 3 } })
  expect(event!.tags).toMatchObject({ cup: "1" })
})

it("does not fail if an error cannot be read", async () => {
  const hostile = new Proxy(new Error("x"), {
    get: () => {
      throw new Error("unreadable")
    },
  })
  const exits: Array<string> = []
  await eventsOf(
    Effect.fail(hostile).pipe(
      Effect.withErrorReporting,
      Effect.exit,
      Effect.map(({ _tag, ...exit }) =>
        exits.push(`${_tag} ${"cause" in exit && Cause.hasDies(exit.cause)}`),
      ),
    ),
  )
  expect(exits).toEqual(["Failure false"])
})
