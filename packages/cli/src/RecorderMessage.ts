/** What the server and its recorder's thread say to each other. */
import type { ErrataSettings, MetricFamily } from "@errata/core"
import type { RecentBlock } from "@errata/storage-postgres"
import type { BlobsChoice } from "./Blobs.js"
import type { LogSettings } from "./Logging.js"

/** To the thread: there is work; come to an end; or what was just made durable, to be recorded without asking the database for it. */
export type RecorderMessage = "wake" | "stop" | { readonly blocks: ReadonlyArray<RecentBlock> }

/** From the thread: webhooks are to be told something; the storage is away; or what the thread has counted. */
export type RecorderReport =
  | "announced"
  | StorageReport
  | { readonly metrics: ReadonlyArray<MetricFamily.MetricFamily> }

/** The server tells it in the log, once, together with what it meets itself. */
export interface StorageReport {
  readonly operation: string
  readonly detail: string
}

/** What the thread is told when it starts. */
export interface RecorderData {
  readonly databaseUrl: string
  readonly databaseSchema: string | undefined
  /** How long its statements may take. */
  readonly answerMillis: number
  readonly blobs: BlobsChoice
  readonly log: LogSettings
  /** As texts, which can be handed to a thread. */
  readonly settings: typeof ErrataSettings.Encoded
  /** Whether somebody wants to know what it counts. */
  readonly hasMetrics: boolean
}
