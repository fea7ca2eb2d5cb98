/** Rules in words. */
import type { AlertTrigger } from "@errata/api/promise"
import type { RuleFields } from "../../data/alerts.js"
import { count, counted } from "../../text/Numbers.js"

/** The conditions that are events of a group, with the words for them. */
export const events = {
  created: "a group is new",
  reopened: "a resolved group occurs again",
  assigned: "a group is assigned to someone",
  noted: "someone writes a note",
  fatal: "the severity of a group reaches fatal",
} as const

/** Returns the condition as the end of a sentence, e.g. `a group affects 10 users or more`. */
export const triggerText = (trigger: AlertTrigger): string => {
  switch (trigger.type) {
    case "users":
      return `a group affects ${counted(trigger.count, "user")} or more`
    case "reports":
      return `${trigger.of === "group" ? "a group" : "the project"} gets more than ${counted(trigger.count, "report")} in ${minutes(trigger.minutes)}`
    case "rate":
      return `a group gets ${trigger.factor} times its usual number of reports`
    default:
      return events[trigger.type]
  }
}

/** Returns the short name of a condition, for the matches of a dry run. */
export const triggerName = (type: string): string => names[type] ?? type

/** Returns `a, b or c`. */
export const either = (parts: ReadonlyArray<string>): string =>
  parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} or ${parts.at(-1)}`

/** Returns the sentence of all conditions. */
export const whenText = ({ triggers }: Pick<RuleFields, "triggers">): string =>
  `When ${either(triggers.map(triggerText))}.`

/** Returns the conditions that narrow a rule down; none if it applies to all groups. The query is not among them. */
export const ifText = ({ filter }: Pick<RuleFields, "filter">): ReadonlyArray<string> =>
  [
    ["severity", filter.severities],
    ["environment", filter.environments],
  ].flatMap(([name, values]) =>
    values === undefined || values.length === 0 ? [] : [`${name} ${either(values as ReadonlyArray<string>)}`],
  )

/** Returns the receivers, e.g. `to members by mail and all targets`. `nameOf` returns null for a target that is gone. */
export const receiversText = (
  { receivers: { members, targets } }: Pick<RuleFields, "receivers">,
  nameOf: (targetId: number) => string | null,
): string => {
  const names = targets === "all" ? ["all targets"] : targets.flatMap((id) => nameOf(id) ?? [])
  const all = [...(members ? ["members by mail"] : []), ...names]
  return all.length === 0
    ? "to no receiver"
    : `to ${all.length === 1 ? all[0] : `${all.slice(0, -1).join(", ")} and ${all.at(-1)}`}`
}

/** The periods that the form offers, in minutes. */
export const periods = [0, 10, 60, 240, 1_440, 10_080]

/** Returns how often a rule notifies about a group, e.g. `at most once an hour per group`. */
export const periodText = (repeatMinutes: number): string =>
  repeatMinutes === 0 ? "every time" : `at most once ${per(repeatMinutes)} per group`

/** Returns the result of a dry run in one sentence. */
export const dryRunText = ({
  count: times,
  partial,
}: {
  readonly count: number
  readonly partial: boolean
}) =>
  times === 0 && !partial
    ? "Would not have notified in the last 7 days."
    : `Would have notified ${partial ? "at least " : ""}${times === 1 ? "once" : times === 2 ? "twice" : `${count(times)} times`} in the last 7 days.`

/** Returns the text with a capital at its start. */
export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

// internal

const names: Readonly<Record<string, string>> = {
  created: "new",
  reopened: "reopened",
  assigned: "assigned",
  noted: "note",
  fatal: "fatal",
  users: "users",
  reports: "many reports",
  rate: "spike",
}

const minutes = (value: number): string =>
  value === 60 ? "an hour" : value % 60 === 0 ? counted(value / 60, "hour") : counted(value, "minute")

const units = [
  [10_080, "week", "a week"],
  [1_440, "day", "a day"],
  [60, "hour", "an hour"],
] as const

const per = (value: number): string => {
  for (const [size, unit, one] of units) {
    if (value === size) return one
    if (value % size === 0) return `in ${counted(value / size, unit)}`
  }
  return `in ${counted(value, "minute")}`
}
