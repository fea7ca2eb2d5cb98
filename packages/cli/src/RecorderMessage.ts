/** What the server and its recorder's thread say to each other. */
import type { LogSettings } from "./Logging.js"

/** To the thread: there is work; come to an end; or a batch that was just made durable, to record without asking the database for it. */
export type RecorderMessage = "wake" | "stop" | { readonly batchId: number; readonly body: Uint8Array }

/**
 * From the thread: the storage is away. The server tells it in the log, once, together with what it meets itself.
 */
export interface RecorderReport {
  readonly operation: string
  readonly detail: string
}

/** What the thread is told when it starts. */
export interface RecorderData {
  readonly databaseUrl: string
  readonly log: LogSettings
}
