/** What the server and its recorder's thread say to each other. */
import type { RecentBlock } from "@errata/storage-postgres"

/** To the thread: there is work; come to an end; or what was just made durable, to be recorded without asking the database for it. */
export type RecorderMessage = "wake" | "stop" | { readonly blocks: ReadonlyArray<RecentBlock> }

/** What the thread is told when it starts. */
export interface RecorderData {
  readonly databaseUrl: string
}
