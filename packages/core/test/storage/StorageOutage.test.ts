import { describe, expect, it } from "@effect/vitest"
import { Cause, Effect, Exit, Layer, Logger, References, Scope } from "effect"
import { TestClock } from "effect/testing"
import { Storage } from "../../src/storage/Storage.js"
import { StorageError } from "../../src/storage/StorageError.js"
import * as StorageOutage from "../../src/storage/StorageOutage.js"
import { withoutClockWarning } from "../support/clockWarning.js"

const failure = (reason: StorageError["reason"]) =>
  Cause.fail(new StorageError({ operation: "Groups.list", reason, cause: new Error("connection refused") }))

/** A storage whose ping can fail, and its log lines from `info` on. */
const observed = Effect.gen(function* () {
  const storage = { answers: true }
  const lines: Array<string> = []
  const logger = Logger.make(({ fiber, logLevel, message }) => {
    const annotations = Object.entries(fiber.getRef(References.CurrentLogAnnotations))
    const details = annotations.map(([name, value]) => ` ${name}=${value}`).join("")
    lines.push(`${logLevel.toUpperCase()} ${message}${details}`)
  })
  const ping = Effect.suspend(() =>
    storage.answers
      ? Effect.void
      : new StorageError({ operation: "ping", reason: "unavailable", cause: new Error("away") }),
  )
  const context = yield* Layer.build(
    StorageOutage.layer.pipe(
      Layer.provide(Layer.mock(Storage, { ping })),
      Layer.provideMerge(Logger.layer([withoutClockWarning(logger)])),
      Layer.provideMerge(Layer.succeed(References.MinimumLogLevel, "Info")),
    ),
  )
  const fail = (reason: StorageError["reason"]) =>
    Effect.flatMap(StorageOutage.StorageOutage, (outage) =>
      outage.logFailure("Recording failed", failure(reason)),
    ).pipe(Effect.provide(context), Effect.provide(Logger.layer([withoutClockWarning(logger)])))
  return { storage, lines, fail }
})

const away =
  "WARN The storage is unavailable. Errata checks it until it is available again reason=connection refused (Groups.list)"

describe("StorageOutage", () => {
  it.effect("logs once that the storage is unavailable, and once that it is available again", () =>
    Effect.gen(function* () {
      const { fail, lines, storage } = yield* observed
      storage.answers = false
      for (let i = 0; i < 5; i++) {
        yield* fail("unavailable")
        yield* TestClock.adjust("5 seconds")
      }
      expect(lines).toEqual([away])
      storage.answers = true
      yield* TestClock.adjust("20 seconds")
      expect(lines).toEqual([
        away,
        expect.stringMatching(/^INFO The storage is available again seconds=\d+$/),
      ])
      // The next outage is logged again.
      yield* fail("unavailable")
      expect(lines).toHaveLength(3)
    }),
  )

  it.effect("does not log the end while pings succeed but writes fail, as on a full disk", () =>
    Effect.gen(function* () {
      const { fail, lines } = yield* observed
      for (let i = 0; i < 10; i++) {
        yield* fail("unavailable")
        yield* TestClock.adjust("6 seconds")
      }
      expect(lines).toEqual([away])
    }),
  )

  it.effect("closes while an outage reported from an uninterruptible region continues", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { fail, storage } = yield* Scope.provide(observed, scope)
      storage.answers = false
      yield* Effect.uninterruptible(fail("unavailable"))
      yield* Scope.close(scope, Exit.void)
    }),
  )

  it.effect("logs every failure that is not an outage", () =>
    Effect.gen(function* () {
      const { fail, lines } = yield* observed
      yield* fail("rejected")
      yield* fail("rejected")
      expect(lines).toEqual(["ERROR Recording failed", "ERROR Recording failed"])
    }),
  )
})
