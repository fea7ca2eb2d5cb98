/** The groups to which a rule is restricted. */
import { DateTime, Effect } from "effect"
import { reservedTags } from "../event/ReservedTags.js"
import type { ListedGroup } from "../group/Group.js"
import * as GroupFilter from "../group/GroupFilter.js"
import { GroupStore } from "../group/GroupStore.js"
import type { GroupId } from "../id/GroupId.js"
import type { ProjectId } from "../project/Project.js"
import * as SearchQuery from "../search/SearchQuery.js"
import type { AlertFilter } from "./AlertRule.js"

/** Returns true if a filter matches every group. */
export const isEmpty = ({ environments, query, severities }: AlertFilter): boolean =>
  query.trim() === "" && environments.length === 0 && severities.length === 0

/** The group filters of a rule's filter. A group matches if one of them does. */
export const groupFilters = Effect.fnUntraced(function* (projectId: ProjectId, filter: AlertFilter) {
  const groups = yield* GroupStore
  const now = (yield* DateTime.now).epochMilliseconds
  const asked = SearchQuery.tagKeysAsked(filter.query)
  const tagKeys = asked.length === 0 ? [] : yield* groups.tagKeys(projectId, asked)
  const query = GroupFilter.make(SearchQuery.parse(filter.query, tagKeys), {}, nobody, now)
  const severities =
    filter.severities.length === 0
      ? query.severities
      : filter.severities.filter((severity) => query.severities?.includes(severity) ?? true)
  const narrowed = severities === undefined ? query : { ...query, severities }
  if (filter.environments.length === 0) return [narrowed]
  return filter.environments.map((value): GroupFilter.GroupFilter => {
    return { ...narrowed, tags: [...narrowed.tags, { key: reservedTags.environment, value }] }
  })
})

/** The matching groups of a project that meet further conditions, at most `limit` per environment. */
export const groups = Effect.fnUntraced(function* (
  projectId: ProjectId,
  filter: AlertFilter,
  more: Partial<GroupFilter.GroupFilter>,
  limit: number,
) {
  const store = yield* GroupStore
  const now = yield* DateTime.now
  const found = new Map<GroupId, ListedGroup>()
  for (const one of yield* groupFilters(projectId, filter)) {
    const { items } = yield* store.list(projectId, { ...one, ...more }, { limit, cursor: null }, now)
    for (const group of items) found.set(group.id, group)
  }
  return [...found.values()]
})

/** The matching groups among some of a project. Merged groups do not match. */
export const passing = Effect.fnUntraced(function* (
  projectId: ProjectId,
  filter: AlertFilter,
  ids: ReadonlyArray<GroupId>,
) {
  if (isEmpty(filter) || ids.length === 0) return new Set(ids)
  const passed = yield* groups(projectId, filter, { ids }, ids.length)
  return new Set(passed.map(({ id }) => id))
})

// internal

/** Rules belong to no user, so `assignee:me` matches nothing. */
const nobody = 0
