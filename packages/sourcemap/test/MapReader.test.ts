import { expect, it } from "@effect/vitest"
import { defaultSettings, type ProjectId } from "@errata/core"
import type { BlobStore } from "@errata/core/ports"
import { Deferred, Effect, Fiber, Option, Result } from "effect"
import { TestClock } from "effect/testing"
import { MapReader, type Reading } from "../src/mapping/MapReader.js"
import { ReadingBudgetUsed, type SourceMapEngine } from "../src/SourceMapEngine.js"

const readerOf = (get: BlobStore["Service"]["get"], engine: Partial<SourceMapEngine["Service"]> = {}) =>
  new MapReader(
    engine as SourceMapEngine["Service"],
    { get } as unknown as BlobStore["Service"],
    defaultSettings.sourcemaps,
  )

it.effect("an uninterruptible reader that is interrupted still receives its content", () =>
  Effect.gen(function* () {
    const asked = yield* Deferred.make<void>()
    const answer = yield* Deferred.make<Uint8Array>()
    const reader = readerOf(() =>
      Effect.andThen(Deferred.succeed(asked, undefined), Effect.asSome(Deferred.await(answer))),
    )
    const read = yield* Deferred.make<unknown>()
    const reading = yield* reader
      .content({ blob: "a", size: 1 })
      .pipe(Deferred.into(read), Effect.uninterruptible, Effect.forkChild)
    yield* Deferred.await(asked)
    reading.interruptUnsafe()
    yield* Effect.yieldNow
    yield* Deferred.succeed(answer, Uint8Array.of(1))
    expect(yield* Deferred.await(read)).toEqual(Result.succeed(Uint8Array.of(1)))
  }),
)

it.effect.each([
  ["lets go of", Effect.never],
  ["holds on to", Effect.uninterruptible(Effect.never)],
] as const)(
  "a reader times out on a file store that hangs and %s it, also in an uninterruptible recorder",
  ([_, get]) =>
    Effect.gen(function* () {
      const reader = readerOf(() => get)
      const reading = yield* Effect.forkChild(Effect.uninterruptible(reader.content({ blob: "a", size: 1 })))
      yield* TestClock.adjust(defaultSettings.sourcemaps.blobTimeout)
      expect(yield* Fiber.join(reading)).toEqual(Result.fail("storage_unavailable"))
    }),
)

it.effect("no map is loaded for a project with a used reading budget, until the next window", () =>
  Effect.gen(function* () {
    let loaded = 0
    let isUsed = true
    const map = { memory: 1 }
    const read = () =>
      Effect.suspend(() => (isUsed ? new ReadingBudgetUsed() : Effect.succeed(Result.succeed(map))))
    const load = () => Effect.sync(() => Option.some(Uint8Array.of(++loaded)))
    const reader = readerOf(load, { read, readScript: () => new ReadingBudgetUsed() })
    const [reading, other] = [1, 2].map((id) => ({ projectId: id as ProjectId, mayLoad: true })) as [
      Reading,
      Reading,
    ]
    const content = (blob: string) => ({ blob, size: 1 })
    const refused = Result.fail("reading_budget_used")
    expect(yield* reader.readFunctions(content("s"), map, "m", reading)).toEqual(refused)
    expect(yield* reader.read(content("m"), reading)).toEqual(refused)
    expect(yield* reader.readJson(Uint8Array.of(1), reading.projectId)).toEqual(refused)
    expect(loaded).toBe(1)
    isUsed = false
    expect(yield* reader.read(content("of another"), other)).toEqual(Result.succeed(map))
    yield* TestClock.adjust("6 seconds")
    // The budget error was not cached for the content.
    expect(yield* reader.read(content("m"), reading)).toEqual(Result.succeed(map))
    expect(loaded).toBe(3)
  }),
)
