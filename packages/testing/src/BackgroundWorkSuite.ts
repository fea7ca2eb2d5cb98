/** `BackgroundWork` on several nodes of a storage. */

import { defaultSettings, ErrataConfig, ProjectId, RecorderSignal, StorageError } from "@errata/core"
import { BackgroundWork, type Job, Recorder, RecorderWorker, StorageOutage } from "@errata/core/internal"
import { type JobState, JobStore, NodeName, PendingPayloads } from "@errata/core/ports"
import { Cause, Deferred, Duration, Effect, Equal, Layer, Option, Ref, Scope } from "effect"
import { TestClock } from "effect/testing"
import { expect } from "vitest"
import { type ContractSuite, contractCase, onRealClock, onSecondNode } from "./ContractCase.js"
import * as Factory from "./Factory.js"

const interval = Duration.millis(20)

let made = 0
const job = <R>(run: Job<R>["run"]): Job<R> => ({ name: `work ${++made}`, interval: () => interval, run })

const shortLease = Effect.provideService(ErrataConfig, {
  ...defaultSettings,
  // Renewed every two seconds, and a renewal may take as long.
  backgroundLease: Duration.seconds(6),
})

const start = (job: Job, node = "node") =>
  Layer.build(BackgroundWork.layer([job])).pipe(Effect.provideService(NodeName, node), shortLease)

const startOnSecondNode = (job: Job, node: string) =>
  Effect.flatMap(Effect.scope, (scope) => onSecondNode(Scope.provide(start(job, node), scope)))

const stateOf = ({ name }: Pick<Job, "name">) =>
  Effect.flatMap(JobStore, (jobs) =>
    Effect.map(jobs.list, (list) => list.jobs.find((state) => state.name === name)!),
  )

/** Repeats until the condition holds. Otherwise the case times out. */
const until = <A, E, R>(effect: Effect.Effect<A, E, R>, holds: (value: A) => boolean) =>
  Effect.repeat(Effect.delay(effect, "5 millis"), { until: holds })

export const backgroundWorkSuite: ContractSuite = {
  name: "BackgroundWork",
  cases: [
    contractCase(
      "runs repeatedly, on one node at a time",
      Effect.gen(function* () {
        const state = { running: 0, most: 0, runs: 0 }
        const enough = yield* Deferred.make<void>()
        const work = job(
          Effect.acquireUseRelease(
            Effect.sync(() => {
              state.most = Math.max(state.most, ++state.running)
              state.runs++
            }),
            () =>
              state.runs >= 10
                ? Deferred.succeed(enough, undefined)
                : Effect.sleep(Duration.times(interval, 2)),
            () => Effect.sync(() => state.running--),
          ),
        )
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* start(work, "one")
            yield* startOnSecondNode(work, "two")
            yield* start(work, "three")
            yield* Deferred.await(enough)
          }),
        )
        expect(state).toMatchObject({ running: 0, most: 1 })
      }).pipe(onRealClock),
    ),

    contractCase(
      "stays with its node while it runs longer than a lease",
      Effect.gen(function* () {
        const begun: Array<string> = []
        const renewals: Array<boolean> = []
        const kept = yield* Deferred.make<void>()
        const end = yield* Deferred.make<void>()
        const { name, interval } = job(Effect.void)
        const workOf = (node: string): Job => ({
          name,
          interval,
          run: Effect.andThen(
            Effect.sync(() => begun.push(node)),
            Deferred.await(end),
          ),
        })
        const observed = Effect.updateService(JobStore, (jobs) => ({
          ...jobs,
          renew: (...args) =>
            Effect.tap(jobs.renew(...args), (isHeld) => {
              renewals.push(isHeld)
              // At every third of the lease.
              return renewals.length === 4 ? Deferred.succeed(kept, undefined) : Effect.void
            }),
        }))
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* start(workOf("one"), "one").pipe(observed)
            yield* until(Effect.succeed(begun), () => begun.length > 0)
            yield* startOnSecondNode(workOf("two"), "two")
            yield* Deferred.await(kept)
            expect(begun).toEqual(["one"])
            expect(renewals).toEqual([true, true, true, true])
            yield* Deferred.succeed(end, undefined)
            yield* until(stateOf({ name }), ({ succeededAt }) => succeededAt !== null)
          }),
        )
      }).pipe(onRealClock),
    ),

    contractCase(
      "runs on another node after its node was killed",
      Effect.gen(function* () {
        const jobs = yield* JobStore
        const done = yield* Deferred.make<void>()
        const work = job(Deferred.succeed(done, undefined))
        // A killed node does not release its lease.
        yield* jobs.acquire(work.name, "killed", Duration.millis(300))
        const before = yield* stateOf(work)
        yield* Effect.scoped(Effect.andThen(startOnSecondNode(work, "other"), Deferred.await(done)))
        const after = yield* stateOf(work)
        expect(after.node).toMatch(/^other\//)
        expect(after.startedAt.epochMilliseconds).toBeGreaterThanOrEqual(
          before.leasedUntil!.epochMilliseconds,
        )
      }).pipe(onRealClock),
    ),

    contractCase(
      "is interrupted on a node that has lost its lease or cannot renew it",
      Effect.gen(function* () {
        const lost = Effect.succeed(false)
        const away = new StorageError({ operation: "JobStore.renew", reason: "unavailable", cause: null })
        for (const renewal of [lost, away]) {
          const begun = yield* Deferred.make<void>()
          const left = yield* Deferred.make<void>()
          const released = yield* Ref.make(0)
          const work = job(
            Effect.andThen(Deferred.succeed(begun, undefined), Effect.never).pipe(
              Effect.onInterrupt(() => Deferred.succeed(left, undefined)),
            ),
          )
          const losing = Effect.updateService(JobStore, (jobs) => ({
            ...jobs,
            renew: () => renewal,
            release: (...args) =>
              Effect.andThen(
                Ref.update(released, (n) => n + 1),
                jobs.release(...args),
              ),
          }))
          yield* Effect.scoped(
            Effect.gen(function* () {
              yield* start(work).pipe(losing)
              yield* Deferred.await(begun)
              yield* Deferred.await(left)
              // The lease belongs to another node now.
              expect(yield* Ref.get(released)).toBe(0)
              expect((yield* stateOf(work)).succeededAt).toBeNull()
            }),
          )
        }
      }).pipe(onRealClock),
    ),

    contractCase(
      "is released by a node that stops",
      Effect.gen(function* () {
        const begun = yield* Deferred.make<void>()
        const work = job(Effect.andThen(Deferred.succeed(begun, undefined), Effect.never))
        yield* Effect.scoped(Effect.andThen(start(work), Deferred.await(begun)))
        expect(yield* stateOf(work)).toMatchObject({ leasedUntil: null, succeededAt: null, failedAt: null })
        const jobs = yield* JobStore
        expect((yield* jobs.acquire(work.name, "other", Duration.seconds(1)))._tag).toBe("Acquired")
      }).pipe(onRealClock),
    ),

    contractCase(
      "is retried after a failure, which is logged and stored as a class",
      Effect.gen(function* () {
        const logged: Array<string> = []
        const recovered = yield* Deferred.make<void>()
        let runs = 0
        const work = job(
          Effect.suspend(() => {
            runs++
            if (runs === 1) return new StorageError({ operation: "x", reason: "rejected", cause: "a secret" })
            return runs === 2 ? Effect.die(new Error("broken")) : Deferred.succeed(recovered, undefined)
          }),
        )
        const outage = {
          logFailure: (message: string, cause: Cause.Cause<unknown>) =>
            Effect.sync(() => logged.push(`${message}: ${Cause.hasDies(cause)}`)),
        }
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* start(work).pipe(Effect.provideService(StorageOutage.StorageOutage, outage))
            yield* Deferred.await(recovered)
            const state = yield* until(stateOf(work), ({ succeededAt }) => succeededAt !== null)
            expect(state.failure).toBe("defect")
          }),
        )
        expect(logged).toEqual(["A background job failed: false", "A background job failed: true"])
      }).pipe(onRealClock),
    ),

    contractCase(
      "records heartbeats and failures of a recorder that is never idle",
      Effect.gen(function* () {
        const projectId = ProjectId.make(1)
        const batch = { id: 1, attempts: 1, projectId, payloads: [Factory.storedPayload(projectId)] }
        const away = new StorageError({ operation: "x", reason: "unavailable", cause: null })
        const stateAfter = (node: string, first: ReturnType<Recorder["Service"]["recordBatches"]>) =>
          Effect.gen(function* () {
            const end = yield* Deferred.make<void>()
            let isOver = false
            let batches = 0
            const recorder = Recorder.of({
              recordBatches: () => (batches++ === 0 ? first : Deferred.await(end)),
              recordSuspect: () => Effect.void,
            })
            const endless = Effect.updateService(PendingPayloads, (pending) => ({
              ...pending,
              lease: () => Effect.sync(() => (isOver ? [] : [batch])),
              leaseSuspect: () => Effect.succeed(Option.none()),
              renew: () => Effect.void,
              release: () => Effect.void,
            }))
            const worker = RecorderWorker.layer.pipe(
              Layer.provide([Layer.succeed(Recorder, recorder), RecorderSignal.Default]),
            )
            yield* Layer.build(worker).pipe(
              endless,
              Effect.provideService(NodeName, node),
              Effect.provideService(StorageOutage.StorageOutage, { logFailure: () => Effect.void }),
              Effect.provideService(ErrataConfig, {
                ...defaultSettings,
                recorder: { ...defaultSettings.recorder, workers: 1 },
              }),
            )
            // A worker finishes its batch before it stops.
            yield* Effect.addFinalizer(() => {
              isOver = true
              return Deferred.succeed(end, undefined)
            })
            // Workers start in the next turn of the event loop.
            yield* TestClock.withLive(Effect.sleep("20 millis"))
            // Workers with real connections have done something only after some heartbeats. Until then the last node's end stands.
            const isRecorded = ({ failedAt, heartbeatAt, succeededAt }: JobState) =>
              Equal.equals(heartbeatAt, succeededAt) || Equal.equals(heartbeatAt, failedAt)
            const nextState = Effect.andThen(TestClock.adjust("6 seconds"), stateOf({ name: "record" }))
            return yield* Effect.repeat(Effect.tap(nextState, TestClock.withLive(Effect.sleep("5 millis"))), {
              until: (state) => state?.node.startsWith(`${node}/`) === true && isRecorded(state),
            })
          }).pipe(Effect.scoped)
        const busy = yield* stateAfter("busy", Effect.void)
        expect(busy).toMatchObject({ leasedUntil: null, failedAt: null, succeededAt: busy.heartbeatAt })
        const failing = yield* stateAfter("failing", away)
        expect(failing).toMatchObject({ failure: "storage_unavailable", failedAt: failing.heartbeatAt })
      }),
    ),
  ],
}
