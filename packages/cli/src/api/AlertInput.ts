/** Conditions of rules as commands take them. The server checks the values. */
import type { AlertTriggerView } from "@errata/api"
import { Effect, Option } from "effect"
import { Flag } from "effect/cli"
import { type CommandFailed, usageError } from "../ErrorOutput.js"
import { optionalText, wholeNumber } from "./ApiOptions.js"

/** The content of a rule. Options that are left out keep the current or the default value. */
export const ruleOptions = {
  when: Flag.String("when").pipe(
    Flag.withMetavar("condition"),
    Flag.atLeast(0),
    Flag.withDescription(
      "Condition: created, reopened, assigned, noted, fatal, users=50, reports=100/5m (more than 100 reports of a group in 5 minutes), reports=100/5m/project, or rate=3 (three times the usual rate). May be repeated, with at most one of the last three kinds",
    ),
  ),
  query: optionalText("query", "Only groups that match this query, as in errata groups list"),
  environment: Flag.String("environment").pipe(
    Flag.atLeast(0),
    Flag.withDescription(
      "Only groups with reports of this environment. May be repeated. all for no such limit",
    ),
  ),
  severity: Flag.String("severity").pipe(
    Flag.atLeast(0),
    Flag.withDescription("Only groups of this severity, e.g. fatal. May be repeated. all for no such limit"),
  ),
  to: Flag.String("to").pipe(
    Flag.withMetavar("receiver"),
    Flag.atLeast(0),
    Flag.withDescription(
      "Receiver: members (by mail), targets (all of them), or the id of a target. May be repeated. Default: members and targets",
    ),
  ),
  every: wholeNumber("every").pipe(
    Flag.withMetavar("minutes"),
    Flag.optional,
    Flag.withDescription(
      "At most one notification about a group in so many minutes. 0 for every one. Default: 60",
    ),
  ),
}

/** The options as given. */
export interface RuleFlags {
  readonly when: ReadonlyArray<string>
  readonly query: Option.Option<string>
  readonly environment: ReadonlyArray<string>
  readonly severity: ReadonlyArray<string>
  readonly to: ReadonlyArray<string>
  readonly every: Option.Option<number>
}

/** A filter as the API takes it. */
interface Filter {
  readonly query: string
  readonly environments: ReadonlyArray<string>
  readonly severities: ReadonlyArray<Severity>
}

type Severity = "fatal" | "error" | "warning" | "info" | "debug"

/** Returns the fields of a rule that the options change. A filter is replaced as a whole, so the rest of it is kept here. */
export const ruleFields = Effect.fnUntraced(function* (flags: RuleFlags, current: Filter = noFilter) {
  const triggers = yield* Effect.forEach(flags.when, triggerOf)
  const severities = yield* Effect.forEach(listOf(flags.severity), severityOf)
  const isFiltered = Option.isSome(flags.query) || flags.environment.length > 0 || flags.severity.length > 0
  return {
    ...(triggers.length > 0 && { triggers }),
    ...(isFiltered && {
      filter: {
        query: Option.getOrElse(flags.query, () => current.query),
        environments: flags.environment.length > 0 ? listOf(flags.environment) : current.environments,
        severities: flags.severity.length > 0 ? severities : current.severities,
      },
    }),
    ...(flags.to.length > 0 && { receivers: yield* receiversOf(flags.to) }),
    ...(Option.isSome(flags.every) && { repeat_minutes: flags.every.value }),
  }
})

/** Reads a condition. */
export const triggerOf = (text: string): Effect.Effect<AlertTriggerView, CommandFailed> => {
  const [, users] = /^users=(\d{1,9})$/.exec(text) ?? []
  const [, count, minutes, of] = /^reports=(\d{1,9})\/(\d{1,5})m(?:\/(group|project))?$/.exec(text) ?? []
  const [, factor] = /^rate=(\d{1,4}(?:\.\d{1,3})?)$/.exec(text) ?? []
  if (isEvent(text)) return Effect.succeed({ type: text })
  if (users !== undefined) return Effect.succeed({ type: "users", count: Number(users) })
  if (factor !== undefined) return Effect.succeed({ type: "rate", factor: Number(factor) })
  if (count !== undefined && minutes !== undefined) {
    return Effect.succeed({
      type: "reports",
      count: Number(count),
      minutes: Number(minutes),
      of: of === "project" ? "project" : "group",
    })
  }
  return usageError(
    `--when must be ${events.join(", ")}, users=COUNT, reports=COUNT/MINUTESm, reports=COUNT/MINUTESm/project or rate=FACTOR, not "${text}"`,
  )
}

// internal

const noFilter: Filter = { query: "", environments: [], severities: [] }

const events = ["created", "reopened", "assigned", "noted", "fatal"] as const

const isEvent = (text: string): text is (typeof events)[number] => events.some((event) => event === text)

const severities = ["fatal", "error", "warning", "info", "debug"] as const

const listOf = (values: ReadonlyArray<string>): ReadonlyArray<string> =>
  values.filter((value) => value !== "all")

const severityOf = (text: string): Effect.Effect<Severity, CommandFailed> => {
  const found = severities.find((severity) => severity === text)
  return found === undefined
    ? usageError(`--severity must be ${severities.join(", ")} or all, not "${text}"`)
    : Effect.succeed(found)
}

const receiversOf = (given: ReadonlyArray<string>) => {
  const ids = given.filter((each) => each !== "members" && each !== "targets")
  const wrong = ids.find((id) => !/^[1-9]\d{0,14}$/.test(id))
  if (wrong !== undefined)
    return usageError(`--to must be members, targets or the id of a target, not "${wrong}"`)
  return Effect.succeed({
    members: given.includes("members"),
    targets: given.includes("targets") ? ("all" as const) : ids.map(Number),
  })
}
