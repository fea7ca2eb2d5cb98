import { Context, type DateTime, type Effect } from "effect"
import type { StorageError } from "../storage/StorageError.js"

/** Counts of rejected requests by reason, and of truncated events. */
export type IngestStatistic = "rejectedByDisk" | "rejectedByQueue" | "rejectedByRate" | "truncated"

/** The counts by kind. */
export type IngestCounts = { readonly [Kind in IngestStatistic]: number }

/** Stores the counts of ingest protection per clock minute, for all nodes. */
export class IngestStatistics extends Context.Service<
  IngestStatistics,
  {
    /** Adds to the counts of a minute, and deletes minutes older than two hours. */
    readonly add: (counts: Partial<IngestCounts>, now: DateTime.Utc) => Effect.Effect<void, StorageError>

    /** The sums since a time in the last two hours, including its whole minute. */
    readonly recent: (since: DateTime.Utc) => Effect.Effect<IngestCounts, StorageError>
  }
>()("@errata/core/ingest/IngestStatistics") {}
