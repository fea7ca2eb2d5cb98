/**
 * Maps the frames of reports that were not mapped while they were recorded: from hosted maps, from what was uploaded
 * later, and where somebody asks for it. Any number of nodes may do so on one storage.
 */
import { Cause, Duration, Effect, FiberSet, Layer, Queue } from "effect"
import * as Heartbeat from "../background/Heartbeat.js"
import * as Loop from "../background/Loop.js"
import { ErrataConfig } from "../ErrataConfig.js"
import * as Waiting from "../internal/Waiting.js"
import { StorageOutage } from "../storage/StorageOutage.js"
import * as ReportMapping from "./ReportMapping.js"
import { type LeasedReport, SourcemapReportStore } from "./SourcemapReportStore.js"

/** The name of this work in the storage. */
export const heartbeatName = "map-frames"

/** Takes what is queued, until there is nothing left that others do not hold; answers how many reports that were. */
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

/** Works until the scope closes; what is under way then is given back. */
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
        // A storage that is away is not waited for: the lease runs out by itself.
        Waiting.atMost(patience),
        Effect.catchCause((cause) => outage.logFailure("Releasing the lease of a report failed", cause)),
      )

    /** What fails is leased again when its lease has run out, and has failed for good after some times. */
    const start = (leased: LeasedReport) =>
      FiberSet.run(
        underWay,
        // All that is leased comes to an end here; the attempt alone may be cut short.
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
    // Leases are short, so that reports of a killed node wait for seconds.
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

/** An attempt that found a storage away keeps its place for so long: thousands of others would find the same. */
const rest = Duration.seconds(1)
