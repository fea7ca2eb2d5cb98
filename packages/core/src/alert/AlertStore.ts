import { Context, type DateTime, type Effect, type Option } from "effect"
import type { TargetId } from "../delivery/Target.js"
import type { GroupId } from "../id/GroupId.js"
import type { ProjectId } from "../project/Project.js"
import type { StorageError } from "../storage/StorageError.js"
import type { AlertRule, AlertRuleContent, AlertRuleId } from "./AlertRule.js"

/** A live project with the enabled rules that apply to it: its own, or the default rules if it has none of its own. */
export interface ProjectRules {
  readonly projectId: ProjectId
  readonly name: string
  /** An IANA time zone name. */
  readonly timezone: string
  /** True if only groups of severity `error` and `fatal` notify. */
  readonly errorAndFatalOnly: boolean
  readonly rules: ReadonlyArray<AlertRule>
}

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

/**
 * Stores the rules of projects and the default rules, the states of rules, and the counts of limits. A new storage has
 * `firstRule` as its only default rule.
 */
export class AlertStore extends Context.Service<
  AlertStore,
  {
    /** Adds a rule; none if there are `maxRules` already, in the project or as default rules. */
    readonly insert: (
      projectId: ProjectId | null,
      content: AlertRuleContent,
      now: DateTime.Utc,
    ) => Effect.Effect<Option.Option<AlertRule>, StorageError>

    readonly find: (
      projectId: ProjectId | null,
      id: AlertRuleId,
    ) => Effect.Effect<Option.Option<AlertRule>, StorageError>

    /** The rules of a project, or the default rules, oldest first. */
    readonly list: (projectId: ProjectId | null) => Effect.Effect<ReadonlyArray<AlertRule>, StorageError>

    /** Replaces the content. None if the rule does not exist. */
    readonly update: (
      projectId: ProjectId | null,
      id: AlertRuleId,
      content: AlertRuleContent,
      now: DateTime.Utc,
    ) => Effect.Effect<Option.Option<AlertRule>, StorageError>

    /** Deletes a rule with its states. Returns whether it existed. */
    readonly remove: (projectId: ProjectId | null, id: AlertRuleId) => Effect.Effect<boolean, StorageError>

    /** The rules that apply to these projects; projects without an enabled one are left out. */
    readonly inForce: (
      projectIds: ReadonlyArray<ProjectId>,
    ) => Effect.Effect<ReadonlyArray<ProjectRules>, StorageError>

    /**
     * The ids of live projects above `after`, ascending, at most `limit`: those with a state that fires, and those with an enabled
     * measured rule and a report since a time.
     */
    readonly toMeasure: (
      after: number,
      reportedSince: DateTime.Utc,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<ProjectId>, StorageError>

    /** True if any enabled rule has a condition that is an event of a group. */
    readonly hasEventRules: Effect.Effect<boolean, StorageError>

    /**
     * The states of these places, in any order, without places that have none. Locks all places until the transaction
     * ends, even those without a state. Concurrent calls for the same places do not deadlock.
     */
    readonly lockStates: (
      places: ReadonlyArray<AlertPlace>,
    ) => Effect.Effect<ReadonlyArray<AlertState>, StorageError>

    /** Stores states, in the transaction that locked their places. Places are distinct. Skips deleted rules. */
    readonly putStates: (states: ReadonlyArray<AlertState>) => Effect.Effect<void, StorageError>

    /** The states of a project's rules that fire. */
    readonly firing: (projectId: ProjectId) => Effect.Effect<ReadonlyArray<AlertState>, StorageError>

    /** Deletes at most `limit` states that do not fire and had no notification since a time. Returns their number. */
    readonly forgetStates: (before: DateTime.Utc, limit: number) => Effect.Effect<number, StorageError>

    /**
     * Counts notifications in a window, of which at most `limit` may be sent. Returns how many of these may; the
     * others count as held back. The first count creates the window.
     */
    readonly countNotifications: (
      window: NotificationWindow,
      notifications: number,
      limit: number,
    ) => Effect.Effect<number, StorageError>

    /**
     * Deletes windows that ended by a time, in the caller's transaction. Returns those with held-back notifications,
     * at most `limit`; none are left if it is empty. No two callers get the same window.
     */
    readonly takeEndedWindows: (
      now: DateTime.Utc,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<NotificationWindow & { readonly held: number }>, StorageError>
  }
>()("@errata/core/alert/AlertStore") {}
