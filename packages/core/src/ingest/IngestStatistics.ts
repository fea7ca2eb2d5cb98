import { Context, type DateTime, type Effect } from "effect"
import type { StorageError } from "../storage/StorageError.js"

/** Payloads that the protection of the intake refused, and events that were shortened to fit the limits. */
export type IngestStatistic = "rejected" | "truncated"

/** Counts by clock minute what the intake had to do to protect itself, over all nodes. */
export class IngestStatistics extends Context.Tag("@errata/core/ingest/IngestStatistics")<
  IngestStatistics,
  {
    /** Adds to the count of a minute, and forgets minutes that are two hours old. */
    readonly add: (
      kind: IngestStatistic,
      count: number,
      now: DateTime.Utc,
    ) => Effect.Effect<void, StorageError>

    /** The sums since a moment of the last two hours, whose own minute counts as a whole. */
    readonly recent: (
      since: DateTime.Utc,
    ) => Effect.Effect<{ readonly [Kind in IngestStatistic]: number }, StorageError>
  }
>() {}
