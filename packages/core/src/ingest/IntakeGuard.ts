/**
 * Decides before anything is written whether what comes may be accepted: whether the disk has room, the queue has, and
 * the minute's budget has. It decides from memory, for every request; what it knows is refreshed in the background.
 */
import { Cause, Context, DateTime, Duration, Effect, Layer, Queue, Semaphore } from "effect"
import { ErrataConfig } from "../ErrataConfig.js"
import * as Waiting from "../internal/Waiting.js"
import type { IngestProtection } from "../policy/Policy.js"
import { inForce } from "../policy/PolicyInForce.js"
import { PolicyStore } from "../policy/PolicyStore.js"
import { DiskSpace, DiskUnmeasurable, type DiskUse } from "../storage/DiskSpace.js"
import { StorageError } from "../storage/StorageError.js"
import { StorageOutage } from "../storage/StorageOutage.js"
import { IngestStatistics } from "./IngestStatistics.js"
import { IntakePaused, type IntakePauseReason } from "./IntakePaused.js"
import { PendingPayloads } from "./PendingPayloads.js"
import { QueueEstimate } from "./QueueEstimate.js"
import { type Decide, RateBudget } from "./RateBudget.js"
import { RateWindow } from "./RateWindow.js"

/** What one request wants to have accepted. */
export interface IntakeDemand {
  /** Payloads that become reports: what the rate counts. */
  readonly errors: number
  readonly payloads: number
  /** Of their bodies. */
  readonly bytes: number
  /** Captured in this process: the rate counts them and does not refuse them. */
  readonly isOwn?: boolean
}

/** How the intake is protected at a moment, for whoever watches over this node. */
export interface IntakeState {
  /** What pauses all of the intake; null where nothing does. A rate that is used up is no pause. */
  readonly pausedBy: "disk" | "queue" | null
  /**
   * `unseen` where nobody can be expected to measure: a database elsewhere, or none on a disk. `unmeasurable` where it
   * should be measured and is not. Neither pauses the intake.
   */
  readonly disk: "measured" | "unmeasurable" | "unseen"
  /** Null unless measured. */
  readonly diskUse: DiskUse | null
  /** In bytes; null where the disk is not protected. */
  readonly diskFloor: number | null
  /** The disk has so little room that an operator has to act before the intake pauses. */
  readonly isDiskLow: boolean
  readonly pendingPayloads: number
  readonly pendingBytes: number
}

export class IntakeGuard extends Context.Service<IntakeGuard>()("@errata/core/ingest/IntakeGuard", {
  make: Effect.gen(function* () {
    const { intake, maxPendingIngestBytes, policies: defaults } = yield* ErrataConfig
    const policies = yield* PolicyStore
    const pending = yield* PendingPayloads
    const statistics = yield* IngestStatistics
    const diskSpace = yield* DiskSpace
    const outage = yield* StorageOutage
    const clock = yield* Effect.clockWith(Effect.succeed)
    const scope = yield* Effect.scope
    const budget = yield* RateBudget.make(
      defaults.ingestProtection.globalRateLimitPerMinute,
      yield* RateWindow,
    )
    const runFork = Effect.runForkWith(yield* Effect.context<never>())
    const permit = yield* Semaphore.make(1)
    const wake = yield* Queue.sliding<void>(1)

    // Plain mutable state, for the same reason as in `RateBudget`.
    let policy: IngestProtection | null = null
    let disk: Disk = unseen
    let isDiskFull = false
    let isDiskLow = false
    let isQueueFull = false
    /** Something did not fit since the queue was counted. */
    let isQueueTight = false
    let refreshedAt = Number.NEGATIVE_INFINITY
    let isRunning = false
    /** How often it was looked up since the last request. */
    let quietTurns = 0
    let isDiskToldOf = false
    const queue = new QueueEstimate()
    const rejections: Record<IntakePauseReason, number> = { disk: 0, queue: 0, rate: 0 }
    /** Requests that came before anything was known. */
    let early: Array<{ readonly demand: IntakeDemand; readonly decide: Decide }> = []
    /** Of requests that wait for a decision. */
    let undecidedBytes = 0

    const measure = diskSpace.measure.pipe(
      Effect.timeoutOrElse({
        duration: measureTimeout,
        orElse: () => Effect.fail(new DiskUnmeasurable({ reason: "the file system does not respond" })),
      }),
      Effect.match({
        onSuccess: (use): Disk => ({ state: "measured", use, reason: "" }),
        onFailure: ({ reason, why }): Disk =>
          why === undefined ? { state: "unmeasurable", use: null, reason } : { ...unseen, why, reason },
      }),
    )

    /** Logs the beginning and the end of each pause and of a low disk, and once that the disk is not protected. */
    const tell = Effect.fnUntraced(function* (
      wasDiskFull: boolean,
      wasQueueFull: boolean,
      wasDiskLow: boolean,
    ) {
      if (isDiskLow !== wasDiskLow) {
        yield* (
          isDiskLow
            ? Effect.logWarning(
                "The database's disk is low. Free space on it, or keep errors for fewer days.",
              )
            : Effect.logInfo("The database's disk has enough free space again")
        ).pipe(
          Effect.annotateLogs({
            freeBytes: disk.use?.freeBytes ?? null,
            intakePausesBelowBytes: policy === null ? null : floorOf(policy),
          }),
        )
      }
      if (isDiskFull !== wasDiskFull) {
        yield* isDiskFull
          ? Effect.logWarning("The intake is paused: the database's disk has too little free space")
          : Effect.logInfo("The intake resumed: the database's disk has enough free space")
      }
      if (isQueueFull !== wasQueueFull) {
        yield* isQueueFull
          ? Effect.logWarning("The intake is paused: the queue is full")
          : Effect.logInfo("The intake resumed: the queue has room")
      }
      const isBlind =
        disk.state !== "measured" && disk.why !== "no_disk" && policy?.diskProtectionEnabled === true
      if (isBlind && !isDiskToldOf) {
        yield* Effect.annotateLogs(
          Effect.logWarning(
            "The database's disk cannot be measured, so low disk space does not pause the intake",
          ),
          { reason: disk.reason },
        )
      }
      isDiskToldOf = isBlind
    })

    const flushRejections = Effect.suspend(() => {
      const counts = { ...rejections }
      if (counts.disk + counts.queue + counts.rate === 0) return Effect.void
      rejections.disk = rejections.queue = rejections.rate = 0
      const { disk: byDisk, queue: byQueue, rate } = counts
      return DateTime.now.pipe(
        Effect.flatMap((now) =>
          statistics.add({ rejectedByDisk: byDisk, rejectedByQueue: byQueue, rejectedByRate: rate }, now),
        ),
        Effect.onError(() =>
          Effect.sync(() => {
            rejections.disk += byDisk
            rejections.queue += byQueue
            rejections.rate += rate
          }),
        ),
      )
    })

    const refreshNow = Effect.gen(function* () {
      // As old as the questions: what has changed since they were asked may not be in the answers.
      const askedAt = clock.currentTimeMillisUnsafe()
      const found = inForce(defaults, "ingestProtection", yield* policies.find("ingestProtection"))
      const answered = queue.asking()
      const [size, measured] = yield* Effect.all([pending.size, measure], { concurrency: 2 })
      answered(size)
      policy = found
      disk = measured
      const [wasDiskFull, wasQueueFull, wasDiskLow] = [isDiskFull, isQueueFull, isDiskLow]
      isDiskFull = policy.diskProtectionEnabled && disk.use !== null && disk.use.freeBytes < floorOf(policy)
      if (!policy.diskProtectionEnabled) isDiskLow = false
      else if (disk.use !== null) isDiskLow = isLow(disk.use, floorOf(policy), wasDiskLow)
      isQueueFull = isFull(policy, 0, 0)
      isQueueTight = false
      refreshedAt = askedAt
      if (policy.enabled) budget.tick(policy.globalRateLimitPerMinute)
      decideEarly(null)
      yield* tell(wasDiskFull, wasQueueFull, wasDiskLow)
      yield* flushRejections
    })

    const refresh = permit.withPermits(1)(refreshNow)

    /** A second old at most. */
    const refreshIfOld = permit.withPermits(1)(
      Effect.suspend(() =>
        clock.currentTimeMillisUnsafe() - refreshedAt < interval ? Effect.void : refreshNow,
      ),
    )

    /**
     * Counting a large queue takes a while: it gets a twentieth of the time. The wait has a limit, because a machine that
     * was suspended meanwhile seems to have counted for hours.
     */
    const loop = Effect.gen(function* () {
      const [took] = yield* Effect.timed(
        Effect.catchCause(refresh, (cause) =>
          Effect.andThen(
            outage.logFailure(lookUpFailed, cause),
            Effect.sync(() => decideEarly(storageErrorOf(cause))),
          ),
        ),
      )
      const least = Math.min(Math.max(shortestInterval, 20 * Duration.toMillis(took)), longestInterval)
      yield* Effect.sleep(least)
      yield* Effect.raceFirst(Queue.take(wake), Effect.sleep(Math.max(0, interval - least)))
      // Where nobody sends anything there is nothing to look up: the next request wakes it.
      if (quietTurns++ >= maxQuietTurns) yield* Queue.take(wake)
    }).pipe(Effect.forever)

    const start = () => {
      isRunning = true
      runFork(Effect.forkIn(Effect.interruptible(loop), scope))
    }

    /** Whether so much more is too much: 0 asks whether nothing more fits. */
    const isFull = (
      { backlogProtectionEnabled, maxPendingIngestPayloads }: IngestProtection,
      payloads: number,
      bytes: number,
    ): boolean =>
      (backlogProtectionEnabled && queue.payloads + Math.max(payloads, 1) > maxPendingIngestPayloads) ||
      queue.bytes + Math.max(bytes, 1) > maxPendingIngestBytes

    const pausedBy = (reason: "disk" | "queue"): IntakePaused => {
      rejections[reason]++
      return new IntakePaused({ reason, retryAfterSeconds: pauses[reason] })
    }

    /** Null where the request may go on to the rate. */
    const paused = (policy: IngestProtection, { bytes, payloads }: IntakeDemand): IntakePaused | null => {
      if (isDiskFull) return pausedBy("disk")
      if (isQueueFull || isQueueTight || isFull(policy, payloads, bytes)) {
        // Until the queue is counted anew: what is smaller and would fit is not let past what is not.
        isQueueTight = true
        Queue.offerUnsafe(wake, undefined)
        return pausedBy("queue")
      }
      return null
    }

    const decideBy = (policy: IngestProtection, demand: IntakeDemand, decide: Decide): void => {
      const refused = paused(policy, demand)
      if (refused !== null) {
        decide(refused)
        return
      }
      queue.admit(demand.payloads, demand.bytes)
      if (policy.backlogProtectionEnabled && 4 * queue.added > policy.maxPendingIngestPayloads) {
        Queue.offerUnsafe(wake, undefined)
      }
      if (!policy.enabled || demand.errors === 0) {
        decide(null)
        return
      }
      if (demand.isOwn === true) {
        budget.spend(demand.errors, () => {})
        decide(null)
        return
      }
      undecidedBytes += demand.bytes
      budget.spend(demand.errors, (refused) => {
        undecidedBytes -= demand.bytes
        if (refused !== null) {
          queue.settle(demand.payloads, demand.bytes, false)
          if (refused._tag === "IntakePaused") rejections.rate++
        }
        decide(refused)
      })
    }

    const decideEarly = (failure: StorageError | null): void => {
      const waiting = early
      early = []
      for (const { decide, demand } of waiting) {
        undecidedBytes -= demand.bytes
        if (policy !== null) decideBy(policy, demand, decide)
        else if (failure !== null) decide(failure)
      }
    }

    /**
     * Calls `decide` with null, or with why the request is refused; at once where nobody has to be asked. It must not
     * throw. What was admitted is settled when its write has ended.
     */
    const admit = (demand: IntakeDemand, decide: Decide): void => {
      if (undecidedBytes > 0 && undecidedBytes + demand.bytes > intake.maxWaitingBytes) {
        decide(tooManyWait)
        return
      }
      // Also where a change of the policy or somebody who watches has looked everything up before the first request came.
      const isFirst = !isRunning
      if (isFirst) start()
      else if (quietTurns > maxQuietTurns) Queue.offerUnsafe(wake, undefined)
      quietTurns = 0
      if (policy !== null) {
        decideBy(policy, demand, decide)
        return
      }
      early.push({ demand, decide })
      undecidedBytes += demand.bytes
      if (!isFirst) Queue.offerUnsafe(wake, undefined)
    }

    const settle = (demand: IntakeDemand, isWritten: boolean): void =>
      queue.settle(demand.payloads, demand.bytes, isWritten)

    yield* Effect.addFinalizer(() =>
      Effect.andThen(flushRejections, budget.close).pipe(
        // At the end there is nobody to tell; a storage that is away must not hold it up.
        Effect.ignore,
        Waiting.atMost("1 second"),
      ),
    )

    /** How things stand, a second old at most. */
    const state: Effect.Effect<IntakeState, StorageError> = Effect.map(refreshIfOld, () => ({
      pausedBy: isDiskFull ? "disk" : isQueueFull || isQueueTight ? "queue" : null,
      disk: disk.state,
      diskUse: disk.use,
      diskFloor: policy?.diskProtectionEnabled === true ? floorOf(policy) : null,
      isDiskLow,
      pendingPayloads: queue.payloads,
      pendingBytes: queue.bytes,
    }))

    /** For whoever has changed the policy: here it holds at once, on other nodes within a second or two. */
    const policyChanged = Effect.catchCause(refresh, (cause) => outage.logFailure(lookUpFailed, cause))

    return { admit, settle, state, policyChanged, flushRejections }
  }),
}) {
  static readonly Default = Layer.effect(this, this.make)
}

// internal

interface Disk {
  readonly state: IntakeState["disk"]
  readonly use: DiskUse | null
  readonly reason: string
  readonly why?: DiskUnmeasurable["why"]
}

const unseen: Disk = { state: "unseen", use: null, reason: "" }

const floorOf = ({ minimumFreeDiskSpaceMb }: IngestProtection): number => minimumFreeDiskSpaceMb * 1024 * 1024

/**
 * Below four times the floor, or half of a disk that is smaller than that. It ends a tenth above, so that a disk at the
 * limit is logged once.
 */
const isLow = ({ freeBytes, totalBytes }: DiskUse, floor: number, wasLow: boolean): boolean =>
  freeBytes < Math.min(4 * floor, totalBytes / 2) * (wasLow ? 1.1 : 1)

/** Enough for what the rate's budget has left over to be given back. */
const maxQuietTurns = 3

/** Milliseconds between two checks of policy, queue and disk. */
const interval = 1000
/** Where something is about to change. */
const shortestInterval = 100
/** Where counting the queue takes long. */
const longestInterval = 60_000

const measureTimeout = "2 seconds"

/** Seconds after which a client may try again. A queue empties in seconds; a disk waits for somebody to act. */
const pauses = { disk: 60, queue: 10 }

const lookUpFailed = "Loading the ingest protection policy failed"

const tooManyWait = new StorageError({
  operation: "IntakeGuard.admit",
  reason: "unavailable",
  cause: new Error("too many requests wait for a decision"),
})

const storageErrorOf = (cause: Cause.Cause<unknown>): StorageError => {
  const failure = Cause.squash(cause)
  return failure instanceof StorageError
    ? failure
    : new StorageError({ operation: "IntakeGuard.refresh", reason: "rejected", cause: failure })
}
