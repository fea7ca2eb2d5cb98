/** The groups for which a measured condition holds now. */
import { type DateTime, Effect, Option } from "effect"
import { type ActivityRange, ActivityStore } from "../activity/ActivityStore.js"
import type { GroupFilter } from "../group/GroupFilter.js"
import type { GroupId } from "../id/GroupId.js"
import { activeMute, type ProjectId } from "../project/Project.js"
import { ProjectStore } from "../project/ProjectStore.js"
import type { MatchedGroup } from "./AlertMatch.js"
import type { AlertFilter, MeasuredTrigger } from "./AlertRule.js"
import * as RuleFilter from "./RuleFilter.js"

/** A group, or the project as a whole (null), for which a condition holds, with the reason in words. */
export interface Measured {
  readonly group: MatchedGroup | null
  readonly reason: string
}

/** A measured condition of a rule. */
export interface Condition {
  readonly trigger: MeasuredTrigger
  readonly filter: AlertFilter
}

/**
 * Measures conditions of a project; the results are in their order. Resolved and muted groups do not count. Counts
 * are read once for each window, and groups once for each filter.
 */
export const measure = Effect.fnUntraced(function* (
  projectId: ProjectId,
  conditions: ReadonlyArray<Condition>,
  now: DateTime.Utc,
) {
  const counts = yield* readCounts(
    projectId,
    conditions.map(({ trigger }) => trigger),
    now,
  )
  const counted = conditions.map(({ filter, trigger }) => ({ filter, found: groupsCounted(trigger, counts) }))
  const passing = new Map<string, ReadonlyMap<GroupId, MatchedGroup>>()
  for (const [key, some] of Map.groupBy(counted, ({ filter }) => keyOf(filter))) {
    const found = some.flatMap(({ found }) => found)
    passing.set(key, yield* groupsById(projectId, some[0]!.filter, found))
  }
  return yield* Effect.forEach(conditions, ({ filter, trigger }, i) => {
    if (trigger.type === "users") return manyUsers(projectId, trigger, filter, now)
    const groups = counted[i]!.found.flatMap(({ groupId, reason }): ReadonlyArray<Measured> => {
      const group = passing.get(keyOf(filter))?.get(groupId)
      return group === undefined ? [] : [{ group, reason }]
    })
    return Effect.succeed([...groups, ...projectCounted(trigger, counts)])
  })
})

/** The reason for the end of a condition. */
export const endOf = (trigger: MeasuredTrigger): string => {
  switch (trigger.type) {
    case "users":
      return `Over: fewer than ${trigger.count} users`
    case "reports":
      return `Over: no more than ${trigger.count} reports in ${minutesText(trigger.minutes)}`
    case "rate":
      return `Over: fewer than ${trigger.factor} times the usual reports`
  }
}

/** The mean of the same hour of the seven days before, from counts of the 168 hours before it; at least 10. */
export const usualOf = (hours: ReadonlyArray<number>): number => {
  const same = hours.filter((_, i) => i % 24 === 0)
  return Math.max(leastUsual, same.reduce((sum, count) => sum + count, 0) / days)
}

/** `5 minutes` */
export const minutesText = (minutes: number): string => (minutes === 1 ? "1 minute" : `${minutes} minutes`)

// internal

const days = 7
const leastUsual = 10
const maxGroups = 1_000
const groupsPerSeries = 100
const rateMinutes = 60

type Of<Type extends MeasuredTrigger["type"]> = Extract<MeasuredTrigger, { readonly type: Type }>

const openOnly: Partial<GroupFilter> = { resolved: false, muted: false }

const keyOf = (filter: AlertFilter): string => JSON.stringify(filter)

const manyUsers = Effect.fnUntraced(function* (
  projectId: ProjectId,
  { count }: Of<"users">,
  filter: AlertFilter,
  now: DateTime.Utc,
) {
  const more: Partial<GroupFilter> = {
    ...openOnly,
    usersCount: { op: ">=", value: count },
    lastOccurredFrom: now.epochMilliseconds - day,
  }
  const groups = yield* RuleFilter.groups(projectId, filter, more, maxGroups)
  return groups.map((group): Measured => ({ group, reason: `${group.usersCount} users are affected` }))
})

/** Counts of a project, as far as its conditions need them. */
interface Counts {
  /** The busiest groups of the last minutes, by how many minutes those are. */
  readonly busiest: ReadonlyMap<number, ReadonlyArray<Busy>>
  /** Usual reports in an hour, of groups for which a rate may be high. */
  readonly usual: ReadonlyMap<GroupId, number>
  /** Reports of the project by minute, the last one last; empty if it is muted. */
  readonly ofProject: ReadonlyArray<number>
}

type Busy = Effect.Success<ReturnType<ActivityStore["Service"]["busiest"]>>[number]

const readCounts = Effect.fnUntraced(function* (
  projectId: ProjectId,
  triggers: ReadonlyArray<MeasuredTrigger>,
  now: DateTime.Utc,
) {
  const activity = yield* ActivityStore
  const busiest = new Map<number, ReadonlyArray<Busy>>()
  for (const [minutes, some] of Map.groupBy(triggers.filter(isOfGroups), minutesOf)) {
    const least = Math.min(...some.map(leastReports))
    busiest.set(minutes, yield* activity.busiest(projectId, lastMinutes(minutes, now), least, maxGroups))
  }
  const rates = triggers.filter((trigger) => trigger.type === "rate")
  const high = Math.min(...rates.map(leastReports))
  return {
    busiest,
    usual: yield* readUsual(
      projectId,
      (busiest.get(rateMinutes) ?? []).filter(({ reports }) => reports >= high),
      now,
    ),
    ofProject: yield* readProject(
      projectId,
      Math.max(0, ...triggers.filter(isOfProject).map(minutesOf)),
      now,
    ),
  } satisfies Counts
})

const readUsual = Effect.fnUntraced(function* (
  projectId: ProjectId,
  busy: ReadonlyArray<Busy>,
  now: DateTime.Utc,
) {
  const activity = yield* ActivityStore
  const usual = new Map<GroupId, number>()
  for (let from = 0; from < busy.length; from += groupsPerSeries) {
    const ids = busy.slice(from, from + groupsPerSeries).map(({ groupId }) => groupId)
    for (const { groupId, reports } of yield* activity.series(projectId, ids, lastHours(now))) {
      if (groupId !== null) usual.set(groupId, usualOf(reports))
    }
  }
  return usual
})

const readProject = Effect.fnUntraced(function* (projectId: ProjectId, minutes: number, now: DateTime.Utc) {
  if (minutes === 0) return []
  const activity = yield* ActivityStore
  const projects = yield* ProjectStore
  const project = Option.getOrNull(yield* projects.find(projectId))
  if (project === null || activeMute(project.mute, now) !== null) return []
  const [series] = yield* activity.series(projectId, null, lastMinutes(minutes, now))
  return series?.reports ?? []
})

const isOfProject = (trigger: MeasuredTrigger): trigger is Of<"reports"> =>
  trigger.type === "reports" && trigger.of === "project"

const isOfGroups = (trigger: MeasuredTrigger): trigger is Of<"reports" | "rate"> =>
  trigger.type !== "users" && !isOfProject(trigger)

const minutesOf = (trigger: Of<"reports" | "rate">): number =>
  trigger.type === "rate" ? rateMinutes : trigger.minutes

const leastReports = (trigger: Of<"reports" | "rate">): number =>
  trigger.type === "rate" ? Math.ceil(trigger.factor * leastUsual) : trigger.count + 1

/** Groups for which a condition holds by their counts. */
const groupsCounted = (trigger: MeasuredTrigger, { busiest, usual }: Counts) => {
  if (!isOfGroups(trigger)) return []
  const usually = (groupId: GroupId) => usual.get(groupId) ?? leastUsual
  const minutes = minutesText(minutesOf(trigger))
  return (busiest.get(minutesOf(trigger)) ?? []).flatMap(({ groupId, reports }) => {
    if (trigger.type === "reports") {
      return reports > trigger.count ? [{ groupId, reason: `${reports} reports in ${minutes}` }] : []
    }
    const reason = `${reports} reports in ${minutes}, usually ${Math.round(usually(groupId))}`
    return reports >= trigger.factor * usually(groupId) ? [{ groupId, reason }] : []
  })
}

const projectCounted = (trigger: MeasuredTrigger, { ofProject }: Counts): ReadonlyArray<Measured> => {
  if (!isOfProject(trigger)) return []
  const reports = ofProject.slice(-trigger.minutes).reduce((sum, one) => sum + one, 0)
  return reports > trigger.count
    ? [{ group: null, reason: `${reports} reports in ${minutesText(trigger.minutes)}` }]
    : []
}

/** The groups that were counted and that the filter of a rule lets pass. */
const groupsById = Effect.fnUntraced(function* (
  projectId: ProjectId,
  filter: AlertFilter,
  counted: ReadonlyArray<{ readonly groupId: GroupId }>,
) {
  const ids = [...new Set(counted.map(({ groupId }) => groupId))]
  const groups =
    ids.length === 0 ? [] : yield* RuleFilter.groups(projectId, filter, { ...openOnly, ids }, ids.length)
  return new Map<GroupId, MatchedGroup>(groups.map((group) => [group.id, group]))
})

const minute = 60_000
const day = 24 * 60 * minute

/** The minute that is not over counts. */
const lastMinutes = (minutes: number, now: DateTime.Utc): ActivityRange => {
  const until = Math.floor(now.epochMilliseconds / minute) + 1
  return { since: until - minutes, until, step: "minute" }
}

/** The hours of seven days before this one. */
const lastHours = (now: DateTime.Utc): ActivityRange => {
  const until = Math.floor(now.epochMilliseconds / (60 * minute)) * 60
  return { since: until - days * 24 * 60, until, step: "hour" }
}
