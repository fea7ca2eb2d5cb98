import { AccessPolicy, Actor, CurrentActor, Reports } from "@errata/core"
import { MemoryStorage } from "@errata/storage-memory"
import { Cause, Data, Effect, Fiber, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { Capture, Errata, FirstProject, settled } from "../../src/effect.js"

class NoTea extends Data.TaggedError("NoTea")<{ readonly kettle: string; readonly cause?: unknown }> {}

/** The details of the report on a program's failure. */
const reported = <A, E>(program: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const cause = yield* Effect.flip(Effect.sandbox(program))
    const { capture } = yield* Capture
    const eventId = yield* Effect.withSpan(capture(cause), "report")
    yield* settled
    const project = yield* AccessPolicy.project("groups.read", (yield* FirstProject).id)
    const { details } = yield* (yield* Reports).findByEventId(project, eventId)
    return details!
  }).pipe(
    Effect.provideService(CurrentActor, Actor.System()),
    Effect.provide(Layer.provideMerge(Errata.layer(), MemoryStorage.layer)),
    Effect.runPromise,
  )

const exceptionsOf = ({ exceptions }: Awaited<ReturnType<typeof reported>>) =>
  exceptions.map(({ type, value }) => [type, value])

const contextsOf = ({ contexts }: Awaited<ReturnType<typeof reported>>) =>
  Object.fromEntries(contexts.map(({ data, name }) => [name, data]))

describe("a cause of Effect is reported", () => {
  it("by its failure, with its fields, what caused it, and the ids of span and fiber", async () => {
    const brew = Effect.fail(new NoTea({ kettle: "blue", cause: new RangeError("empty tin") }))
    const details = await reported(brew.pipe(Effect.withSpan("brew"), Effect.withSpan("serve")))
    expect(exceptionsOf(details)).toEqual([
      ["RangeError", "empty tin"],
      ["NoTea", ""],
    ])
    const contexts = contextsOf(details)
    expect(contexts).toMatchObject({
      error: { kettle: "blue" },
      effect: { reasons: [{ kind: "failure", spans: expect.arrayContaining(["brew", "serve"]) }] },
      trace: {
        trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
        span_id: expect.stringMatching(/^[0-9a-f]{16}$/),
      },
      fiber: { id: expect.any(Number) },
    })
  })

  it("by a tagged value that is not an error", async () => {
    const details = await reported(Effect.fail({ _tag: "NotFound", id: 7 }))
    expect(exceptionsOf(details)).toEqual([["NotFound", '{"_tag":"NotFound","id":7}']])
    expect(contextsOf(details)).toMatchObject({ error: { id: 7 } })
  })

  it("with defects and interruptions apart from failures", async () => {
    const defect = await reported(Effect.die(new TypeError("broken")))
    expect(exceptionsOf(defect)).toEqual([["TypeError", "broken"]])
    expect(contextsOf(defect)).toMatchObject({ effect: { reasons: [{ kind: "defect" }] } })

    const interruption = await reported(
      Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(Effect.never)
        yield* Effect.yieldNow
        yield* Fiber.interrupt(fiber)
        return yield* Fiber.join(fiber)
      }),
    )
    expect(exceptionsOf(interruption)).toEqual([
      ["Interrupted", expect.stringMatching(/^The fiber was interrupted by fiber \d+$/)],
    ])

    const both = await reported(
      Effect.failCause(
        Cause.combine(Cause.die(new TypeError("broken")), Cause.fail(new NoTea({ kettle: "red" }))),
      ),
    )
    expect(exceptionsOf(both)).toEqual([
      ["TypeError", "broken"],
      ["NoTea", ""],
    ])
  })
})
