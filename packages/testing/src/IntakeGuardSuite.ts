/** Ingest protection on nodes that share a storage. */
import {
  AccessPolicy,
  Actor,
  CurrentActor,
  defaultSettings,
  ErrataConfig,
  type IngestProtection,
  Intake,
  IntakeGuard,
  Policies,
  RecorderSignal,
} from "@errata/core"
import { DiskSpace, DiskUnmeasurable, IngestStatistics, type Payload, PolicyStore } from "@errata/core/ports"
import { DateTime, Deferred, Effect, Fiber, Layer, Scope } from "effect"
import { expect } from "vitest"
import { advance, type ContractSuite, contractCase, onSecondNode } from "./ContractCase.js"
import * as Factory from "./Factory.js"
import * as Given from "./Given.js"
import { emptyQueue } from "./internal/Queue.js"
import { freshMinute } from "./RateDrawSuite.js"

const megabyte = 1024 * 1024

/** A simulated file system; null free bytes mean that it cannot be measured. */
interface Disk {
  freeBytes: number | null
  /** Default: 1e12 */
  totalBytes?: number
  why?: DiskUnmeasurable["why"]
  /** Runs after a measurement, before its result is returned. */
  looked?: Effect.Effect<unknown>
}

const diskSpace = (disk: Disk) =>
  Layer.succeed(DiskSpace, {
    measure: Effect.suspend(() =>
      disk.freeBytes === null
        ? new DiskUnmeasurable({ reason: "it is away", ...(disk.why === undefined ? {} : { why: disk.why }) })
        : Effect.as(disk.looked ?? Effect.void, {
            totalBytes: disk.totalBytes ?? 1e12,
            freeBytes: disk.freeBytes,
          }),
    ),
  })

/** The intake of a node, until the scope closes. */
const start = Effect.fnUntraced(function* (disk: Disk, settings = defaultSettings) {
  const services = yield* Layer.build(
    Layer.mergeAll(Intake.Default, IntakeGuard.Default, Policies.Default).pipe(
      Layer.provideMerge(AccessPolicy.layer),
      Layer.provide(Layer.merge(RecorderSignal.Default, diskSpace(disk))),
    ),
  ).pipe(Effect.provideService(ErrataConfig, settings))
  const use = Effect.provide(services)
  return {
    /** Returns `accepted` or the reason for the rejection. */
    send: (payloads: ReadonlyArray<Payload>, errors = payloads.length) =>
      Effect.flatMap(Intake, (intake) => intake.accept(payloads, errors)).pipe(
        Effect.match({
          onSuccess: () => "accepted",
          onFailure: (error) => (error._tag === "IntakePaused" ? error.reason : error._tag),
        }),
        use,
      ),
    refusal: (payloads: ReadonlyArray<Payload>) =>
      Effect.flatMap(Intake, (intake) => Effect.flip(intake.accept(payloads))).pipe(use),
    change: (changes: Partial<IngestProtection>) =>
      Effect.gen(function* () {
        const allowed = yield* AccessPolicy.instance("policies.administer")
        yield* (yield* Policies).update(allowed, "ingestProtection", changes)
      }).pipe(Effect.provideService(CurrentActor, Actor.System()), use),
    state: Effect.flatMap(IntakeGuard, (guard) => guard.state).pipe(use),
    flush: Effect.flatMap(IntakeGuard, (guard) => guard.flushRejections).pipe(use),
  }
})

const startOnSecondNode = (disk: Disk, settings = defaultSettings) =>
  Effect.flatMap(Effect.scope, (scope) => onSecondNode(Scope.provide(start(disk, settings), scope)))

/** An empty queue, an unused rate budget, the default policy, and a factory of payloads. */
const given = Effect.gen(function* () {
  const policies = yield* PolicyStore
  const reset = policies.save("ingestProtection", {}, Factory.noon)
  yield* reset
  yield* Effect.addFinalizer(() => Effect.orDie(Effect.andThen(reset, Effect.ignore(emptyQueue))))
  yield* emptyQueue
  yield* freshMinute
  const { id } = yield* Given.project()
  return {
    disk: { freeBytes: 1e12 } as Disk,
    some: (count: number, bytes = 10) =>
      Array.from({ length: count }, () => Factory.payload(id, { body: new Uint8Array(bytes) })),
  }
})

const times = <A, E, R>(count: number, effect: Effect.Effect<A, E, R>) =>
  Effect.all(
    Array.from({ length: count }, () => effect),
    { concurrency: "unbounded" },
  )

const accepted = (outcomes: ReadonlyArray<string>) =>
  outcomes.filter((outcome) => outcome === "accepted").length

export const intakeGuardSuite: ContractSuite = {
  name: "IntakeGuard",
  cases: [
    contractCase(
      "checks the disk, then the queue, then the rate",
      Effect.gen(function* () {
        const { disk, some } = yield* given
        const node = yield* start(disk)
        yield* node.change({ globalRateLimitPerMinute: 2, maxPendingIngestPayloads: 2 })
        expect(yield* node.send(some(2))).toBe("accepted")
        disk.freeBytes = 2_048 * megabyte - 1
        yield* advance("1 second")
        expect((yield* node.state).pausedBy).toBe("disk")
        expect(yield* node.refusal(some(1))).toMatchObject({ reason: "disk", retryAfterSeconds: 60 })
        disk.freeBytes = 2_048 * megabyte
        yield* advance("1 second")
        expect((yield* node.state).pausedBy).toBe("queue")
        expect(yield* node.refusal(some(1))).toMatchObject({ reason: "queue", retryAfterSeconds: 10 })
        yield* node.change({ backlogProtectionEnabled: false })
        expect((yield* node.state).pausedBy).toBe(null)
        const refused = yield* node.refusal(some(1))
        expect(refused).toMatchObject({ reason: "rate" })
        // Payloads without errors do not count.
        expect(yield* node.send(some(1), 0)).toBe("accepted")
        yield* node.change({ enabled: false })
        expect(yield* node.send(some(5))).toBe("accepted")
      }).pipe(Effect.scoped),
    ),

    contractCase(
      "uses a measurement for at most a second from when it was requested",
      Effect.gen(function* () {
        const { disk } = yield* given
        const node = yield* start(disk)
        const asked = yield* Deferred.make<void>()
        const answered = yield* Deferred.make<void>()
        disk.looked = Effect.andThen(Deferred.succeed(asked, undefined), Deferred.await(answered))
        const early = yield* Effect.forkChild(node.state)
        yield* Deferred.await(asked)
        disk.freeBytes = 2_048 * megabyte - 1
        delete disk.looked
        yield* advance("1 second")
        yield* Deferred.succeed(answered, undefined)
        expect((yield* Fiber.join(early)).pausedBy).toBe(null)
        expect((yield* node.state).pausedBy).toBe("disk")
      }).pipe(Effect.scoped),
    ),

    contractCase(
      "pauses all nodes while too many payloads wait, until they are recorded",
      Effect.gen(function* () {
        const { disk, some } = yield* given
        const one = yield* start(disk)
        const two = yield* startOnSecondNode(disk)
        yield* one.change({ maxPendingIngestPayloads: 20 })
        expect((yield* two.state).pausedBy).toBe(null)
        const outcomes = yield* times(30, one.send(some(1)))
        expect(accepted(outcomes)).toBe(20)
        expect(outcomes).toContain("queue")
        yield* advance("1 second")
        expect(yield* two.state).toMatchObject({ pausedBy: "queue", pendingPayloads: 20, pendingBytes: 200 })
        expect(yield* two.send(some(1))).toBe("queue")
        yield* emptyQueue
        yield* advance("1 second")
        expect(yield* two.state).toMatchObject({ pausedBy: null, pendingPayloads: 0, pendingBytes: 0 })
        expect(yield* two.send(some(20))).toBe("accepted")
        expect(yield* two.send(some(1))).toBe("queue")
      }).pipe(Effect.scoped),
    ),

    contractCase(
      "pauses while too many bytes wait, whatever the policy says",
      Effect.gen(function* () {
        const { disk, some } = yield* given
        const node = yield* start(disk, { ...defaultSettings, maxPendingIngestBytes: megabyte })
        yield* node.change({ backlogProtectionEnabled: false })
        const outcomes = yield* times(5, node.send(some(1, 300_000)))
        expect(accepted(outcomes)).toBe(3)
        yield* emptyQueue
        yield* advance("1 second")
        expect((yield* node.state).pausedBy).toBe(null)
        expect(yield* node.send(some(1, megabyte + 1))).toBe("queue")
        yield* advance("1 second")
        expect((yield* node.state).pausedBy).toBe(null)
        expect(yield* node.send(some(1, megabyte))).toBe("accepted")
        yield* advance("1 second")
        expect((yield* node.state).pausedBy).toBe("queue")
      }).pipe(Effect.scoped),
    ),

    contractCase(
      "refreshes the queue length by itself",
      Effect.gen(function* () {
        const { disk, some } = yield* given
        const node = yield* start(disk, { ...defaultSettings, maxPendingIngestBytes: megabyte })
        yield* node.change({ globalRateLimitPerMinute: 1_000_000 })
        expect((yield* node.state).pausedBy).toBe(null)
        expect(yield* node.send(some(1, 600_000))).toBe("accepted")
        yield* emptyQueue
        // The guard counts these seconds as the cost of a queue count, and pauses twenty times as long before the next
        // one. The storage gets some real time to respond.
        const send = Effect.andThen(
          Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 2))),
          Effect.andThen(advance("1 second"), node.send(some(1, 600_000))),
        )
        expect(
          yield* Effect.repeat(send, { until: (outcome) => outcome === "accepted", times: 20_000 }),
        ).toBe("accepted")
      }).pipe(Effect.scoped),
    ),

    contractCase(
      "accepts no more errors in a minute than the limit, on all nodes together, and all of those",
      Effect.gen(function* () {
        const { disk, some } = yield* given
        const one = yield* start(disk)
        const two = yield* startOnSecondNode(disk)
        yield* one.change({ globalRateLimitPerMinute: 50 })
        const nodes = [one, two, one, two]
        const sent = yield* Effect.all(
          nodes.map((node) => times(15, node.send(some(1)))),
          { concurrency: "unbounded" },
        )
        const first = accepted(sent.flat())
        expect(first).toBeLessThanOrEqual(50)
        // A node releases its unused part of the budget within two seconds.
        let all = first
        for (let round = 0; round < 12 && all < 50; round++) {
          yield* advance("1 second")
          yield* Effect.all([one.state, two.state])
          all += accepted(yield* times(5, one.send(some(1))))
        }
        expect(all).toBe(50)
        yield* advance("1 minute")
        expect(yield* two.send(some(50))).toBe("accepted")
        expect(yield* one.send(some(1))).toBe("rate")
      }).pipe(Effect.scoped),
    ),

    contractCase(
      "applies a policy that another node changed within a second",
      Effect.gen(function* () {
        const { disk, some } = yield* given
        const one = yield* start(disk)
        const two = yield* startOnSecondNode(disk)
        expect(yield* two.send(some(10))).toBe("accepted")
        yield* one.change({ globalRateLimitPerMinute: 10 })
        expect(yield* one.send(some(1))).toBe("rate")
        yield* advance("1 second")
        yield* two.state
        expect(yield* two.send(some(1))).toBe("rate")
        yield* one.change({ globalRateLimitPerMinute: 12 })
        yield* advance("1 second")
        yield* two.state
        expect(yield* two.send(some(3))).toBe("rate")
        expect(yield* two.send(some(2))).toBe("accepted")
        expect(yield* two.send(some(1))).toBe("rate")
      }).pipe(Effect.scoped),
    ),

    contractCase(
      "counts rejected events by reason, for all nodes",
      Effect.gen(function* () {
        const { disk, some } = yield* given
        const statistics = yield* IngestStatistics
        const since = yield* DateTime.now
        const before = yield* statistics.recent(since)
        const full: Disk = { freeBytes: 0 }
        const one = yield* start(disk)
        const two = yield* startOnSecondNode(full)
        yield* one.change({ globalRateLimitPerMinute: 1, maxPendingIngestPayloads: 1 })
        yield* two.send(some(3))
        expect(yield* one.send(some(2))).toBe("queue")
        yield* one.change({ backlogProtectionEnabled: false })
        expect(yield* one.send(some(2))).toBe("rate")
        expect(yield* one.send(some(7))).toBe("rate")
        yield* Effect.all([one.flush, two.flush, one.flush])
        const after = yield* statistics.recent(since)
        expect([
          after.rejectedByDisk - before.rejectedByDisk,
          after.rejectedByQueue - before.rejectedByQueue,
          after.rejectedByRate - before.rejectedByRate,
        ]).toEqual([1, 1, 2])
      }).pipe(Effect.scoped),
    ),

    contractCase(
      "warns once of a low disk, before it pauses the intake",
      Effect.gen(function* () {
        const { some } = yield* given
        const disk: Disk = { freeBytes: 9_000 * megabyte }
        const node = yield* start(disk)
        const at = (megabytes: number) => {
          disk.freeBytes = megabytes * megabyte
          return Effect.andThen(
            advance("1 second"),
            Effect.map(node.state, ({ isDiskLow }) => isDiskLow),
          )
        }
        expect(yield* at(8_192)).toBe(false)
        expect(yield* at(8_191)).toBe(true)
        expect(yield* node.send(some(1))).toBe("accepted")
        expect(yield* at(9_000)).toBe(true)
        expect(yield* at(9_100)).toBe(false)
        // On a smaller disk the limit is half of its size.
        disk.totalBytes = 6_000 * megabyte
        expect(yield* at(3_100)).toBe(false)
        expect(yield* at(2_999)).toBe(true)
        yield* node.change({ diskProtectionEnabled: false })
        expect(yield* at(1)).toBe(false)
      }).pipe(Effect.scoped),
    ),

    contractCase(
      "accepts events if the disk cannot be measured, and reports why",
      Effect.gen(function* () {
        const { some } = yield* given
        const disk: Disk = { freeBytes: 0 }
        const node = yield* start(disk)
        expect(yield* node.send(some(1))).toBe("disk")
        expect(yield* node.state).toMatchObject({
          pausedBy: "disk",
          disk: "measured",
          diskUse: { freeBytes: 0 },
          diskFloor: 2_048 * megabyte,
        })
        disk.freeBytes = null
        yield* advance("1 second")
        expect(yield* node.state).toMatchObject({ pausedBy: null, disk: "unmeasurable", diskUse: null })
        expect(yield* node.send(some(1))).toBe("accepted")
        disk.why = "elsewhere"
        yield* advance("1 second")
        expect(yield* node.state).toMatchObject({ pausedBy: null, disk: "unseen", diskUse: null })
        disk.freeBytes = 0
        yield* node.change({ diskProtectionEnabled: false })
        expect(yield* node.state).toMatchObject({ pausedBy: null, disk: "measured", diskFloor: null })
        expect(yield* node.send(some(1))).toBe("accepted")
      }).pipe(Effect.scoped),
    ),
  ],
}
