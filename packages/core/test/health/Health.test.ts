import { describe, expect, it } from "@effect/vitest"
import { Health, StorageError } from "@errata/core"
import { HealthStore } from "@errata/core/ports"
import { Clock, Context, DateTime, Deferred, Effect, Fiber, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { HealthSources, type HealthSourcesService } from "../../src/health/HealthSources.js"
import { withoutClockWarning } from "../support/clockWarning.js"

const away = new StorageError({
  operation: "test",
  reason: "unavailable",
  cause: new Error("secret.example"),
})

/** A storage whose answers can be changed, and that counts how often it is asked. */
const storage = () => {
  const state = {
    asked: 0,
    writes: 0,
    work: Effect.void as Effect.Effect<void, StorageError>,
    write: Effect.void as Effect.Effect<void, StorageError>,
    isMigrated: true,
    reports: 0,
  }
  const store = HealthStore.of({
    hasPendingMigrations: Effect.sync(() => {
      state.asked++
      return !state.isMigrated
    }),
    work: Effect.suspend(() =>
      Effect.andThen(
        state.work,
        Effect.map(DateTime.now, (now) => ({
          now,
          jobs: [
            {
              name: "record",
              node: "node",
              leasedUntil: null,
              dueAt: now,
              heartbeatAt: now,
              startedAt: now,
              succeededAt: now,
              failedAt: null,
              failure: null,
            },
          ],
          errorReadySince: null,
          notificationReadySince: null,
        })),
      ),
    ),
    write: Effect.suspend(() => {
      state.writes++
      return state.write
    }),
    amounts: Effect.sync(() => ({
      reports: state.reports,
      pendingPayloads: 0,
      pendingBytes: 0,
      deadLetters: 0,
      deadLetterBytes: 0,
      archivedBytes: 0,
      waitingGroupEvents: 0,
      pendingDeliveries: 0,
      failedDeliveries: 0,
    })),
    databaseBytes: Effect.succeed(null),
  })
  return { state, layer: Layer.succeed(HealthStore, store) }
}

const logged = (lines: Array<string>) =>
  Logger.layer([
    withoutClockWarning(
      Logger.make(({ message }) => {
        lines.push(String(message))
      }),
    ),
  ])

const setUp = Effect.fnUntraced(function* (sources: Partial<HealthSourcesService> = {}) {
  const { layer, state } = storage()
  const log: Array<string> = []
  const defaults = yield* HealthSources
  const health = yield* Layer.build(
    Health.Default.pipe(
      Layer.provide(layer),
      Layer.provide(Layer.succeed(HealthSources, { ...defaults, ...sources })),
      Layer.provide(logged(log)),
    ),
  )
  return { state, log, health: Context.get(health, Health) }
})

const codes = ({ health }: { readonly health: Health["Service"] }) =>
  Effect.map(health.inspect, ({ findings }) => [
    ...new Set(findings.flatMap(({ code }) => (code === null ? [] : [code]))),
  ])

/** The answer after so much time, or null where there is none. */
const within = <A, E>(effect: Effect.Effect<A, E>, duration: "4 seconds" | "100 millis") =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(effect)
    yield* TestClock.adjust(duration)
    return fiber.pollUnsafe() !== undefined ? yield* Fiber.join(fiber) : null
  })

describe("Health", () => {
  it.effect("is ready if all checks pass", () =>
    Effect.gen(function* () {
      const at = yield* setUp()
      expect(yield* codes(at)).toEqual([])
      expect((yield* at.health.recent).isReady).toBe(true)
      expect(at.log).toEqual([])
    }),
  )

  it.effect("returns the number of reports recorded per minute", () =>
    Effect.gen(function* () {
      const { health, state } = yield* setUp()
      const rate = Effect.map(health.details, ({ recordedPerMinute }) => recordedPerMinute)
      expect(yield* rate).toBeNull()
      state.reports += 49
      yield* TestClock.adjust("3 seconds")
      expect(yield* rate).toBe(980)
      yield* TestClock.adjust("3 minutes")
      expect(yield* rate).toBe(0)
    }),
  )

  it.effect("evaluates once for concurrent callers, and again after some seconds", () =>
    Effect.gen(function* () {
      const { health, state } = yield* setUp()
      const begun = yield* Deferred.make<void>()
      const end = yield* Deferred.make<void>()
      state.work = Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(end))
      const asking = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 1000 }, () => health.recent),
          { concurrency: "unbounded" },
        ),
      )
      yield* Deferred.await(begun)
      yield* Deferred.succeed(end, undefined)
      const reports = yield* Fiber.join(asking)
      expect(new Set(reports).size).toBe(1)
      expect([reports.length, state.asked, state.writes]).toEqual([1000, 1, 1])

      yield* TestClock.adjust("4999 millis")
      yield* health.recent
      expect(state.asked).toBe(1)
      yield* TestClock.adjust("1 millis")
      yield* health.recent
      expect(state.asked).toBe(2)
    }),
  )

  it.effect("checks again sooner after a failure, and logs each change once", () =>
    Effect.gen(function* () {
      const { health, log, state } = yield* setUp()
      state.write = away
      expect((yield* health.recent).isReady).toBe(false)
      yield* TestClock.adjust("2 seconds")
      expect((yield* health.recent).isReady).toBe(false)
      state.write = Effect.void
      yield* TestClock.adjust("2 seconds")
      expect((yield* health.recent).isReady).toBe(true)
      expect(log).toEqual(["Not ready: storage_unwritable", "Ready again"])
    }),
  )

  it.effect("answers within seconds if the storage hangs, with one query at a time", () =>
    Effect.gen(function* () {
      const { health, state } = yield* setUp()
      state.work = Effect.never
      expect(yield* within(health.recent, "100 millis")).toBe(null)
      const report = yield* within(health.recent, "4 seconds")
      expect(report?.isReady).toBe(false)
      expect(report?.findings[0]).toEqual({ name: "database", ok: false, code: "database_unreachable" })
      expect(state.asked).toBe(1)
    }),
  )

  it.effect("distinguishes failed reads from failed writes", () =>
    Effect.gen(function* () {
      const at = yield* setUp()
      at.state.write = Effect.never
      const writing = yield* Effect.forkChild(codes(at))
      yield* TestClock.adjust("4 seconds")
      expect(yield* Fiber.join(writing)).toEqual(["storage_unwritable"])
      at.state.work = away
      expect(yield* codes(at)).toEqual(["database_unreachable"])
    }),
  )

  it.effect("does not query a schema that is not up to date", () =>
    Effect.gen(function* () {
      const at = yield* setUp()
      at.state.isMigrated = false
      at.state.work = Effect.die("there is no such table")
      expect(yield* codes(at)).toEqual(["migrations_pending"])
    }),
  )

  it.effect("reports the code of each failing source", () =>
    Effect.gen(function* () {
      const floor = { freeBytes: 1, floorBytes: 2, isLow: true }
      for (const [sources, code] of [
        [{ areSecretsReadable: Effect.succeed(false) }, "encryption_key_invalid"],
        [{ areSecretsReadable: away }, "database_unreachable"],
        [{ intakePausedBy: Effect.succeed("queue") }, "intake_paused_queue"],
        [{ intakePausedBy: away }, "database_unreachable"],
        [{ disk: away }, "database_unreachable"],
        [{ disk: Effect.succeed({ _tag: "Measured", ...floor }) }, "disk_below_floor"],
        [{ notifies: true }, "dispatcher_stale"],
      ] as ReadonlyArray<[Partial<HealthSourcesService>, string]>) {
        expect(yield* codes(yield* setUp(sources))).toEqual([code])
      }
      const hanging = yield* Effect.forkChild(codes(yield* setUp({ disk: Effect.never })))
      yield* TestClock.adjust("4 seconds")
      expect(yield* Fiber.join(hanging)).toEqual(["disk_unmeasurable"])
    }),
  )

  it.effect("is not ready after an internal error, and logs it", () =>
    Effect.gen(function* () {
      const { health, log } = yield* setUp({ intakePausedBy: Effect.die(new Error("a fault")) })
      expect((yield* health.recent).isReady).toBe(false)
      expect(log[0]).toBe("Checking the health of the instance failed")
    }),
  )

  it.effect("does not show error messages of the storage", () =>
    Effect.gen(function* () {
      const { health, log, state } = yield* setUp()
      state.work = away
      const report = yield* health.recent
      expect(JSON.stringify([report, log])).not.toContain("secret")
      expect(yield* Clock.currentTimeMillis).toBe(0)
    }),
  )
})
