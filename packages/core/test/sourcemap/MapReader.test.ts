import { expect, it } from "@effect/vitest"
import { Effect, Either, Fiber, TestClock } from "effect"
import type { BlobStore } from "../../src/artifact/BlobStore.js"
import { defaultSettings } from "../../src/ErrataConfig.js"
import { MapReader } from "../../src/sourcemap/MapReader.js"
import type { SourceMapEngine } from "../../src/sourcemap/SourceMapEngine.js"

it.effect.each([
  ["lets go of", Effect.never],
  ["holds on to", Effect.uninterruptible(Effect.never)],
] as const)(
  "a file store that hangs and %s its reader is not waited for, also by a recorder, which finishes",
  ([_, get]) =>
    Effect.gen(function* () {
      const { sourcemaps } = defaultSettings
      const reader = new MapReader(
        {} as SourceMapEngine["Type"],
        { get: () => get } as unknown as BlobStore["Type"],
        sourcemaps,
      )
      const reading = yield* Effect.fork(Effect.uninterruptible(reader.content({ blob: "a", size: 1 })))
      yield* TestClock.adjust(sourcemaps.blobTimeout)
      expect(yield* Fiber.join(reading)).toEqual(Either.left("storage_unavailable"))
    }),
)
