/** Rules applied to the last seven days, without any effect. */
import { DateTime, Effect } from "effect"
import { type ActivityRange, ActivityStore, kept } from "../activity/ActivityStore.js"
import type { ListedGroup } from "../group/Group.js"
import type { GroupFilter } from "../group/GroupFilter.js"
import type { GroupId } from "../id/GroupId.js"
import type { ProjectId } from "../project/Project.js"
import { isSevereEnough } from "./AlertMatch.js"
import type { AlertRuleContent, AlertTrigger } from "./AlertRule.js"
import * as History from "./History.js"
import * as Measurements from "./Measurements.js"
import * as RuleFilter from "./RuleFilter.js"

/** A notification that a rule would have made. */
export interface DryRunMatch {
  readonly at: DateTime.Utc
  readonly trigger: AlertTrigger["type"]
  /** Null for the project as a whole. */
  readonly group: Pick<ListedGroup, "id" | "errorType" | "errorMessage"> | null
}

/** The result of a dry run. */
export interface DryRun {
  readonly since: DateTime.Utc
  readonly until: DateTime.Utc
  /** Number of notifications, at most one per group and period, without the limit per hour. */
  readonly count: number
  /** The newest ones, at most 100. */
  readonly matches: ReadonlyArray<DryRunMatch>
  /** True if there were more than 1,000 groups or changes to check: the count is too low then. */
  readonly isPartial: boolean
}

/**
 * Applies a rule to the last seven days. Reports are counted by the minute for two days and by the hour before. So windows of less
 * than an hour are checked for the last two days only. Groups are filtered as they are now.
 */
export const run = Effect.fn("DryRun.run")(function* (
  project: { readonly projectId: ProjectId; readonly errorAndFatalOnly: boolean },
  rule: AlertRuleContent,
) {
  const until = yield* DateTime.now
  const since = DateTime.subtract(until, { days })
  const occurrences: Array<Occurrence> = []
  let isPartial = false
  for (const trigger of rule.triggers) {
    const found = yield* occurrencesOf(project.projectId, rule, trigger, since, until)
    isPartial ||= found.isPartial
    occurrences.push(...found.occurrences)
  }
  const spaced = withPeriod(
    occurrences.filter(({ group }) => group === null || isSevereEnough(project, group)),
    rule.repeatMinutes,
  )
  return {
    since,
    until,
    count: spaced.length,
    matches: spaced
      .slice(0, maxShown)
      .map(({ at, group, trigger }) => ({ at: DateTime.makeUnsafe(at), trigger, group })),
    isPartial,
  } satisfies DryRun
})

/** At most one occurrence per group and period, newest first. */
export const withPeriod = <One extends Pick<Occurrence, "at" | "group">>(
  occurrences: ReadonlyArray<One>,
  repeatMinutes: number,
): ReadonlyArray<One> => {
  const last = new Map<GroupId | null, number>()
  const kept: Array<One> = []
  for (const one of [...occurrences].sort((self, that) => self.at - that.at)) {
    const id = one.group?.id ?? null
    const before = last.get(id)
    if (before !== undefined && one.at < before + repeatMinutes * minute) continue
    last.set(id, one.at)
    kept.push(one)
  }
  return kept.reverse()
}

/** The steps, by position, at which a sum over a number of steps begins to be more than a count. */
export const beginnings = (
  steps: ReadonlyArray<number>,
  window: number,
  count: number,
): ReadonlyArray<number> => {
  const found: Array<number> = []
  let sum = 0
  let held = false
  for (const [i, reports] of steps.entries()) {
    sum += reports - (i >= window ? (steps[i - window] ?? 0) : 0)
    const holds = sum > count
    if (holds && !held) found.push(i)
    held = holds
  }
  return found
}

// internal

const days = 7
const minute = 60_000
const maxShown = 100
const maxGroups = 1_000
const groupsPerSeries = 100

interface Occurrence {
  /** Epoch milliseconds. */
  readonly at: number
  readonly trigger: AlertTrigger["type"]
  readonly group: ListedGroup | null
}

interface Found {
  readonly occurrences: ReadonlyArray<Occurrence>
  readonly isPartial: boolean
}

const occurrencesOf = Effect.fnUntraced(function* (
  projectId: ProjectId,
  { filter }: AlertRuleContent,
  trigger: AlertTrigger,
  since: DateTime.Utc,
  until: DateTime.Utc,
) {
  const groups = (more: Partial<GroupFilter>) => RuleFilter.groups(projectId, filter, more, maxGroups)
  const of = (found: ReadonlyArray<ListedGroup>, at: (group: ListedGroup) => DateTime.Utc): Found => ({
    occurrences: found.map((group) => ({ at: at(group).epochMilliseconds, trigger: trigger.type, group })),
    isPartial: found.length >= maxGroups,
  })
  switch (trigger.type) {
    case "created":
      return of(yield* groups({ createdFrom: since.epochMilliseconds }), ({ createdAt }) => createdAt)
    case "fatal":
      return of(
        yield* groups({ createdFrom: since.epochMilliseconds, severities: ["fatal"] }),
        ({ createdAt }) => createdAt,
      )
    case "users":
      return of(
        yield* groups({
          usersCount: { op: ">=", value: trigger.count },
          lastOccurredFrom: since.epochMilliseconds,
        }),
        ({ lastOccurredAt }) => lastOccurredAt,
      )
    case "reopened":
    case "assigned":
    case "noted": {
      const changes = yield* History.changes(projectId, since, maxGroups)
      const wanted = changes.filter(({ type }) => type === trigger.type)
      const ids = [...new Set(wanted.map(({ groupId }) => groupId))]
      const known = new Map(
        (ids.length === 0 ? [] : yield* groups({ ids })).map((group) => [group.id, group]),
      )
      return {
        occurrences: wanted.flatMap(({ at, groupId }): ReadonlyArray<Occurrence> => {
          const group = known.get(groupId)
          return group === undefined ? [] : [{ at: at.epochMilliseconds, trigger: trigger.type, group }]
        }),
        isPartial: changes.length >= maxGroups,
      } satisfies Found
    }
    case "reports":
    case "rate":
      return yield* counted(projectId, trigger, groups, until)
  }
})

type Counted = Extract<AlertTrigger, { readonly type: "reports" | "rate" }>

const counted = Effect.fnUntraced(function* <E, R>(
  projectId: ProjectId,
  trigger: Counted,
  groups: (more: Partial<GroupFilter>) => Effect.Effect<ReadonlyArray<ListedGroup>, E, R>,
  until: DateTime.Utc,
) {
  const activity = yield* ActivityStore
  const range = rangeOf(trigger, until)
  const stepMinutes = range.step === "hour" ? 60 : 1
  const at = (i: number) => Math.min((range.since + (i + 1) * stepMinutes) * minute, until.epochMilliseconds)
  if (trigger.type === "reports" && trigger.of === "project") {
    const [series] = yield* activity.series(projectId, null, range)
    const found = beginnings(series?.reports ?? [], windowOf(trigger, stepMinutes), trigger.count)
    return {
      occurrences: found.map((i) => ({ at: at(i), trigger: trigger.type, group: null })),
      isPartial: false,
    }
  }
  const least = trigger.type === "reports" ? trigger.count + 1 : Math.ceil(trigger.factor * 10)
  const busiest = yield* activity.busiest(projectId, range, least, maxGroups)
  const ids = busiest.map(({ groupId }) => groupId)
  const known = new Map((ids.length === 0 ? [] : yield* groups({ ids })).map((group) => [group.id, group]))
  const occurrences: Array<Occurrence> = []
  for (let from = 0; from < ids.length; from += groupsPerSeries) {
    for (const series of yield* activity.series(projectId, ids.slice(from, from + groupsPerSeries), range)) {
      const group = series.groupId === null ? undefined : known.get(series.groupId)
      if (group === undefined) continue
      const found =
        trigger.type === "reports"
          ? beginnings(series.reports, windowOf(trigger, stepMinutes), trigger.count)
          : highHours(series.reports, trigger.factor)
      for (const i of found) occurrences.push({ at: at(i), trigger: trigger.type, group })
    }
  }
  return { occurrences, isPartial: busiest.length >= maxGroups } satisfies Found
})

/** Hours of the last seven days with many times the usual reports, and fewer in the hour before. */
const highHours = (hours: ReadonlyArray<number>, factor: number): ReadonlyArray<number> => {
  const first = hours.length - days * 24
  const isHigh = (i: number) =>
    (hours[i] ?? 0) >= factor * Measurements.usualOf(hours.slice(Math.max(0, i - days * 24), i))
  const found: Array<number> = []
  for (let i = first; i < hours.length; i++) if (isHigh(i) && !isHigh(i - 1)) found.push(i)
  return found
}

const windowOf = ({ minutes }: Extract<Counted, { readonly type: "reports" }>, stepMinutes: number): number =>
  Math.max(1, Math.round(minutes / stepMinutes))

/** Minutes of two days for short windows, else hours; a week more for rates, which compare with it. */
const rangeOf = (trigger: Counted, until: DateTime.Utc): ActivityRange => {
  const last = Math.floor(until.epochMilliseconds / minute) + 1
  if (trigger.type === "reports" && trigger.minutes < 60) {
    return { since: last - kept.minutes * 24 * 60, until: last, step: "minute" }
  }
  const hour = Math.ceil(last / 60) * 60
  const length = trigger.type === "rate" ? 2 * days : days
  return { since: hour - length * 24 * 60, until: hour, step: "hour" }
}
