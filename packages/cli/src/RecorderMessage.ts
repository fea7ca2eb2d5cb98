/** What the server and its recorder's thread say to each other. */

/** To the thread: there is work; come to an end; or a batch that was just made durable, to record without asking the database for it. */
export type RecorderMessage = "wake" | "stop" | { readonly batchId: number; readonly body: Uint8Array }

/** What the thread is told when it starts. */
export interface RecorderData {
  readonly databaseUrl: string
}
