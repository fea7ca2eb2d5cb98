/** A rule in an editor: numbers are texts, and unselected parts keep their values. */
import type { AlertTrigger } from "@errata/api/promise"
import type { RuleFields } from "../../data/alerts.js"
import type { Severity } from "../../data/severities.js"
import { wholeNumber } from "../admin/policyInput.js"

export type EventType = "created" | "reopened" | "assigned" | "noted" | "fatal"

/** The condition that is counted every 30 seconds. A rule has one at most. */
export type Measure = "none" | "users" | "reports" | "rate"

export interface Draft {
  readonly name: string
  readonly enabled: boolean
  readonly events: ReadonlyArray<EventType>
  readonly measure: Measure
  readonly users: string
  readonly reports: string
  readonly minutes: string
  readonly of: "group" | "project"
  readonly factor: string
  readonly query: string
  /** Separated by commas. */
  readonly environments: string
  readonly severities: ReadonlyArray<Severity>
  readonly members: boolean
  readonly targets: "all" | "some" | "none"
  readonly chosen: ReadonlyArray<number>
  readonly repeatMinutes: number
}

/** The rule that a new form shows: that of a new instance, without its name. */
export const newRule: RuleFields = {
  name: "",
  enabled: true,
  triggers: [{ type: "created" }, { type: "reopened" }],
  filter: { query: "", environments: [], severities: [] },
  receivers: { members: true, targets: "all" },
  repeat_minutes: 60,
}

export const draftOf = (rule: RuleFields): Draft => {
  const measured = rule.triggers.find(isMeasured)
  const { environments, query, severities } = rule.filter
  const { members, targets } = rule.receivers
  return {
    name: rule.name,
    enabled: rule.enabled,
    events: rule.triggers.flatMap((trigger) => (isMeasured(trigger) ? [] : [trigger.type])),
    measure: measured?.type ?? "none",
    users: String(measured?.type === "users" ? measured.count : 10),
    reports: String(measured?.type === "reports" ? measured.count : 100),
    minutes: String(measured?.type === "reports" ? measured.minutes : 60),
    of: measured?.type === "reports" ? measured.of : "group",
    factor: String(measured?.type === "rate" ? measured.factor : 5),
    query,
    environments: environments.join(", "),
    severities,
    members,
    targets: targets === "all" ? "all" : targets.length === 0 ? "none" : "some",
    chosen: targets === "all" ? [] : targets,
    repeatMinutes: rule.repeat_minutes,
  }
}

/** Numbers that cannot be read become NaN, which the server rejects. */
export const ruleOf = (draft: Draft): RuleFields => ({
  name: draft.name.trim(),
  enabled: draft.enabled,
  triggers: [...draft.events.map((type) => ({ type })), ...measuredOf(draft)],
  filter: {
    query: draft.query.trim(),
    environments: listed(draft.environments),
    severities: draft.severities,
  },
  receivers: {
    members: draft.members,
    targets: draft.targets === "all" ? "all" : draft.targets === "some" ? draft.chosen : [],
  },
  repeat_minutes: draft.repeatMinutes,
})

/** Returns the names of a list that is separated by commas, each once. */
export const listed = (text: string): ReadonlyArray<string> => [
  ...new Set(
    text
      .split(",")
      .map((part) => part.trim())
      .filter((part) => part !== ""),
  ),
]

/** Adds a value to a list, or removes it. */
export const toggled = <A>(list: ReadonlyArray<A>, value: A): ReadonlyArray<A> =>
  list.includes(value) ? list.filter((one) => one !== value) : [...list, value]

// internal

type Measured = Extract<AlertTrigger, { readonly type: "users" | "reports" | "rate" }>

const isMeasured = (trigger: AlertTrigger): trigger is Measured =>
  trigger.type === "users" || trigger.type === "reports" || trigger.type === "rate"

const measuredOf = (draft: Draft): ReadonlyArray<Measured> => {
  switch (draft.measure) {
    case "users":
      return [{ type: "users", count: wholeNumber(draft.users) }]
    case "reports":
      return [
        {
          type: "reports",
          count: wholeNumber(draft.reports),
          minutes: wholeNumber(draft.minutes),
          of: draft.of,
        },
      ]
    case "rate":
      return [{ type: "rate", factor: draft.factor.trim() === "" ? Number.NaN : Number(draft.factor) }]
    case "none":
      return []
  }
}
