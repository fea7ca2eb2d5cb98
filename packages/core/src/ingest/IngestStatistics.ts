import { Context, type DateTime, type Effect } from "effect"
import type { StorageError } from "../storage/StorageError.js"

/** Requests that the protection of the intake refused, by reason, and events that were shortened to fit the limits. */
export type IngestStatistic = "rejectedByDisk" | "rejectedByQueue" | "rejectedByRate" | "truncated"

/** How often each protection acted. */
export type IngestCounts = { readonly [Kind in IngestStatistic]: number }

/** Counts by clock minute what the intake had to do to protect itself, over all nodes. */
export class IngestStatistics extends Context.Service<
  IngestStatistics,
  {
    /** Adds to the counts of a minute, and forgets minutes that are two hours old. */
    readonly add: (counts: Partial<IngestCounts>, now: DateTime.Utc) => Effect.Effect<void, StorageError>

    /** The sums since a moment of the last two hours, whose own minute counts as a whole. */
    readonly recent: (since: DateTime.Utc) => Effect.Effect<IngestCounts, StorageError>
  }
>()("@errata/core/ingest/IngestStatistics") {}
