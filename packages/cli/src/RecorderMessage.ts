/** Messages between the server and its recorder thread. */
import type { ErrataSettings } from "@errata/core"
import type { MetricFamily } from "@errata/core/internal"
import type { RecentBlock } from "@errata/storage-postgres"
import type { BlobsChoice } from "./Blobs.js"
import type { LogSettings } from "./Logging.js"

/** To the thread: look for work, stop, or record these blocks, which were just committed and need not be queried. */
export type RecorderMessage = "wake" | "stop" | { readonly blocks: ReadonlyArray<RecentBlock> }

/** From the thread: events were written to the outbox, the storage is unavailable, or the thread's metrics. */
export type RecorderReport =
  | "outbox"
  | StorageReport
  | { readonly metrics: ReadonlyArray<MetricFamily.MetricFamily> }

/** A storage failure. The server logs it once, together with its own. */
export interface StorageReport {
  readonly operation: string
  readonly detail: string
}

/** Start parameters of the thread. */
export interface RecorderData {
  readonly databaseUrl: string
  readonly databaseWorkerUrls: ReadonlyArray<string>
  readonly databaseSchema: string | undefined
  /** Statement timeout in ms. */
  readonly answerMillis: number
  readonly blobs: BlobsChoice
  readonly log: LogSettings
  /** Encoded, so that they can be passed to a thread. */
  readonly settings: typeof ErrataSettings.Encoded
  /** True if the thread has to report metrics. */
  readonly hasMetrics: boolean
}
