/** An application on Effect reports to the instance in it. */
import { AccessPolicy, Actor, CurrentActor, GroupFilter, Groups } from "@errata/core"
import { PendingPayloads } from "@errata/core/ports"
import { MemoryStorage } from "@errata/storage-memory"
import { Data, Effect, Layer, Logger, Schedule } from "effect"
import { describe, expect, it } from "vitest"
import { Errata, FirstProject, settled } from "../src/effect.js"

class OutOfTea extends Data.TaggedError("OutOfTea")<{ readonly kettle: string }> {}

const instance = Layer.provideMerge(Errata.layer(), MemoryStorage.layer)

/** Type, message and count of each group after a program, which has the reporter and the logger. */
const groupsAfter = <A, E>(program: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    yield* program.pipe(Effect.exit, Effect.provide([Errata.errorReporter, Errata.logger()]))
    yield* settled
    const project = yield* AccessPolicy.project("groups.read", (yield* FirstProject).id)
    const page = yield* (yield* Groups).list(project, GroupFilter.all, { limit: 10, cursor: null })
    return page.items.map((group) => `${group.errorType} ${group.errorMessage} ${group.reportsCount}`).sort()
  }).pipe(
    Effect.provideService(CurrentActor, Actor.System()),
    Effect.provide(instance),
    Effect.provide(Logger.layer([])),
    Effect.runPromise,
  )

describe("an embedded tracker", () => {
  it("records the failures and the log of the application, each once", async () => {
    const failure = Effect.suspend(() => Effect.fail(new OutOfTea({ kettle: "blue" })))
    const program = Effect.gen(function* () {
      for (let i = 0; i < 3; i++) yield* Effect.exit(Effect.withErrorReporting(failure))
      yield* failure.pipe(
        Effect.withErrorReporting,
        Effect.tapCause((cause) => Effect.logError("Brewing failed", cause)),
        Effect.exit,
      )
      yield* Effect.logFatal("The house burns")
      yield* Effect.logWarning("It smells of smoke")
    })
    expect(await groupsAfter(program)).toEqual(["Message The house burns 1", "OutOfTea  4"])
  })

  it("records errors reported just before it closes", async () => {
    const shared = MemoryStorage.layer
    const program = Effect.gen(function* () {
      const memory = yield* Layer.build(shared)
      const errata = Errata.layer().pipe(Layer.provideMerge(Layer.succeedContext(memory)))
      yield* Effect.die(new TypeError("at the end")).pipe(
        Effect.withErrorReporting,
        Effect.exit,
        Effect.provide(Layer.provide(Errata.errorReporter, errata)),
      )
      return yield* Effect.gen(function* () {
        const project = yield* AccessPolicy.project("groups.read", (yield* FirstProject).id)
        const page = (yield* Groups).list(project, GroupFilter.all, { limit: 10, cursor: null })
        const found = Effect.filterOrFail(page, ({ items }) => items.length > 0)
        return yield* Effect.retry(found, { schedule: Schedule.spaced("20 millis"), times: 1_000 })
      }).pipe(Effect.provide(errata))
    })
    const found = program.pipe(
      Effect.scoped,
      Effect.provideService(CurrentActor, Actor.System()),
      Effect.runPromise,
    )
    expect((await found).items).toMatchObject([{ errorMessage: "at the end" }])
  })

  it("that cannot store anything logs that, does not report it to itself, and does not stop the application", async () => {
    const lines: Array<string> = []
    const log = Logger.make<unknown, void>(
      ({ logLevel, message }) => void lines.push(`${logLevel} ${message}`),
    )
    const broken = Layer.effect(
      PendingPayloads,
      Effect.map(PendingPayloads, (queue) => ({
        ...queue,
        append: () => Effect.die(new Error("disk on fire")),
      })),
    ).pipe(Layer.provideMerge(MemoryStorage.layer))
    const program = Effect.forEach(Array.from({ length: 20 }), (_, i) => Effect.logError(`line ${i}`))
    await program.pipe(
      Effect.provide(Errata.logger()),
      Effect.provide(Layer.provideMerge(Errata.layer(), broken)),
      Effect.provide(Logger.layer([log])),
      Effect.runPromise,
    )
    expect(lines.filter((line) => line.startsWith("Warn"))).toEqual([
      "Warn An error was not reported: disk on fire",
      "Warn Further errors that were not reported: 19",
    ])
    expect(lines).toHaveLength(22)
  })
})
