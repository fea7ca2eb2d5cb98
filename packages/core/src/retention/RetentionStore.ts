/** Removes what is too old, and keeps the record of it. */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type { Page, PageRequest } from "../storage/Page.js"
import type { StorageError } from "../storage/StorageError.js"
import type { UserId } from "../user/User.js"
import type {
  RetentionKind,
  RetentionOutcome,
  RetentionPlan,
  RetentionRun,
  RetentionRunId,
  RetentionTrigger,
} from "./RetentionRun.js"

/**
 * What removes does so in short transactions, and counts in each what it has removed with the run. It may be
 * interrupted between any two of them, and done again: it goes on where it was.
 *
 * Bodies that the queue and dead letters need stay.
 */
export class RetentionStore extends Context.Service<
  RetentionStore,
  {
    /** Bytes that all of Errata's data take. */
    readonly size: Effect.Effect<number, StorageError>

    /** Whether a night is later than all that were asked for before. The first one that is ever asked for is not. */
    readonly enterNight: (kind: RetentionKind, night: DateTime.Utc) => Effect.Effect<boolean, StorageError>

    /** A run that waits to be done; the one that waits or is done already, where there is one of that kind. */
    readonly request: (
      kind: RetentionKind,
      trigger: RetentionTrigger,
      by: UserId | null,
    ) => Effect.Effect<RetentionRun, StorageError>

    /** The run of a kind that waits or is being done. */
    readonly unfinished: (kind: RetentionKind) => Effect.Effect<Option.Option<RetentionRun>, StorageError>

    /** The run of a kind that ended last. */
    readonly lastFinished: (kind: RetentionKind) => Effect.Effect<Option.Option<RetentionRun>, StorageError>

    /** Runs of all kinds, newest first. */
    readonly list: (page: PageRequest) => Effect.Effect<Page<RetentionRun>, StorageError>

    readonly find: (id: RetentionRunId) => Effect.Effect<Option.Option<RetentionRun>, StorageError>

    /** A run that is begun again keeps when it began at first, and the bytes of then. */
    readonly begin: (id: RetentionRunId, plan: RetentionPlan) => Effect.Effect<void, StorageError>

    /** Adds to the bundles of artifacts that a run has removed. */
    readonly countBundles: (id: RetentionRunId, count: number) => Effect.Effect<void, StorageError>

    readonly finish: (id: RetentionRunId, outcome: RetentionOutcome) => Effect.Effect<void, StorageError>

    /**
     * Removes all but what lists show of reports that came in before a moment. A storage that removes in parts leaves the
     * part that the moment lies in as it is.
     */
    readonly purgeDetails: (id: RetentionRunId, before: DateTime.Utc) => Effect.Effect<void, StorageError>

    /**
     * Removes the reports that were recorded before a moment, and takes their tags off what their groups count. Bodies and
     * event ids may be kept, out of reach, until the part of the storage that they are in can be removed.
     */
    readonly purgeReports: (id: RetentionRunId, before: DateTime.Utc) => Effect.Effect<void, StorageError>

    /**
     * Removes the groups made before a moment that have no report, with all that belongs to them. Groups that were merged
     * go together, or not at all.
     */
    readonly purgeGroups: (id: RetentionRunId, before: DateTime.Utc) => Effect.Effect<void, StorageError>

    /**
     * Where the oldest part ends that could be removed as a whole, which gives its room back, and that ends after `after`.
     * None where all that is left may still be written to.
     */
    readonly endOfOldest: (
      after: DateTime.Utc | null,
    ) => Effect.Effect<Option.Option<DateTime.Utc>, StorageError>
  }
>()("@errata/core/retention/RetentionStore") {}
