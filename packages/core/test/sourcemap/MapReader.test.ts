import { expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import type { BlobStore } from "../../src/artifact/BlobStore.js"
import { defaultSettings } from "../../src/ErrataConfig.js"
import { MapReader } from "../../src/sourcemap/MapReader.js"
import type { SourceMapEngine } from "../../src/sourcemap/SourceMapEngine.js"

const readerOf = (get: BlobStore["Service"]["get"]) =>
  new MapReader(
    {} as SourceMapEngine["Service"],
    { get } as unknown as BlobStore["Service"],
    defaultSettings.sourcemaps,
  )

it.effect("a recorder that is told to end meanwhile has what it reads, and finishes with it", () =>
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
  "a file store that hangs and %s its reader is not waited for, also by a recorder, which finishes",
  ([_, get]) =>
    Effect.gen(function* () {
      const reader = readerOf(() => get)
      const reading = yield* Effect.forkChild(Effect.uninterruptible(reader.content({ blob: "a", size: 1 })))
      yield* TestClock.adjust(defaultSettings.sourcemaps.blobTimeout)
      expect(yield* Fiber.join(reading)).toEqual(Result.fail("storage_unavailable"))
    }),
)
