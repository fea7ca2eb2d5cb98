/** Workers that map reports on several nodes: concurrent, stopped and killed. */

import { defaultSettings, ErrataConfig, type EventId, type ProjectId, type ReportId } from "@errata/core"
import { SourcemapWorker } from "@errata/core/internal"
import {
  type JobState,
  JobStore,
  NodeName,
  type Payload,
  ReportStore,
  SourcemapReportStore,
} from "@errata/core/ports"
import { Deferred, Duration, Effect, Equal, Exit, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { expect } from "vitest"
import { advance, type ContractSuite, contractCase, onRealClock, onSecondNode } from "./ContractCase.js"
import * as Given from "./Given.js"
import { emptyQueue } from "./internal/Queue.js"
import { mapOf, recordScripts, scriptPayload, uploadMap, workerOf, workOff } from "./internal/Scripts.js"

const debugId = "e1b7cfaf-9c64-5ce6-a904-9b817f160208"

const leaseDuration = Duration.seconds(20)

/** Queues reports of two projects for mapping. */
const given = Effect.fnUntraced(function* (count: number) {
  yield* emptyQueue
  yield* advance("1 day")
  yield* workOff({})
  const projects = [(yield* Given.project()).id, (yield* Given.project()).id]
  const map = mapOf({ a: ["checkout", "src/cart.ts"], b: ["explode", "src/price.ts"] })
  for (const projectId of projects) yield* uploadMap(projectId, map, { debugId })
  const payloads = Array.from({ length: count }, (_, i) => scriptPayload(projects[i % 2]!, { debugId }))
  yield* recordScripts({ blobsAreAway: () => true }, ...payloads)
  return payloads
})

const statusesOf = (payloads: ReadonlyArray<Payload>) =>
  Effect.flatMap(ReportStore, (reports) =>
    Effect.forEach(payloads, ({ eventId, projectId }) =>
      Effect.flatMap(reports.findByEventId(projectId as ProjectId, eventId as EventId), (report) =>
        Effect.map(Effect.fromOption(report), ({ sourcemapStatus }) => sourcemapStatus),
      ),
    ),
  )

/** Polls with real pauses, to leave time to workers with real connections. */
const until = <E, R>(isSo: Effect.Effect<boolean, E, R>) =>
  Effect.repeat(Effect.tap(isSo, onRealClock(Effect.sleep("5 millis"))), { until: (holds) => holds })

const areAll = (payloads: ReadonlyArray<Payload>, status: string) =>
  Effect.map(statusesOf(payloads), (statuses) => statuses.every((known) => known === status))

/**
 * Waits until all are mapped, and lets time pass meanwhile: a worker that read the storage just before its clock was
 * advanced waits for its next turn.
 */
const untilMapped = (payloads: ReadonlyArray<Payload>) =>
  until(Effect.andThen(advance("20 millis"), areAll(payloads, "resolved")))

/** Outcomes of a worker's leases. */
interface Work {
  readonly leased: Set<ReportId>
  readonly settled: Array<ReportId>
  lost: number
  /** Number of renewals in progress. */
  renewing: number
}

interface Behaviour {
  /** Runs before an attempt reads its report. */
  readonly beforeAttempt?: Effect.Effect<void>
  /** True if it stops without releasing its leases. */
  readonly isKilled?: boolean
  /** Renews no lease, like a node that is suspended. */
  readonly isStalled?: boolean
}

const observed = (
  store: SourcemapReportStore["Service"],
  work: Work,
  { beforeAttempt = Effect.void, isKilled = false, isStalled = false }: Behaviour,
): SourcemapReportStore["Service"] => ({
  ...store,
  lease: (request) =>
    Effect.tap(store.lease(request), (leased) =>
      Effect.sync(() => {
        for (const { reportId } of leased) work.leased.add(reportId)
      }),
    ),
  find: (place) => Effect.andThen(beforeAttempt, store.find(place)),
  settle: (report, settled, now) =>
    Effect.tap(store.settle(report, settled, now), (isHeld) =>
      Effect.sync(() => {
        if (isHeld) work.settled.push(report.reportId)
        else work.lost++
      }),
    ),
  renew: (reports, duration) =>
    isStalled
      ? Effect.void
      : Effect.suspend(() => {
          work.renewing++
          return Effect.ensuring(
            store.renew(reports, duration),
            Effect.sync(() => work.renewing--),
          )
        }),
  release: (reports) => (isKilled ? Effect.void : store.release(reports)),
})

/** Starts a worker with two concurrent attempts that runs until the scope closes. Returns what it did. */
const start = Effect.fnUntraced(function* (scope: Scope.Scope, behaviour: Behaviour = {}) {
  const work: Work = { leased: new Set(), settled: [], lost: 0, renewing: 0 }
  yield* Layer.buildWithScope(workerOf({}), scope).pipe(
    Effect.updateService(SourcemapReportStore, (store) => observed(store, work, behaviour)),
    Effect.provideService(ErrataConfig, {
      ...defaultSettings,
      // Each second of it is a turn of every worker.
      sourcemaps: { ...defaultSettings.sourcemaps, concurrency: 2, perProject: 10, leaseDuration },
    }),
  )
  return work
})

const scoped = Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))

export const sourcemapWorkerSuite: ContractSuite = {
  name: "SourcemapWorker",
  cases: [
    contractCase(
      "shares the queue with another node, and maps reports of a stalled worker once",
      Effect.gen(function* () {
        const payloads = yield* given(12)
        const isFree = yield* Deferred.make<void>()
        const slow = yield* start(yield* scoped, { beforeAttempt: Deferred.await(isFree), isStalled: true })
        yield* until(Effect.sync(() => slow.leased.size === 2))
        const scope = yield* scoped
        const quick = yield* onSecondNode(start(scope))
        yield* until(Effect.sync(() => quick.settled.length === 10))
        expect(yield* areAll(payloads, "resolved")).toBe(false)

        yield* advance(Duration.times(leaseDuration, 1.2))
        yield* untilMapped(payloads)
        yield* Deferred.succeed(isFree, undefined)
        yield* until(Effect.sync(() => slow.lost === 2))
        expect(slow.settled).toEqual([])
        expect(new Set(quick.settled).size).toBe(12)
        expect(quick.settled).toHaveLength(12)
      }).pipe(Effect.scoped),
    ),

    contractCase(
      "renews the leases of reports that take long",
      Effect.gen(function* () {
        const payloads = yield* given(2)
        const isFree = yield* Deferred.make<void>()
        const slow = yield* start(yield* scoped, { beforeAttempt: Deferred.await(isFree) })
        yield* until(Effect.sync(() => slow.leased.size === 2))
        const other = yield* onSecondNode(start(yield* scoped))
        for (let second = 0; second < 60; second++) {
          yield* advance("1 second")
          // A renewal must not take seconds of the lease only because the test advances the clock meanwhile.
          yield* until(Effect.sync(() => slow.renewing === 0))
        }
        yield* Deferred.succeed(isFree, undefined)
        yield* until(areAll(payloads, "resolved"))
        expect(slow).toMatchObject({ lost: 0, settled: { length: 2 } })
        expect(other.leased.size).toBe(0)
      }).pipe(Effect.scoped),
    ),

    contractCase(
      "maps new reports of a project soon after nodes that worked on it were killed",
      Effect.gen(function* () {
        const payloads = yield* given(10)
        for (let node = 0; node < 2; node++) {
          const killed = yield* Scope.make()
          const work = yield* start(killed, { beforeAttempt: Effect.never, isKilled: true })
          yield* until(Effect.sync(() => work.leased.size === 2))
          yield* Scope.close(killed, Exit.void)
        }
        yield* onSecondNode(start(yield* scoped))
        yield* advance(Duration.times(leaseDuration, 1.2))
        // Takes seconds, not the minutes until the lost leases expire.
        yield* untilMapped(payloads)
      }).pipe(Effect.scoped),
    ),

    contractCase(
      "releases its reports when it stops",
      Effect.gen(function* () {
        const payloads = yield* given(2)
        const scope = yield* Scope.make()
        const work = yield* start(scope, { beforeAttempt: Effect.never })
        yield* until(areAll(payloads, "fetching"))
        yield* Scope.close(scope, Exit.void)
        expect(yield* statusesOf(payloads)).toEqual(["queued", "queued"])
        expect(work.settled).toEqual([])
        expect(yield* onSecondNode(workOff({}))).toBe(2)
        expect(yield* areAll(payloads, "resolved")).toBe(true)
      }),
    ),

    contractCase(
      "maps the reports of a killed worker",
      Effect.gen(function* () {
        const payloads = yield* given(3)
        const killed = yield* Scope.make()
        const work = yield* start(killed, { beforeAttempt: Effect.never, isKilled: true })
        yield* until(Effect.sync(() => work.leased.size === 2))
        const other = yield* onSecondNode(start(yield* scoped))
        yield* Scope.close(killed, Exit.void)
        yield* until(Effect.sync(() => other.settled.length === 1))
        yield* advance(Duration.times(leaseDuration, 1.2))
        yield* untilMapped(payloads)
        expect(new Set(other.settled).size).toBe(3)
        expect(work.settled).toEqual([])
      }).pipe(Effect.scoped),
    ),

    contractCase(
      "sends heartbeats while idle, and records the class of its failures",
      Effect.gen(function* () {
        const jobs = yield* JobStore
        const stateOf = (node: string) =>
          Effect.map(jobs.list, (known) =>
            known.jobs.find(
              (job) => job.name === SourcemapWorker.heartbeatName && job.node.startsWith(`${node}/`),
            ),
          )
        const stateAfter = (
          node: string,
          behaviour: (store: SourcemapReportStore["Service"]) => SourcemapReportStore["Service"],
        ) =>
          Effect.gen(function* () {
            yield* Layer.build(workerOf({})).pipe(
              Effect.updateService(SourcemapReportStore, behaviour),
              Effect.provideService(NodeName, node),
            )
            // Workers start in the next turn of the event loop.
            yield* TestClock.withLive(Effect.sleep("20 millis"))
            // Workers with real connections need a few heartbeats before they have done anything. Until then the last
            // node's end stands.
            const isRecorded = ({ failedAt, heartbeatAt, succeededAt }: JobState) =>
              Equal.equals(heartbeatAt, succeededAt) || Equal.equals(heartbeatAt, failedAt)
            const nextState = Effect.andThen(TestClock.adjust("6 seconds"), stateOf(node))
            const pause = onRealClock(Effect.sleep("5 millis"))
            const state = yield* Effect.repeat(Effect.tap(nextState, pause), {
              until: (known) => known !== undefined && isRecorded(known),
            })
            return state!
          }).pipe(Effect.scoped)
        yield* given(0)
        const idle = yield* stateAfter("idle", (store) => store)
        expect(idle).toMatchObject({ failedAt: null, failure: null, succeededAt: idle.heartbeatAt })
        const failing = yield* stateAfter("failing", (store) => ({
          ...store,
          lease: () => Effect.die(new Error("a secret")),
        }))
        expect(failing).toMatchObject({ failure: "defect", failedAt: failing.heartbeatAt })
      }),
    ),
  ],
}
