/**
 * Sends deliveries to targets. One loop creates deliveries from group events. A second one leases due deliveries and
 * attempts them. A third one writes the results in batches. Any number of nodes share the work.
 */
import { Clock, DateTime, Deferred, Duration, Effect, FiberSet, Layer, Queue, Schedule } from "effect"
import * as AlertEvents from "../alert/AlertEvents.js"
import * as Heartbeat from "../background/Heartbeat.js"
import * as Loop from "../background/Loop.js"
import { type AttemptResult, DeliveryStore, type LeasedDelivery } from "../delivery/DeliveryStore.js"
import { Receivers } from "../delivery/Receivers.js"
import type { TargetId } from "../delivery/Target.js"
import { ErrataConfig } from "../ErrataConfig.js"
import { OutboxSignal } from "../group/OutboxSignal.js"
import * as Waiting from "../internal/Waiting.js"
import { membersKind, webhookKind } from "../notification/Target.js"
import { TargetStore } from "../notification/TargetStore.js"
import type { ProjectId } from "../project/Project.js"
import { StorageOutage } from "../storage/StorageOutage.js"
import { fanOutSome } from "../webhook/FanOut.js"
import * as Attempt from "./Attempt.js"

/** The name of the dispatcher's heartbeat. */
export const heartbeatName = "dispatch"

/**
 * Dispatches until the scope closes. Then it waits briefly for running attempts, and releases all other deliveries.
 */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const { webhooks: settings } = yield* ErrataConfig
    const outage = yield* StorageOutage
    const signal = yield* OutboxSignal
    const deliveries = yield* DeliveryStore
    const targets = yield* TargetStore
    const attempt = yield* Attempt.make
    const { beat, failed, passed } = yield* Heartbeat.make(heartbeatName)
    const receivers = new Receivers(settings.concurrency, settings.perReceiver)
    const attempts = yield* FiberSet.make<void>()
    const ended = yield* Queue.unbounded<Ended>()
    // One pending signal is enough: the loop that wakes up leases everything that is due.
    const wake = yield* Queue.sliding<void>(1)
    const idle = yield* Deferred.make<void>()
    const leaseDuration = Duration.sum(settings.attemptTimeout, settings.leaseMargin)
    let underWay = 0
    let isStopping = false

    const run = <A, E, R>(work: Effect.Effect<A, E, R>) =>
      Loop.forever(work, (cause) =>
        Effect.andThen(
          failed(cause),
          outage.logFailure("Sending deliveries failed and will be retried", cause),
        ),
      )

    // A start must not wait for it, and an unavailable storage only delays it.
    yield* Effect.forkScoped(Effect.retry(AlertEvents.subscribe, Loop.retrySchedule))

    const fanOut = Effect.repeat(fanOutSome, { while: (count) => count > 0 }).pipe(
      Effect.andThen(Effect.repeat(AlertEvents.evaluateSome, { while: (count) => count > 0 })),
      Effect.andThen(Queue.offer(wake, undefined)),
      Effect.andThen(Effect.raceFirst(signal.await, Effect.sleep(settings.pollInterval))),
    )

    /** Runs to its end even while the node stops: `ended` gets every leased delivery. */
    const start = (delivery: LeasedDelivery, leasedUntil: bigint) => {
      underWay++
      receivers.begin(delivery.targetId)
      const send = Effect.gen(function* () {
        const left = Duration.nanos(leasedUntil - (yield* Clock.currentTimeNanos))
        // The delivery waited here for so long that another node may have leased it.
        if (Duration.isLessThanOrEqualTo(left, margin)) return null
        const longest = Duration.subtract(left, margin)
        return yield* attempt(delivery, Duration.min(settings.attemptTimeout, longest))
      })
      return FiberSet.run(
        attempts,
        Effect.interruptible(send).pipe(
          Effect.catchCause((cause) =>
            Effect.as(Effect.logDebug("An attempt to deliver did not finish", cause), null),
          ),
          Effect.flatMap((result) => Queue.offer(ended, { delivery, result })),
          Effect.uninterruptible,
          Effect.asVoid,
        ),
      )
    }

    const lease = Effect.gen(function* () {
      for (const share of receivers.shares()) {
        const limit = receivers.left(share)
        if (limit <= 0) continue
        const leasedUntil = (yield* Clock.currentTimeNanos) + nanosOf(leaseDuration)
        const leased = yield* deliveries.lease({ ...share, limit, duration: leaseDuration })
        for (const delivery of leased) yield* start(delivery, leasedUntil)
      }
    }).pipe(Effect.uninterruptible)

    const sendDue = Effect.andThen(lease, passed).pipe(
      Effect.andThen(Effect.raceFirst(Queue.take(wake), Effect.sleep(settings.pollInterval))),
    )

    const writeDown = (some: ReadonlyArray<Ended>) => {
      const results = some.filter(isResult)
      const back = some.filter(({ result }) => result === null)
      return Effect.gen(function* () {
        if (results.length > 0) yield* deliveries.settle(results)
        const changed = failingOf(results)
        if (changed.length > 0) yield* targets.setFailing(changed, yield* DateTime.now)
        if (back.length > 0) yield* deliveries.release(back.map(({ delivery }) => delivery))
      }).pipe(
        Effect.tapCause((cause) => outage.logFailure("Recording attempts to deliver failed", cause)),
        // A write is finished once begun. Only the pauses between can be interrupted, or it would continue after a
        // stop.
        Effect.uninterruptible,
        // If the storage is unavailable for longer than the leases, the deliveries are sent again, here or elsewhere.
        Effect.retry(Schedule.upTo(Loop.retrySchedule, { duration: leaseDuration })),
        Effect.ignore,
      )
    }

    const write = Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const some = [...(yield* restore(Queue.takeBetween(ended, 1, batchSize)))]
        yield* restore(writeDown(some))
        for (const { delivery, result } of some) {
          underWay--
          receivers.end(delivery.targetId, result)
        }
        // Deliveries that were released unsent wait for the next poll, or they would be leased again without a pause.
        if (some.some(isResult)) yield* Queue.offer(wake, undefined)
        if (isStopping && underWay === 0) yield* Deferred.succeed(idle, undefined)
      }),
    )

    const writer = yield* Effect.forkDetach(Effect.interruptible(Effect.forever(write)))
    yield* Effect.addFinalizer(() =>
      Effect.gen(function* () {
        isStopping = true
        yield* Waiting.atMost(settings.stopTimeout)(FiberSet.awaitEmpty(attempts))
        yield* FiberSet.clear(attempts)
        // Their results are written soon. The stop does not wait for an unavailable storage.
        if (underWay > 0) yield* Waiting.atMost(lastWrites)(Deferred.await(idle))
        writer.interruptUnsafe()
      }),
    )
    yield* Loop.start([run(fanOut), run(sendDue), beat])
  }),
)

// internal

/** An attempt that came to an end; without a result where it was not made. */
interface Ended {
  readonly delivery: LeasedDelivery
  readonly result: AttemptResult | null
}

interface Attempted extends Ended {
  readonly result: AttemptResult
}

const isResult = (ended: Ended): ended is Attempted => ended.result !== null

/** The targets whose messages begin or cease to fail with these results; the last result of a target counts. */
const failingOf = (results: ReadonlyArray<Attempted>) => {
  const changed = new Map<TargetId, { projectId: ProjectId; targetId: TargetId; failing: boolean }>()
  for (const { delivery, result } of results) {
    const { isFailing, kind, projectId, targetId } = delivery
    if (result.status === "pending" || kind === webhookKind || kind === membersKind) continue
    const failing = result.status === "failed"
    if (failing === isFailing) changed.delete(targetId)
    else changed.set(targetId, { projectId, targetId, failing })
  }
  return [...changed.values()]
}

const batchSize = 500

/** Before a lease is over nothing is under way any more, clocks that differ a little included. */
const margin = Duration.millis(250)

const lastWrites = Duration.seconds(2)

const nanosOf = (duration: Duration.Duration): bigint =>
  BigInt(Math.round(Duration.toMillis(duration))) * 1_000_000n
