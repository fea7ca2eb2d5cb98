/** Counts rejected requests in memory until they are added to the statistics of the instance. */
import { DateTime, Effect } from "effect"
import type { StorageError } from "../storage/StorageError.js"
import type { IngestStatistics } from "./IngestStatistics.js"
import type { IntakePauseReason } from "./IntakePaused.js"

export class Rejections {
  private counts: Record<IntakePauseReason, number> = { disk: 0, queue: 0, rate: 0 }

  constructor(private readonly statistics: IngestStatistics["Service"]) {}

  add(reason: IntakePauseReason, count = 1): void {
    this.counts[reason] += count
  }

  /** Writes the counts, and keeps them if that fails. */
  readonly flush: Effect.Effect<void, StorageError> = Effect.gen({ self: this }, function* () {
    const { disk, queue, rate } = this.counts
    if (disk + queue + rate === 0) return
    this.counts = { disk: 0, queue: 0, rate: 0 }
    const added = { rejectedByDisk: disk, rejectedByQueue: queue, rejectedByRate: rate }
    yield* Effect.onError(this.statistics.add(added, yield* DateTime.now), () =>
      Effect.sync(() => {
        this.add("disk", disk)
        this.add("queue", queue)
        this.add("rate", rate)
      }),
    )
  })
}
