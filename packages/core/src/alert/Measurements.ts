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

/** Measures a condition. Resolved and muted groups do not count. */
export const measure = (
  projectId: ProjectId,
  trigger: MeasuredTrigger,
  filter: AlertFilter,
  now: DateTime.Utc,
) => {
  switch (trigger.type) {
    case "users":
      return manyUsers(projectId, trigger, filter, now)
    case "reports":
      return trigger.of === "project"
        ? manyReportsOfProject(projectId, trigger, now)
        : manyReports(projectId, trigger, filter, now)
    case "rate":
      return highRate(projectId, trigger, filter, now)
  }
}

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

type Of<Type extends MeasuredTrigger["type"]> = Extract<MeasuredTrigger, { readonly type: Type }>

const counts: Partial<GroupFilter> = { resolved: false, muted: false }

const manyUsers = Effect.fnUntraced(function* (
  projectId: ProjectId,
  { count }: Of<"users">,
  filter: AlertFilter,
  now: DateTime.Utc,
) {
  const more: Partial<GroupFilter> = {
    ...counts,
    usersCount: { op: ">=", value: count },
    lastOccurredFrom: now.epochMilliseconds - day,
  }
  const groups = yield* RuleFilter.groups(projectId, filter, more, maxGroups)
  return groups.map((group): Measured => ({ group, reason: `${group.usersCount} users are affected` }))
})

const manyReports = Effect.fnUntraced(function* (
  projectId: ProjectId,
  { count, minutes }: Of<"reports">,
  filter: AlertFilter,
  now: DateTime.Utc,
) {
  const activity = yield* ActivityStore
  const found = yield* activity.busiest(projectId, lastMinutes(minutes, now), count + 1, maxGroups)
  return yield* named(projectId, filter, found, (reports) => `${reports} reports in ${minutesText(minutes)}`)
})

const manyReportsOfProject = Effect.fnUntraced(function* (
  projectId: ProjectId,
  { count, minutes }: Of<"reports">,
  now: DateTime.Utc,
) {
  const activity = yield* ActivityStore
  const projects = yield* ProjectStore
  const project = Option.getOrNull(yield* projects.find(projectId))
  if (project === null || activeMute(project.mute, now) !== null) return []
  const [series] = yield* activity.series(projectId, null, lastMinutes(minutes, now))
  const reports = (series?.reports ?? []).reduce((sum, one) => sum + one, 0)
  return reports > count
    ? [{ group: null, reason: `${reports} reports in ${minutesText(minutes)}` } satisfies Measured]
    : []
})

const highRate = Effect.fnUntraced(function* (
  projectId: ProjectId,
  { factor }: Of<"rate">,
  filter: AlertFilter,
  now: DateTime.Utc,
) {
  const activity = yield* ActivityStore
  const busiest = yield* activity.busiest(
    projectId,
    lastMinutes(60, now),
    Math.ceil(factor * leastUsual),
    maxGroups,
  )
  const usual = new Map<GroupId, number>()
  for (let from = 0; from < busiest.length; from += groupsPerSeries) {
    const ids = busiest.slice(from, from + groupsPerSeries).map(({ groupId }) => groupId)
    for (const { groupId, reports } of yield* activity.series(projectId, ids, lastHours(now))) {
      if (groupId !== null) usual.set(groupId, usualOf(reports))
    }
  }
  const usually = (groupId: GroupId) => usual.get(groupId) ?? leastUsual
  const high = busiest.filter(({ groupId, reports }) => reports >= factor * usually(groupId))
  return yield* named(
    projectId,
    filter,
    high,
    (reports, id) => `${reports} reports in 60 minutes, usually ${Math.round(usually(id))}`,
  )
})

/** The groups of counts, those that the filter of the rule lets pass. */
const named = Effect.fnUntraced(function* (
  projectId: ProjectId,
  filter: AlertFilter,
  found: ReadonlyArray<{ readonly groupId: GroupId; readonly reports: number }>,
  reasonOf: (reports: number, id: GroupId) => string,
) {
  if (found.length === 0) return []
  const reports = new Map(found.map(({ groupId, reports }) => [groupId, reports]))
  const groups = yield* RuleFilter.groups(
    projectId,
    filter,
    { ...counts, ids: [...reports.keys()] },
    maxGroups,
  )
  return groups.map((group): Measured => ({ group, reason: reasonOf(reports.get(group.id) ?? 0, group.id) }))
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
