/** Rules of notifications as the API shows them. */
import type { AlertRule, DryRun, ProjectId } from "@errata/core"
import { Severity } from "@errata/core/event"
import { groupUrl } from "@errata/core/group"
import { Schema } from "effect"
import { flag, int, intOrNull, text, textOrNull, time, viewOf } from "./Fields.js"
import { described, named, opaque } from "./Json.js"
import { Flag, IdValue, list, optional, Text } from "./Params.js"

const between = (minimum: number, maximum: number, isWhole = true) => {
  const message = { message: `must be ${isWhole ? "an integer" : "a number"} from ${minimum} to ${maximum}` }
  const inRange = Schema.isBetween({ minimum, maximum }, message)
  const isNumber = isWhole ? Schema.isInt(message) : Schema.isFinite(message)
  // Stops at the first failed check, since both have the same message.
  return Schema.Number.annotate(message).check(isNumber.abort(), inRange)
}

const event = <const Type extends string>(type: Type, description: string) =>
  Schema.Struct({ type: described(description, Schema.Literal(type)) })

/** A condition of a rule. */
export const AlertTriggerView = Schema.Union([
  event("created", "A new group"),
  event("reopened", "A new report reopened a resolved group"),
  event("assigned", "A group was assigned to a person"),
  event("noted", "A person wrote a note on a group"),
  event("fatal", "The severity of a group rose to `fatal`, or a new group has it"),
  Schema.Struct({
    type: described("A group affects many users", Schema.Literal("users")),
    count: described("Number of users from which the condition holds", between(1, 1_000_000)),
  }),
  Schema.Struct({
    type: described("Many reports in a short time", Schema.Literal("reports")),
    count: described("Number of reports above which the condition holds", between(1, 100_000_000)),
    minutes: described("Length of the time in minutes", between(1, 1_440)),
    of: described(
      "Counts the reports of each group, or of the project as a whole",
      Schema.Literals(["group", "project"]).annotate({ message: "must be group or project" }),
    ),
  }),
  Schema.Struct({
    type: described(
      "A group has many times its usual number of reports in an hour. Usual is the mean of the same hour of the last seven days, but at least 10",
      Schema.Literal("rate"),
    ),
    factor: described("Factor from which the condition holds", between(1.5, 1_000, false)),
  }),
]).annotate({
  identifier: "AlertTrigger",
  message: "must have a type: created, reopened, assigned, noted, fatal, users, reports or rate",
})
export type AlertTriggerView = typeof AlertTriggerView.Type

const maxTriggers = 10
const notTriggers = `must be an array of 1 to ${maxTriggers} conditions`

/** Its length is checked before its items. */
const Triggers = opaque(
  (value): value is ReadonlyArray<unknown> =>
    Array.isArray(value) && value.length > 0 && value.length <= maxTriggers,
  {
    type: "array",
    items: { $ref: "#/components/schemas/AlertTrigger" },
    minItems: 1,
    maxItems: maxTriggers,
  },
  notTriggers,
).pipe(Schema.decodeTo(Schema.Array(AlertTriggerView)))

const AlertFilterView = Schema.Struct({
  query: text("Query in the search language. Empty for all groups"),
  environments: described(
    "The group has reports of one of these environments. Empty for all",
    Schema.Array(Schema.String),
  ),
  severities: described(
    "The highest severity of the group is one of these. Empty for all",
    Schema.Array(Severity.Severity),
  ),
}).annotate({ identifier: "AlertFilter" })

const AlertReceiversView = Schema.Struct({
  members: flag("True to send mail to the members of the project, as far as their own settings allow"),
  targets: described(
    "Ids of targets of the project, or `all`",
    Schema.Union([Schema.Literal("all"), Schema.Array(Schema.Int)]),
  ),
}).annotate({ identifier: "AlertReceivers" })

const example = {
  id: 3,
  project_id: 1,
  name: "Spikes",
  enabled: true,
  triggers: [{ type: "reports", count: 100, minutes: 5, of: "group" }],
  filter: { query: "", environments: ["production"], severities: [] },
  receivers: { members: false, targets: [7] },
  repeat_minutes: 60,
  created_at: "2026-01-01T08:00:00.000Z",
  updated_at: "2026-01-01T08:00:00.000Z",
} as const

/** A rule, as REST shows it. */
export const AlertRuleView = Schema.Struct({
  id: int("Id of the rule"),
  project_id: intOrNull("Id of the project. Null for a default rule"),
  name: text("Name of the rule"),
  enabled: flag("True if the rule applies"),
  triggers: described("Conditions, any of which is sufficient", Schema.Array(AlertTriggerView)),
  filter: described("Groups that the rule applies to", AlertFilterView),
  receivers: described("Receivers of the notifications", AlertReceiversView),
  repeat_minutes: int("Minutes in which a group causes one notification at most. 0 for no such limit"),
  created_at: time("Time of creation"),
  updated_at: time("Time of the last change"),
}).pipe(named("AlertRule", example))
export type AlertRuleView = typeof AlertRuleView.Type

/** The rules that apply to a project. */
export const AlertRulesView = Schema.Struct({
  default: flag("True if the project has no rules of its own. These are then the default rules"),
  alert_rules: described("The rules, oldest first", Schema.Array(AlertRuleView)),
}).annotate({
  identifier: "AlertRules",
  examples: [{ default: false, alert_rules: [example] } as never],
})

/** The default rules. */
export const DefaultAlertRulesView = Schema.Struct({
  alert_rules: described("The default rules, oldest first", Schema.Array(AlertRuleView)),
}).annotate({
  identifier: "DefaultAlertRules",
  examples: [
    {
      alert_rules: [{ ...example, project_id: null, receivers: { members: true, targets: "all" } }],
    } as never,
  ],
})

const maxEnvironments = 20
const maxTargets = 100

const atMost = (maximum: number) => (items: ReadonlyArray<unknown>) =>
  items.length <= maximum ? null : `must be at most ${maximum}`

const FilterInput = Schema.Struct({
  query: described("Query in the search language. Default: empty, for all groups", optional(Text)),
  environments: described(
    "The group has reports of one of these environments. Default: all",
    optional(
      list({
        isItem: (value): value is string => typeof value === "string",
        of: "texts",
        problem: atMost(maxEnvironments),
        maxItems: maxEnvironments,
        item: { type: "string" },
      }),
    ),
  ),
  severities: described(
    "The highest severity of the group is one of these. Default: all",
    optional(
      list({
        isItem: Schema.is(Severity.Severity),
        of: "severities",
        problem: atMost(Severity.Severity.literals.length),
        maxItems: Severity.Severity.literals.length,
        item: { type: "string", enum: Severity.Severity.literals },
      }),
    ),
  ),
}).annotate({ identifier: "AlertFilterInput", message: "must be an object" })

const isIds = (value: unknown): value is ReadonlyArray<number> =>
  Array.isArray(value) && value.length <= maxTargets && value.every(Schema.is(IdValue))

const ReceiversInput = Schema.Struct({
  members: described("True to send mail to the members of the project. Default: true", optional(Flag)),
  targets: described(
    "Ids of targets of the project, or `all`. Default: `all`. A default rule can name `all` only, or none",
    optional(
      opaque(
        (value): value is "all" | ReadonlyArray<number> => value === "all" || isIds(value),
        {
          anyOf: [
            { type: "string", enum: ["all"] },
            { type: "array", items: { type: "integer", minimum: 1 }, maxItems: maxTargets },
          ],
        },
        `must be all, or an array of at most ${maxTargets} ids`,
      ),
    ),
  ),
}).annotate({ identifier: "AlertReceiversInput", message: "must be an object" })

const maxRepeatMinutes = 10_080

const fields = {
  enabled: described("True if the rule applies. Default: true", optional(Flag)),
  filter: described("Groups that the rule applies to. Default: all", optional(FilterInput)),
  receivers: described(
    "Receivers of the notifications. Default: the members and all targets",
    optional(ReceiversInput),
  ),
  repeat_minutes: described(
    "Minutes in which a group causes one notification at most: 0 to 10,080. Default: 60",
    optional(between(0, maxRepeatMinutes)),
  ),
}

/** A new rule. */
export const AlertRuleCreation = Schema.Struct({
  name: described("Name of the rule, of at most 100 characters", Text),
  triggers: described("Conditions, any of which is sufficient", Triggers),
  ...fields,
}).pipe(
  named("AlertRuleCreation", {
    name: "Spikes",
    triggers: [{ type: "reports", count: 100, minutes: 5, of: "group" }],
    filter: { environments: ["production"] },
    receivers: { members: false, targets: [7] },
  }),
)
export type AlertRuleCreation = typeof AlertRuleCreation.Type

/** Changes of a rule. Missing fields stay as they are; `filter` and `receivers` are replaced as a whole. */
export const AlertRuleUpdate = Schema.Struct({
  name: described("New name, of at most 100 characters", optional(Text)),
  triggers: described("Conditions. Replace the current ones", optional(Triggers)),
  ...fields,
  enabled: described("True if the rule applies", optional(Flag)),
  filter: described(
    "Groups that the rule applies to. Replaces the current filter as a whole",
    optional(FilterInput),
  ),
  receivers: described(
    "Receivers of the notifications. Replaces the current ones as a whole",
    optional(ReceiversInput),
  ),
}).pipe(named("AlertRuleUpdate", { enabled: false }))
export type AlertRuleUpdate = typeof AlertRuleUpdate.Type

const DryRunMatchView = Schema.Struct({
  at: time("Time at which the rule would have notified"),
  trigger: text("Type of the condition that held"),
  group: described(
    "The group. Null for a condition about the project as a whole",
    Schema.NullOr(
      Schema.Struct({
        id: int("Id of the group"),
        error_type: text("Error type of the group"),
        error_message: text("Error message of the group"),
        web_url: textOrNull("Page of the group in the dashboard, or null"),
      }),
    ),
  ),
}).annotate({ identifier: "DryRunMatch" })

/** The result of a dry run, as REST shows it. */
export const DryRunView = Schema.Struct({
  since: time("Beginning of the time that was checked"),
  until: time("End of the time that was checked"),
  count: int("Number of notifications that the rule would have caused"),
  partial: flag("True if there were more groups or changes than a dry run reads. The count is then too low"),
  matches: described("The newest matches, at most 100", Schema.Array(DryRunMatchView)),
}).pipe(
  named("DryRun", {
    since: "2025-12-29T09:30:00.000Z",
    until: "2026-01-05T09:30:00.000Z",
    count: 1,
    partial: false,
    matches: [
      {
        at: "2026-01-04T12:05:00.000Z",
        trigger: "reports",
        group: {
          id: 42,
          error_type: "TypeError",
          error_message: "Cannot read properties of undefined (reading 'price')",
          web_url: "https://errata.example.com/projects/1/groups/42",
        },
      },
    ],
  }),
)
export type DryRunView = typeof DryRunView.Type

export const alertRuleView: (rule: AlertRule) => AlertRuleView = viewOf(AlertRuleView.fields)

export const dryRunView = (
  { count, isPartial, matches, since, until }: DryRun,
  projectId: ProjectId,
  address: string | null,
): DryRunView => ({
  since,
  until,
  count,
  partial: isPartial,
  matches: matches.map(({ at, group, trigger }) => ({
    at,
    trigger,
    group: group && {
      id: group.id,
      error_type: group.errorType,
      error_message: group.errorMessage,
      web_url: groupUrl(address, { id: group.id, projectId }),
    },
  })),
})
