/** The filter of a group list, which combines the search expression and the list's parameters. */
import { DateTime, type Effect, Predicate } from "effect"
import { reservedFields, reservedTags } from "../event/ReservedTags.js"
import { type Severity, severities } from "../event/Severities.js"
import { momentOf, type TimeBound } from "../search/DateBound.js"
import type { Comparison, SearchQuery, Status } from "../search/SearchQuery.js"
import { documentOf, matches, type TextTerm } from "../search/TextIndex.js"
import { isMoment } from "../validation/Moment.js"
import { isStorable, notStorable } from "../validation/StorableText.js"
import { ValidationError } from "../validation/ValidationError.js"
import { type Group, type GroupId, isMuted } from "./Group.js"

/** Conditions on groups. All that are present must hold. */
export interface GroupFilter {
  readonly resolved?: boolean
  /** A new report reopened it, and it was not resolved since. */
  readonly reopened?: boolean
  /** Considers the mutes in effect at the time of reading. */
  readonly muted?: boolean
  /** The group's severity is one of these, ascending. Empty if conditions contradict each other: no group matches. */
  readonly severities?: ReadonlyArray<Severity>
  /** Tags of the group's reports. Server, environment and release have the keys of `reservedTags`. */
  readonly tags: ReadonlyArray<{ readonly key: string; readonly value: string }>
  readonly errorType?: string
  readonly assignee?: number | "none"
  readonly usersCount?: { readonly op: Comparison; readonly value: number }
  readonly reportsCount?: { readonly op: Comparison; readonly value: number }
  /** Epoch milliseconds, inclusive. */
  readonly lastOccurredFrom?: number
  /** Epoch milliseconds, inclusive. */
  readonly lastOccurredTo?: number
  readonly text: ReadonlyArray<TextTerm>
  /** Only these groups. Set by alert rules, not by searches. */
  readonly ids?: ReadonlyArray<GroupId>
  /** Created at or after this time, in epoch milliseconds. */
  readonly createdFrom?: number
  /** Resolved at or after this time, in epoch milliseconds, and still resolved. */
  readonly resolvedFrom?: number
}

/** Matches every group. */
export const all: GroupFilter = { tags: [], text: [] }

/** The parsed parameters of a list besides its search expression. */
export interface GroupListParameters {
  readonly status?: Status | "all"
  readonly resolved?: boolean
  /** Inclusive. */
  readonly since?: TimeBound
  /** Inclusive. */
  readonly until?: TimeBound
}

/** Rejects values that some storages cannot handle. Errors name the filter's fields. */
export const check = (filter: GroupFilter): Effect.Effect<void, ValidationError> => {
  const { assignee, errorType, lastOccurredFrom, lastOccurredTo, reportsCount, tags, text, usersCount } =
    filter
  return ValidationError.ensure({
    errorType: errorType === undefined || isStorable(errorType) ? null : notStorable,
    tags: tags.every(({ key, value }) => isStorable(key) && isStorable(value)) ? null : notStorable,
    text: text.every((term) => term.words.every(isStorable)) ? null : notStorable,
    assignee: typeof assignee !== "number" || Number.isSafeInteger(assignee) ? null : "must be an integer",
    reportsCount:
      reportsCount === undefined || Number.isSafeInteger(reportsCount.value) ? null : "must be an integer",
    usersCount:
      usersCount === undefined || Number.isSafeInteger(usersCount.value) ? null : "must be an integer",
    lastOccurredFrom: lastOccurredFrom === undefined || isMoment(lastOccurredFrom) ? null : notMoment,
    lastOccurredTo: lastOccurredTo === undefined || isMoment(lastOccurredTo) ? null : notMoment,
  })
}

/** Combines a query and parameters. `me` is the caller's id. Relative times refer to `now`, in epoch milliseconds. */
export const make = (
  query: SearchQuery,
  parameters: GroupListParameters,
  me: number,
  now: number,
): GroupFilter => {
  const { severity, tags: queryTags, text } = query
  const statuses = [query.status, parameters.status]
  const resolved = conjunction([
    parameters.resolved,
    ...statuses.map((status) => flag(status, "resolved", "unresolved")),
  ])
  const muted = conjunction(statuses.map((status) => flag(status, "muted", "unmuted")))
  const levels =
    resolved === "contradiction" || muted === "contradiction"
      ? []
      : severity && severities.filter((level) => severity.levels.includes(level) !== severity.negated)
  const moment = (bound: TimeBound) => momentOf(bound, "past", now)
  const from = Math.max(...[query.since, parameters.since].filter(Predicate.isNotUndefined).map(moment))
  const to = Math.min(...[query.until, parameters.until].filter(Predicate.isNotUndefined).map(moment))
  const tags = [...queryTags]
  for (const field of reservedFields) {
    const value = query[field]
    if (value !== undefined) tags.push({ key: reservedTags[field], value })
  }
  return {
    ...(typeof resolved === "boolean" ? { resolved } : {}),
    ...(query.reopened === undefined ? {} : { reopened: query.reopened }),
    ...(typeof muted === "boolean" ? { muted } : {}),
    ...(levels === undefined ? {} : { severities: levels }),
    tags,
    ...(query.errorType === undefined ? {} : { errorType: query.errorType }),
    ...(query.assignee === undefined ? {} : { assignee: query.assignee === "me" ? me : query.assignee }),
    ...(query.reportsCount === undefined ? {} : { reportsCount: query.reportsCount }),
    ...(query.usersCount === undefined ? {} : { usersCount: query.usersCount }),
    ...(Number.isFinite(from) ? { lastOccurredFrom: from } : {}),
    ...(Number.isFinite(to) ? { lastOccurredTo: to } : {}),
    text,
  }
}

/** The fields of a group that filters read. */
export type FilteredGroup = Pick<
  Group,
  | "errorType"
  | "errorMessage"
  | "culprit"
  | "severity"
  | "resolution"
  | "reopenedAt"
  | "mute"
  | "projectMute"
  | "assigneeId"
  | "reportsCount"
  | "usersCount"
  | "lastOccurredAt"
  | "id"
  | "createdAt"
>

/** The searchable text of a group. */
export type TextOfGroup = Pick<Group, "errorType" | "errorMessage" | "culprit">

/**
 * Checks whether a group matches at a time. `hasTag` checks the tags of its reports. `members` are the groups merged
 * into it; the text may match any of them.
 */
export const matchesGroup = (
  filter: GroupFilter,
  group: FilteredGroup,
  hasTag: (key: string, value: string) => boolean,
  nowMillis: number,
  members: ReadonlyArray<TextOfGroup> = [],
): boolean => {
  const { assignee, errorType, lastOccurredFrom, lastOccurredTo, muted, reportsCount, resolved, severities } =
    filter
  const { usersCount } = filter
  if (resolved !== undefined && (group.resolution !== null) !== resolved) return false
  if (filter.reopened !== undefined && (group.reopenedAt !== null) !== filter.reopened) return false
  if (filter.ids !== undefined && !filter.ids.includes(group.id)) return false
  if (filter.createdFrom !== undefined && group.createdAt.epochMilliseconds < filter.createdFrom) return false
  if (
    filter.resolvedFrom !== undefined &&
    (group.resolution === null || group.resolution.at.epochMilliseconds < filter.resolvedFrom)
  ) {
    return false
  }
  if (severities !== undefined && !severities.includes(group.severity)) return false
  if (errorType !== undefined && group.errorType !== errorType) return false
  if (
    assignee !== undefined &&
    (assignee === "none" ? group.assigneeId !== null : group.assigneeId !== assignee)
  ) {
    return false
  }
  if (reportsCount !== undefined && !compare(group.reportsCount, reportsCount.op, reportsCount.value))
    return false
  if (usersCount !== undefined && !compare(group.usersCount, usersCount.op, usersCount.value)) return false
  const lastOccurredAt = group.lastOccurredAt.epochMilliseconds
  if (lastOccurredFrom !== undefined && lastOccurredAt < lastOccurredFrom) return false
  if (lastOccurredTo !== undefined && lastOccurredAt > lastOccurredTo) return false
  if (muted !== undefined && isMuted(group, DateTime.makeUnsafe(nowMillis)) !== muted) return false
  if (!filter.tags.every(({ key, value }) => hasTag(key, value))) return false
  return (
    filter.text.length === 0 ||
    [group, ...members].some((each) =>
      matches(documentOf(each.errorType, each.errorMessage, each.culprit), filter.text),
    )
  )
}

// internal

const notMoment = "must be within the years 0 to 9999"

const flag = (status: Status | "all" | undefined, yes: Status, no: Status): boolean | undefined =>
  status === yes ? true : status === no ? false : undefined

const conjunction = (flags: ReadonlyArray<boolean | undefined>): boolean | undefined | "contradiction" =>
  flags.includes(true)
    ? flags.includes(false)
      ? "contradiction"
      : true
    : flags.includes(false)
      ? false
      : undefined

const compare = (left: number, op: Comparison, right: number): boolean => {
  switch (op) {
    case "=":
      return left === right
    case ">":
      return left > right
    case ">=":
      return left >= right
    case "<":
      return left < right
    case "<=":
      return left <= right
  }
}
