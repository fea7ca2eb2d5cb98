/**
 * Maps the frames of recorded reports: from hosted maps, after a later upload, or on request. Any number of nodes
 * share the work.
 */
import { Cause, Duration, Effect, FiberSet, Layer, Queue } from "effect"
import * as Heartbeat from "../background/Heartbeat.js"
import * as Loop from "../background/Loop.js"
import { ErrataConfig } from "../ErrataConfig.js"
import * as Waiting from "../internal/Waiting.js"
import { StorageOutage } from "../storage/StorageOutage.js"
import * as ReportMapping from "./ReportMapping.js"
import { type LeasedReport, SourcemapReportStore } from "./SourcemapReportStore.js"

/** The name of the heartbeat in the storage. */
export const heartbeatName = "map-frames"

/** Maps queued reports until none are left, except those that other nodes have leased. Returns their number. */
export const drain = Effect.gen(function* () {
  const { sourcemaps: settings } = yield* ErrataConfig
  const store = yield* SourcemapReportStore
  const attempt = yield* ReportMapping.make
  const some = Effect.gen(function* () {
    const leased = yield* store.lease({
      limit: settings.concurrency,
      perProject: settings.perProject,
      duration: settings.leaseDuration,
    })
    yield* Effect.forEach(leased, attempt, { discard: true })
    return leased.length
  })
  let total = 0
  while (true) {
    const count = yield* some
    total += count
    if (count === 0) return total
  }
})

/** Maps reports until the scope closes, which releases reports in progress. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const { sourcemaps: settings } = yield* ErrataConfig
    const outage = yield* StorageOutage
    const store = yield* SourcemapReportStore
    const attempt = yield* ReportMapping.make
    const { beat, failed, passed } = yield* Heartbeat.make(heartbeatName)
    const underWay = yield* FiberSet.make<void>()
    const held = new Set<LeasedReport>()
    const wake = yield* Queue.sliding<void>(1)

    const giveBack = (leased: LeasedReport) =>
      store.release([leased]).pipe(
        // If the storage is unavailable, the lease expires instead.
        Waiting.atMost(patience),
        Effect.catchCause((cause) => outage.logFailure("Releasing the lease of a report failed", cause)),
      )

    /** A report that fails is leased again when its lease expires, at most `maxLeases` times. */
    const start = (leased: LeasedReport) =>
      FiberSet.run(
        underWay,
        // Only the attempt can be interrupted; the cleanup after it always runs.
        Effect.interruptible(
          Effect.tap(attempt(leased), (isPostponed) => (isPostponed ? Effect.sleep(rest) : Effect.void)),
        ).pipe(
          Effect.catchCause((cause) =>
            Cause.hasInterruptsOnly(cause)
              ? giveBack(leased)
              : outage.logFailure("Mapping the frames of a report failed", cause),
          ),
          Effect.ensuring(Effect.sync(() => held.delete(leased))),
          Effect.ensuring(Queue.offer(wake, undefined)),
          Effect.uninterruptible,
        ),
      )

    const lease = Effect.gen(function* () {
      const limit = settings.concurrency - (yield* FiberSet.size(underWay))
      if (limit <= 0) return 0
      const leased = yield* store.lease({
        limit,
        perProject: settings.perProject,
        duration: settings.leaseDuration,
      })
      for (const report of leased) {
        held.add(report)
        yield* start(report)
      }
      return leased.length
    }).pipe(Effect.uninterruptible)

    const turn = Effect.repeat(lease, { while: (count) => count > 0 }).pipe(
      Effect.andThen(passed),
      Effect.andThen(Effect.raceFirst(Queue.take(wake), Effect.sleep(settings.pollInterval))),
    )
    const work = Loop.forever(turn, (cause) =>
      Effect.andThen(failed(cause), outage.logFailure("Mapping frames failed and will be retried", cause)),
    )
    // Leases are short, so that the reports of a killed node wait only seconds.
    const renew = Effect.suspend(() => store.renew([...held], settings.leaseDuration)).pipe(
      Effect.delay(Duration.times(settings.leaseDuration, 0.3)),
    )
    const renewing = Loop.forever(renew, (cause) =>
      outage.logFailure("Renewing the leases of reports failed", cause),
    )
    yield* Loop.start([work, renewing, beat])
  }),
)

// internal

const patience = Duration.seconds(2)

/** An attempt that found a storage unavailable keeps its slot for this time, because others would fail too. */
const rest = Duration.seconds(1)
