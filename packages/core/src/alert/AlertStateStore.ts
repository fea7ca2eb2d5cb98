import { Context, type DateTime, type Effect } from "effect"
import type { TargetId } from "../delivery/Target.js"
import type { GroupId } from "../id/GroupId.js"
import type { ProjectId } from "../project/Project.js"
import type { StorageError } from "../storage/StorageError.js"
import type { AlertRuleId } from "./AlertRule.js"

/** The place of a state: a rule and a group, or the project as a whole. */
export interface AlertPlace {
  readonly projectId: ProjectId
  readonly ruleId: AlertRuleId
  /** Null for the project as a whole. */
  readonly groupId: GroupId | null
}

/** The state of a rule for a group. */
export interface AlertState extends AlertPlace {
  /** When a notification was last made for it; null before the first. */
  readonly notifiedAt: DateTime.Utc | null
  /** True if the last notification said that a measured condition holds. */
  readonly firing: boolean
}

/** A time in which notifications are counted and may be held back: of a project, or of a target with quiet hours. */
export interface NotificationWindow {
  readonly projectId: ProjectId
  /** Null for the project as a whole. */
  readonly targetId: TargetId | null
  readonly startsAt: DateTime.Utc
  readonly endsAt: DateTime.Utc
}

/** Stores the states of rules and the counts of limits. */
export class AlertStateStore extends Context.Service<
  AlertStateStore,
  {
    /**
     * The states of these places, in any order, without places that have none. Locks all places until the transaction
     * ends, even those without a state. Concurrent calls for the same places do not deadlock.
     */
    readonly lock: (
      places: ReadonlyArray<AlertPlace>,
    ) => Effect.Effect<ReadonlyArray<AlertState>, StorageError>

    /** Stores states, in the transaction that locked their places. Places are distinct. Skips deleted rules. */
    readonly put: (states: ReadonlyArray<AlertState>) => Effect.Effect<void, StorageError>

    /** The states of a project's rules that fire. */
    readonly firing: (projectId: ProjectId) => Effect.Effect<ReadonlyArray<AlertState>, StorageError>

    /** Deletes at most `limit` states that do not fire and had no notification since a time. Returns their number. */
    readonly forget: (before: DateTime.Utc, limit: number) => Effect.Effect<number, StorageError>

    /**
     * Counts notifications in a window, of which at most `limit` may be sent. Returns how many of these may; the
     * others count as held back. The first count creates the window.
     */
    readonly count: (
      window: NotificationWindow,
      notifications: number,
      limit: number,
    ) => Effect.Effect<number, StorageError>

    /**
     * Deletes windows that ended by a time, in the caller's transaction. Returns those with held-back notifications,
     * at most `limit`; none are left if it is empty. No two callers get the same window.
     */
    readonly takeEnded: (
      now: DateTime.Utc,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<NotificationWindow & { readonly held: number }>, StorageError>
  }
>()("@errata/core/alert/AlertStateStore") {}
