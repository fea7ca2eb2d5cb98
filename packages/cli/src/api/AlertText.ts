/** Formats rules for people: each fits on one line. */
import type { AlertRuleView, AlertTriggerView, DryRunView, TargetView } from "@errata/api"
import type { DateTime } from "effect"
import { fieldLines, yesNo } from "./Detail.js"
import type { ListColumn } from "./Listing.js"
import { absolute, relative } from "./Moments.js"

/** The names of targets by id. */
export type TargetNames = ReadonlyMap<number, string>

export const namesOf = (targets: ReadonlyArray<TargetView>): TargetNames =>
  new Map(targets.map(({ id, name }) => [id, name]))

export const ruleColumns = (names: TargetNames): ReadonlyArray<ListColumn<AlertRuleView>> => [
  { title: "ID", align: "right", of: ({ id }) => String(id) },
  { title: "NAME", flexible: true, of: ({ name }) => name },
  { title: "RULE", flexible: true, main: true, of: (rule) => ruleText(rule, names) },
  { title: "ENABLED", omit: 1, of: ({ enabled }) => yesNo(enabled) },
  { title: "CREATED", omit: 2, of: (rule, now) => relative(rule.created_at, now) },
]

export const ruleLines =
  (names: TargetNames) =>
  (rule: AlertRuleView, now: DateTime.DateTime): ReadonlyArray<string> =>
    fieldLines([
      ["Rule", rule.id],
      ["Project", rule.project_id ?? "every project without rules of its own"],
      ["Name", rule.name],
      ["When", rule.triggers.map(triggerText).join(", ")],
      ["If", filterText(rule.filter)],
      ["Then", receiversText(rule.receivers, names)],
      ["At most", repeatText(rule.repeat_minutes)],
      ["Enabled", yesNo(rule.enabled)],
      ["Created", absolute(rule.created_at, now)],
    ])

/** Returns a rule as one line: `new, reopened → members, #alerts; at most every 60 min`. */
export const ruleText = (
  { filter, receivers, repeat_minutes: minutes, triggers }: Omit<AlertRuleView, "created_at" | "updated_at">,
  names: TargetNames,
): string => {
  const only = filterText(filter)
  return `${triggers.map(triggerText).join(", ")}${only === "" ? "" : ` (${only})`} → ${receiversText(receivers, names)}; ${repeatText(minutes)}`
}

export const dryRunLines =
  (project: number) =>
  (run: DryRunView, now: DateTime.DateTime): ReadonlyArray<string> => {
    const times = run.count === 1 ? "once" : `${run.count} times`
    return [
      `The rule would have notified ${times} since ${absolute(run.since, now)}.`,
      ...(run.partial ? ["There were more changes than a dry run reads, so the number is too low."] : []),
      ...(run.matches.length === 0 ? [] : [""]),
      ...fieldLines(
        run.matches.map(({ at, group, trigger }) => [
          absolute(at, now) ?? "",
          group === null
            ? `${trigger}  project ${project}`
            : `${trigger}  group ${group.id}  ${group.error_type}: ${group.error_message}`,
        ]),
      ),
    ]
  }

// internal

const triggerNames = {
  created: "new",
  reopened: "reopened",
  assigned: "assigned",
  noted: "noted",
  fatal: "fatal",
} as const

const triggerText = (trigger: AlertTriggerView): string => {
  switch (trigger.type) {
    case "users":
      return `${trigger.count} users or more`
    case "reports":
      return `more than ${trigger.count} reports in ${trigger.minutes} min${trigger.of === "project" ? " in the project" : ""}`
    case "rate":
      return `${trigger.factor} times the usual rate`
    default:
      return triggerNames[trigger.type]
  }
}

const filterText = ({ environments, query, severities }: AlertRuleView["filter"]): string =>
  [
    ...(environments.length === 0 ? [] : [`in ${environments.join(", ")}`]),
    ...(severities.length === 0 ? [] : [severities.join(", ")]),
    ...(query === "" ? [] : [`matching ${query}`]),
  ].join("; ")

const receiversText = ({ members, targets }: AlertRuleView["receivers"], names: TargetNames): string => {
  const receivers = [
    ...(members ? ["members"] : []),
    ...(targets === "all" ? ["all targets"] : targets.map((id) => names.get(id) ?? `target ${id}`)),
  ]
  return receivers.length === 0 ? "no receiver" : receivers.join(", ")
}

const repeatText = (minutes: number): string =>
  minutes === 0 ? "every time" : `at most every ${minutes} min`
