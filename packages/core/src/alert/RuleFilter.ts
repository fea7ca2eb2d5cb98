/** The groups that a rule is narrowed to. */
import { DateTime, Effect } from "effect"
import { reservedTags } from "../event/ReservedTags.js"
import type { ListedGroup } from "../group/Group.js"
import * as GroupFilter from "../group/GroupFilter.js"
import { GroupStore } from "../group/GroupStore.js"
import type { GroupId } from "../id/GroupId.js"
import type { ProjectId } from "../project/Project.js"
import * as SearchQuery from "../search/SearchQuery.js"
import type { AlertFilter } from "./AlertRule.js"

/** True if a filter lets every group pass. */
export const isEmpty = ({ environments, query, severities }: AlertFilter): boolean =>
  query.trim() === "" && environments.length === 0 && severities.length === 0

/** The filters of groups that a rule's filter stands for: a group passes if one of them lets it. */
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

/** The groups of a project that pass and fulfil more conditions, at most `limit` for each environment. */
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

/** Those of some groups of a project that pass. Merged groups do not. */
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

/** A rule belongs to no person: `assignee:me` finds nothing. */
const nobody = 0
