/** Deletes old data and stores the retention runs. */
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
 * Deletions run in short transactions, each of which updates the counts of the run. They may be interrupted and
 * repeated, and continue where they stopped. Bodies that the queue or dead letters need are kept.
 */
export class RetentionStore extends Context.Service<
  RetentionStore,
  {
    /** Bytes of all stored data. */
    readonly size: Effect.Effect<number, StorageError>

    /** Records a night. Returns true if it is later than the last one. The first call for a kind returns false. */
    readonly enterNight: (kind: RetentionKind, night: DateTime.Utc) => Effect.Effect<boolean, StorageError>

    /** Requests a run. Returns the waiting or running one of the kind, if any. */
    readonly request: (
      kind: RetentionKind,
      trigger: RetentionTrigger,
      by: UserId | null,
    ) => Effect.Effect<RetentionRun, StorageError>

    /** The waiting or running run of a kind. */
    readonly unfinished: (kind: RetentionKind) => Effect.Effect<Option.Option<RetentionRun>, StorageError>

    /** The last finished run of a kind. */
    readonly lastFinished: (kind: RetentionKind) => Effect.Effect<Option.Option<RetentionRun>, StorageError>

    /** Runs of all kinds, newest first. */
    readonly list: (page: PageRequest) => Effect.Effect<Page<RetentionRun>, StorageError>

    readonly find: (id: RetentionRunId) => Effect.Effect<Option.Option<RetentionRun>, StorageError>

    /** Starts a run. A restarted run keeps its first start time and size. */
    readonly begin: (id: RetentionRunId, plan: RetentionPlan) => Effect.Effect<void, StorageError>

    /** Adds to the count of deleted artifact bundles. */
    readonly countBundles: (id: RetentionRunId, count: number) => Effect.Effect<void, StorageError>

    readonly finish: (id: RetentionRunId, outcome: RetentionOutcome) => Effect.Effect<void, StorageError>

    /**
     * Deletes all but the list fields of reports received before a time. Partitioned storages keep the partition that
     * contains the time.
     */
    readonly purgeDetails: (id: RetentionRunId, before: DateTime.Utc) => Effect.Effect<void, StorageError>

    /**
     * Deletes reports recorded before a time, and updates the tag counts of their groups. Bodies and event ids may
     * stay, unreachable, until their partition can be dropped.
     */
    readonly purgeReports: (id: RetentionRunId, before: DateTime.Utc) => Effect.Effect<void, StorageError>

    /**
     * Deletes groups without reports that were created before a time. Merged groups are deleted together or not at
     * all.
     */
    readonly purgeGroups: (id: RetentionRunId, before: DateTime.Utc) => Effect.Effect<void, StorageError>

    /**
     * The end of the oldest partition that ends after `after` and could be dropped, which frees its disk space. None
     * if the remaining ones may still be written to.
     */
    readonly endOfOldest: (
      after: DateTime.Utc | null,
    ) => Effect.Effect<Option.Option<DateTime.Utc>, StorageError>
  }
>()("@errata/core/retention/RetentionStore") {}
