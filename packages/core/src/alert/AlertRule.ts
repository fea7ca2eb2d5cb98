/** Rules that decide which notifications a project sends, and where. */
import { type DateTime, Schema } from "effect"
import { TargetId } from "../delivery/Target.js"
import { Severity } from "../event/Severity.js"
import type { ProjectId } from "../project/Project.js"

/** Identifies a rule: a positive integer, larger for newer ones. */
export const AlertRuleId = Schema.Int.pipe(Schema.check(Schema.isGreaterThan(0)), Schema.brand("AlertRuleId"))
export type AlertRuleId = typeof AlertRuleId.Type

const between = (minimum: number, maximum: number) =>
  Schema.Int.check(
    Schema.isBetween({ minimum, maximum }, { message: `must be between ${minimum} and ${maximum}` }),
  )

/**
 * The condition of a rule. The first five are events of a group; the other three are measured every 30 seconds.
 *
 * - `created`: a new group.
 * - `reopened`: a new report reopened a resolved group.
 * - `assigned`: a group was assigned to a person.
 * - `noted`: a person wrote a note on a group.
 * - `fatal`: the severity of a group rose to `fatal`, or a new group has it.
 * - `users`: a group affects `count` users or more.
 * - `reports`: a group, or the project as a whole, got more than `count` reports in the last `minutes`.
 * - `rate`: a group got `factor` times its usual number of reports in the last 60 minutes.
 *
 * Usual is the mean of the same hour of the seven days before, but at least 10.
 */
export const AlertTrigger = Schema.Union([
  Schema.Struct({ type: Schema.Literal("created") }),
  Schema.Struct({ type: Schema.Literal("reopened") }),
  Schema.Struct({ type: Schema.Literal("assigned") }),
  Schema.Struct({ type: Schema.Literal("noted") }),
  Schema.Struct({ type: Schema.Literal("fatal") }),
  Schema.Struct({ type: Schema.Literal("users"), count: between(1, 1_000_000) }),
  Schema.Struct({
    type: Schema.Literal("reports"),
    count: between(1, 100_000_000),
    minutes: between(1, 1_440),
    of: Schema.Literals(["group", "project"]),
  }),
  Schema.Struct({
    type: Schema.Literal("rate"),
    factor: Schema.Number.check(
      Schema.isBetween({ minimum: 1.5, maximum: 1_000 }, { message: "must be between 1.5 and 1000" }),
    ),
  }),
])
export type AlertTrigger = typeof AlertTrigger.Type

/** Conditions that are measured, and may hold for a while. */
export type MeasuredTrigger = Extract<AlertTrigger, { readonly type: "users" | "reports" | "rate" }>

/** True for conditions that are measured every 30 seconds. */
export const isMeasured = (trigger: AlertTrigger): trigger is MeasuredTrigger =>
  trigger.type === "users" || trigger.type === "reports" || trigger.type === "rate"

/** Narrows a rule to some groups. All conditions must hold. */
export const AlertFilter = Schema.Struct({
  /** In the search language; empty for all groups. */
  query: Schema.String,
  /** The group has reports of one of them; empty for all. */
  environments: Schema.Array(Schema.String),
  /** The highest severity of the group is one of them; empty for all. */
  severities: Schema.Array(Severity),
})
export type AlertFilter = typeof AlertFilter.Type

/** The receivers of a rule's notifications. */
export const AlertReceivers = Schema.Struct({
  /** The members of the project by mail, as far as their own settings allow. */
  members: Schema.Boolean,
  /** `all`: every target of the project. */
  targets: Schema.Union([Schema.Literal("all"), Schema.Array(TargetId)]),
})
export type AlertReceivers = typeof AlertReceivers.Type

/** The content of a rule. */
export interface AlertRuleContent {
  /** 1 to 100 characters. */
  readonly name: string
  readonly enabled: boolean
  /** 1 to 10; any of them applies. */
  readonly triggers: ReadonlyArray<AlertTrigger>
  readonly filter: AlertFilter
  readonly receivers: AlertReceivers
  /** At most one notification about a group in this time. 0 to 10,080 (a week); 0 for every one. */
  readonly repeatMinutes: number
}

/** A rule of a project, or a default rule. */
export interface AlertRule extends AlertRuleContent {
  readonly id: AlertRuleId
  /** Null for a default rule, which applies to each project without rules of its own. */
  readonly projectId: ProjectId | null
  readonly createdAt: DateTime.Utc
  readonly updatedAt: DateTime.Utc
}

/** Rules of a project, and default rules, at most. */
export const maxRules = 50

/** The default rule of a new instance. */
export const firstRule: AlertRuleContent = {
  name: "New and reopened errors",
  enabled: true,
  triggers: [{ type: "created" }, { type: "reopened" }],
  filter: { query: "", environments: [], severities: [] },
  receivers: { members: true, targets: "all" },
  repeatMinutes: 60,
}
