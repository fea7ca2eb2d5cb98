import { Context, type DateTime, type Effect, type Option } from "effect"
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

/** Stores the rules of projects and the default rules. A new storage has `firstRule` as its only default rule. */
export class AlertRuleStore extends Context.Service<
  AlertRuleStore,
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
  }
>()("@errata/core/alert/AlertRuleStore") {}
