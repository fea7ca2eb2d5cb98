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

/** Keeps the states of rules, and the counts that limits need. */
export class AlertStateStore extends Context.Service<
  AlertStateStore,
  {
    /**
     * The states of these places, in any order; places without a state are left out. All places are locked until the transaction
     * ends, those without a state too. Two transactions that lock the same places do not wait for each other in a circle.
     */
    readonly lock: (
      places: ReadonlyArray<AlertPlace>,
    ) => Effect.Effect<ReadonlyArray<AlertState>, StorageError>

    /** Keeps states, in the transaction that locked their places. Places are distinct. Rules that are gone are left out. */
    readonly put: (states: ReadonlyArray<AlertState>) => Effect.Effect<void, StorageError>

    /** The states of a project's rules that fire. */
    readonly firing: (projectId: ProjectId) => Effect.Effect<ReadonlyArray<AlertState>, StorageError>

    /** Removes up to so many states that do not fire and had no notification since a time; answers how many. */
    readonly forget: (before: DateTime.Utc, limit: number) => Effect.Effect<number, StorageError>

    /**
     * Counts so many notifications in a window, of which at most `limit` may be sent in all; answers how many of these may. The others
     * count as held back. The window is made with the first count.
     */
    readonly count: (
      window: NotificationWindow,
      notifications: number,
      limit: number,
    ) => Effect.Effect<number, StorageError>

    /**
     * Removes windows that have ended by a time, in the transaction of the caller. Answers those in which something was held back,
     * at most `limit`; an empty answer means that there are no more. No two callers get the same window.
     */
    readonly takeEnded: (
      now: DateTime.Utc,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<NotificationWindow & { readonly held: number }>, StorageError>
  }
>()("@errata/core/alert/AlertStateStore") {}
