/**
 * Decides from memory whether a request is accepted: the disk and the queue must have room, and the minute's rate must
 * not be used up. The policy, the queue and the disk are checked again in the background.
 */
import { Cause, Context, Deferred, Effect, Layer, Semaphore } from "effect"
import { ErrataConfig } from "../ErrataConfig.js"
import * as Waiting from "../internal/Waiting.js"
import type { IngestProtection } from "../policy/Policy.js"
import { inForce } from "../policy/PolicyInForce.js"
import { PolicyStore } from "../policy/PolicyStore.js"
import { DiskSpace, type DiskUse } from "../storage/DiskSpace.js"
import { RateLimitStore } from "../storage/RateLimitStore.js"
import { StorageError } from "../storage/StorageError.js"
import { StorageOutage } from "../storage/StorageOutage.js"
import * as DiskWatch from "./DiskWatch.js"
import * as GuardSchedule from "./GuardSchedule.js"
import { IngestStatistics } from "./IngestStatistics.js"
import { IntakePaused } from "./IntakePaused.js"
import { PendingPayloads } from "./PendingPayloads.js"
import type { QueueSize } from "./QueueEstimate.js"
import { QueueWatch } from "./QueueWatch.js"
import { RateBudget } from "./RateBudget.js"
import { Rejections } from "./Rejections.js"

/** The size of a request. */
export interface IntakeDemand {
  /** Payloads that become reports. The rate counts these. */
  readonly errors: number
  readonly payloads: number
  /** Total size of the payloads' bodies. */
  readonly bytes: number
  /** Captured in this process: the rate counts them and does not refuse them. */
  readonly isOwn?: boolean
}

/** The state of the protection on this node. */
export interface IntakeState {
  /** The reason why the whole intake is paused. A used-up rate is not a pause. */
  readonly pausedBy: "disk" | "queue" | null
  readonly disk: DiskWatch.DiskReading["state"]
  /** Null unless measured. */
  readonly diskUse: DiskUse | null
  /** In bytes; null if the disk is not protected. */
  readonly diskFloor: number | null
  /** An operator must free space before the intake pauses. */
  readonly isDiskLow: boolean
  readonly pendingPayloads: number
  readonly pendingBytes: number
}

/** Decides whether errors are accepted now: refuses them when the disk, the queue or the rate of a minute is full. */
export class IntakeGuard extends Context.Service<IntakeGuard>()("@errata/core/ingest/IntakeGuard", {
  make: Effect.gen(function* () {
    const { intake, maxPendingIngestBytes, policies: defaults } = yield* ErrataConfig
    const policies = yield* PolicyStore
    const pending = yield* PendingPayloads
    const diskSpace = yield* DiskSpace
    const outage = yield* StorageOutage
    const clock = yield* Effect.clockWith(Effect.succeed)
    const permit = yield* Semaphore.make(1)
    const rejections = new Rejections(yield* IngestStatistics)
    const { globalRateLimitPerMinute } = defaults.ingestProtection
    const budget = yield* RateBudget.make(globalRateLimitPerMinute, yield* RateLimitStore)
    const disk = new DiskWatch.DiskWatch()
    const queue = new QueueWatch(maxPendingIngestBytes)

    // Plain mutable state: every request reads it.
    let policy: IngestProtection | null = null
    let checkedAt = Number.NEGATIVE_INFINITY
    /** Requests that arrived before the first check wait for this. */
    let firstCheck = Deferred.makeUnsafe<IngestProtection, StorageError>()
    /** Bytes of the requests that wait for a decision. */
    let undecidedBytes = 0

    const check = Effect.gen(function* () {
      const startedAt = clock.currentTimeMillisUnsafe()
      const found = inForce(defaults, "ingestProtection", yield* policies.find("ingestProtection"))
      const counted = queue.size.asking()
      const [size, reading] = yield* Effect.all([pending.size, DiskWatch.read(diskSpace)], { concurrency: 2 })
      counted(size)
      policy = found
      checkedAt = startedAt
      const log = Effect.andThen(disk.update(reading, found), queue.update(found))
      if (found.enabled) yield* budget.tick(found.globalRateLimitPerMinute)
      yield* Deferred.succeed(firstCheck, found)
      yield* log
      yield* rejections.flush
    })

    const failFirstCheck = (cause: Cause.Cause<unknown>) =>
      Effect.suspend(() => {
        const waited = firstCheck
        if (policy === null) firstCheck = Deferred.makeUnsafe()
        return Deferred.fail(waited, storageErrorOf(cause))
      })

    const checkAndLog = Effect.catchCause(permit.withPermits(1)(check), (cause) =>
      Effect.andThen(
        outage.logFailure("Loading the ingest protection policy failed", cause),
        failFirstCheck(cause),
      ),
    )

    const schedule = yield* GuardSchedule.make(checkAndLog)

    const reject = (reason: "disk" | "queue") => {
      rejections.add(reason)
      return new IntakePaused({ reason, retryAfterSeconds: retryAfterSeconds[reason] })
    }

    const decide = (
      policy: IngestProtection,
      { bytes, errors, isOwn = false, payloads }: IntakeDemand,
    ): Effect.Effect<void, IntakePaused | StorageError> => {
      if (disk.isFull) return reject("disk")
      const hasRoom = queue.admits(policy, payloads, bytes)
      if (queue.isDue(policy)) schedule.hurry()
      if (!hasRoom) return reject("queue")
      if (!policy.enabled || errors === 0) return Effect.void
      if (isOwn) return Effect.asVoid(Effect.forkDetach(Effect.ignore(budget.spend(errors))))
      return budget.spend(errors).pipe(
        Effect.tapErrorTag("IntakePaused", () => Effect.sync(() => rejections.add("rate"))),
        Effect.onError(() => Effect.sync(() => queue.size.settle(payloads, bytes, false))),
      )
    }

    /**
     * Succeeds if the request is accepted. Call `settle` when it is written or given up. Only requests before the first check
     * and requests without rate budget wait.
     */
    const admit = (demand: IntakeDemand): Effect.Effect<void, IntakePaused | StorageError> =>
      Effect.suspend(() => {
        if (undecidedBytes > 0 && undecidedBytes + demand.bytes > intake.maxWaitingBytes) return tooManyWait
        schedule.noteRequest()
        if (policy === null) schedule.hurry()
        const decided =
          policy === null
            ? Effect.flatMap(Deferred.await(firstCheck), (policy) => decide(policy, demand))
            : decide(policy, demand)
        undecidedBytes += demand.bytes
        return Effect.ensuring(
          decided,
          Effect.sync(() => {
            undecidedBytes -= demand.bytes
          }),
        )
      })

    const settle = ({ bytes, payloads }: QueueSize, isWritten: boolean): void =>
      queue.size.settle(payloads, bytes, isWritten)

    yield* Effect.addFinalizer(() =>
      // An unavailable storage must not delay the stop.
      Waiting.atMost("1 second")(Effect.ignore(Effect.andThen(rejections.flush, budget.close))),
    )

    /** At most a second old. */
    const state: Effect.Effect<IntakeState, StorageError> = Effect.suspend(() =>
      clock.currentTimeMillisUnsafe() - checkedAt < GuardSchedule.interval ? Effect.void : check,
    ).pipe(
      permit.withPermits(1),
      Effect.map(() => ({
        pausedBy: disk.isFull ? "disk" : queue.isPaused ? "queue" : null,
        disk: disk.reading.state,
        diskUse: disk.reading.use,
        diskFloor: policy?.diskProtectionEnabled === true ? DiskWatch.floorOf(policy) : null,
        isDiskLow: disk.isLow,
        pendingPayloads: queue.size.payloads,
        pendingBytes: queue.size.bytes,
      })),
    )

    return {
      admit,
      settle,
      state,
      policyChanged: checkAndLog,
      // After a check, which may be writing them.
      flushRejections: permit.withPermits(1)(rejections.flush),
    }
  }),
}) {
  static readonly Default = Layer.effect(this, this.make)
}

// internal

/** The queue empties within seconds. A full disk needs an operator. */
const retryAfterSeconds = { disk: 60, queue: 10 }

const tooManyWait = new StorageError({
  operation: "IntakeGuard.admit",
  reason: "unavailable",
  cause: new Error("too many requests wait for a decision"),
})

const storageErrorOf = (cause: Cause.Cause<unknown>): StorageError => {
  const failure = Cause.squash(cause)
  return failure instanceof StorageError
    ? failure
    : new StorageError({ operation: "IntakeGuard.check", reason: "rejected", cause: failure })
}
