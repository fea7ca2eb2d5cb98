/** Retention runs: their schedule and what they remove under each policy. */
import { type ErrorRetention, Policies } from "@errata/core"
import { RetentionJob } from "@errata/core/internal"
import { DiskSpace, DiskUnmeasurable, RetentionStore, Storage } from "@errata/core/ports"
import { DateTime, Duration, Effect, Layer } from "effect"
import { expect } from "vitest"
import { advance, type ContractSuite, contractCase, onSecondNode } from "./ContractCase.js"
import * as Given from "./Given.js"
import { onlyGroupOf } from "./internal/Pipeline.js"
import { begun, onStorageClock, pass, purge, reportsOf, send, withPolicy } from "./internal/Retaining.js"

const turn = RetentionJob.turn.pipe(Effect.provide(Policies.Default))

const full: Partial<ErrorRetention> = { enabled: true, timePurgeType: "full", retentionPeriodDays: 30 }

/** Advances beyond the nights of other cases: a storage without its own clock starts earlier again with each case. */
const afterAllNights = Effect.gen(function* () {
  const store = yield* RetentionStore
  while (!(yield* store.enterNight("errors", yield* (yield* Storage).now))) yield* advance("30 days")
})

/** On the storage's clock, with nothing left to remove and after tonight's run. */
const given = Effect.gen(function* () {
  yield* onStorageClock
  yield* afterAllNights
  // Data of other cases is then in weeks that are over.
  yield* pass(14)
  // Not at the end of a week.
  yield* nextDayAt(12)
  yield* purge("full", 0)
  yield* turn
  return (yield* Given.project()).id
})

const lastRun = Effect.flatMap(RetentionStore, ({ list }) =>
  Effect.map(list({ limit: 1, cursor: null }), ({ items }) => items[0]!),
)

/** Advances to an hour of the next day, UTC. */
const nextDayAt = Effect.fnUntraced(function* (hours: number) {
  const { now } = yield* Storage
  const time = yield* now
  const then = DateTime.add(DateTime.startOf(time, "day"), { days: 1, hours })
  yield* advance(DateTime.distance(time, then))
})

export const retentionJobSuite: ContractSuite = {
  name: "RetentionJob",
  cases: [
    contractCase(
      "runs once at two in the morning on one node, and not when it is enabled",
      Effect.gen(function* () {
        yield* given
        const before = yield* lastRun
        yield* nextDayAt(1)
        yield* turn
        yield* withPolicy(
          full,
          Effect.gen(function* () {
            expect(yield* turn).toBe(false)
            yield* advance("2 hours")
            const turns = yield* Effect.all([turn, onSecondNode(turn)])
            expect(turns).toEqual([true, false])
            const run = yield* lastRun
            expect(run.id).toBeGreaterThan(before.id)
            expect(run).toMatchObject({
              trigger: "nightly",
              state: "succeeded",
              requestedBy: null,
              timePurgeType: "full",
              isWithinDiskLimit: null,
              failure: null,
            })
            expect(Duration.toMillis(DateTime.distance(run.before!, run.startedAt!))).toBeCloseTo(
              30 * 86_400_000,
              -5,
            )
            expect([run.bytesBefore, run.bytesAfter].every((bytes) => bytes !== null)).toBe(true)
            // A missed night is made up for once.
            yield* advance("60 hours")
            expect([yield* turn, yield* turn]).toEqual([true, false])
          }),
        )
        // Disabled retention skips nights.
        const last = yield* lastRun
        yield* advance("48 hours")
        expect(yield* turn).toBe(false)
        expect((yield* lastRun).id).toBe(last.id)
      }),
    ),

    contractCase(
      "performs a requested run by the current policy, and removes nothing while retention is off",
      Effect.gen(function* () {
        const projectId = yield* given
        const store = yield* RetentionStore
        yield* send(projectId, { group: "a" })
        yield* pass(70)
        yield* turn
        const group = yield* onlyGroupOf(projectId)
        yield* store.request("errors", "requested", null)
        expect(yield* turn).toBe(true)
        expect(yield* lastRun).toMatchObject({ state: "succeeded", timePurgeType: null, before: null })
        expect(yield* reportsOf(group)).toHaveLength(1)

        const ask = (policy: Partial<ErrorRetention>) =>
          withPolicy(policy, Effect.andThen(store.request("errors", "requested", null), turn))
        yield* ask({ enabled: true, timeBasedEnabled: false })
        yield* ask({ enabled: true, retentionPeriodDays: 100, timePurgeType: "full" })
        yield* ask({ enabled: true, timePurgeType: "partial", retentionPeriodDays: 30 })
        expect(yield* reportsOf(group)).toHaveLength(1)
        yield* ask(full)
        expect(yield* reportsOf(group)).toEqual([])
        expect((yield* lastRun).removed).toMatchObject({ reports: 1, groups: 1 })
      }),
    ),

    contractCase(
      "continues a run that another node has not finished",
      Effect.gen(function* () {
        const projectId = yield* given
        yield* send(projectId, { group: "a" })
        yield* pass(70)
        yield* turn
        const id = yield* begun
        const started = (yield* lastRun).startedAt
        yield* advance("1 minute")
        yield* withPolicy(full, onSecondNode(turn))
        expect(yield* lastRun).toMatchObject({ id, state: "succeeded", startedAt: started })
        expect((yield* lastRun).removed.reports).toBe(1)
      }),
    ),

    contractCase(
      "runs again an hour after a run that postponed something",
      Effect.gen(function* () {
        yield* given
        const store = yield* RetentionStore
        yield* withPolicy(
          full,
          Effect.gen(function* () {
            expect(yield* turn).toBe(false)
            const busy = { ...(yield* lastRun), removed: { ...nothing, postponed: 1 } }
            const turnAfter = turn.pipe(
              Effect.provideService(RetentionStore, {
                ...store,
                lastFinished: () => Effect.succeedSome(busy),
              }),
            )
            expect(yield* turnAfter).toBe(false)
            yield* advance("1 hour")
            expect(yield* turnAfter).toBe(true)
            expect((yield* lastRun).trigger).toBe("retry")
          }),
        )
      }),
    ),

    contractCase(
      "stores the class of a run's failure, and continues an interrupted run",
      Effect.gen(function* () {
        yield* given
        const store = yield* RetentionStore
        const broken = (purge: Effect.Effect<never>) =>
          turn.pipe(
            Effect.provideService(RetentionStore, { ...store, purgeReports: () => purge }),
            Effect.exit,
          )
        yield* withPolicy(
          full,
          Effect.gen(function* () {
            yield* store.request("errors", "requested", null)
            expect((yield* broken(Effect.interrupt))._tag).toBe("Failure")
            expect((yield* lastRun).state).toBe("running")
            expect((yield* broken(Effect.die(new Error("a secret"))))._tag).toBe("Failure")
            expect(yield* lastRun).toMatchObject({ state: "failed", failure: "defect" })
            expect(yield* turn).toBe(false)
          }),
        )
      }),
    ),

    contractCase(
      "removes the oldest weeks until the disk usage is within the limit",
      Effect.gen(function* () {
        const projectId = yield* given
        const store = yield* RetentionStore
        for (let week = 0; week < 5; week++) {
          yield* send(projectId, { group: "a" })
          yield* pass(7)
        }
        yield* send(projectId, { group: "a" })
        yield* turn
        const group = yield* onlyGroupOf(projectId)
        const kept = Effect.map(reportsOf(group), (all) => all.length)
        const byDisk = (limit: Partial<ErrorRetention>, measure: DiskSpace["Service"]["measure"]) =>
          withPolicy(
            { enabled: true, timeBasedEnabled: false, diskBasedEnabled: true, ...limit },
            Effect.andThen(store.request("errors", "requested", null), turn),
          ).pipe(Effect.provide(Layer.succeed(DiskSpace, { measure })), Effect.andThen(lastRun))
        // The disk fills up with the number of reports.
        const asReports = Effect.map(Effect.orDie(kept), (count) => ({
          totalBytes: 10,
          freeBytes: 10 - count,
        }))
        const stores = yield* Effect.context<RetentionStore | Effect.Services<typeof kept>>()
        const measured = Effect.provide(asReports, stores)

        const within = yield* byDisk({ diskLimitType: "percentage", diskLimitValue: 60 }, measured)
        expect([within.isWithinDiskLimit, yield* kept]).toEqual([true, 6])
        const removed = yield* byDisk({ diskLimitType: "percentage", diskLimitValue: 40 }, measured)
        expect([removed.isWithinDiskLimit, yield* kept]).toEqual([true, 4])
        const huge = yield* byDisk({ diskLimitType: "absolute", diskLimitValue: 100_000 }, measured)
        expect([huge.isWithinDiskLimit, yield* kept]).toEqual([true, 4])
        const unknown = yield* byDisk(
          { diskLimitType: "percentage", diskLimitValue: 1 },
          new DiskUnmeasurable({ reason: "far away" }),
        )
        expect([unknown.isWithinDiskLimit, unknown.state, yield* kept]).toEqual([null, "succeeded", 4])
        // New reports stay: removing them would free no space.
        const all = yield* byDisk({ diskLimitType: "percentage", diskLimitValue: 5 }, measured)
        expect([all.isWithinDiskLimit, yield* kept]).toEqual([false, 1])
        expect((yield* onlyGroupOf(projectId)).reportsCount).toBe(6)
      }),
    ),
  ],
}

// internal

const nothing = { reports: 0, groups: 0, bundles: 0, partitions: 0, postponed: 0, bytes: 0 }
