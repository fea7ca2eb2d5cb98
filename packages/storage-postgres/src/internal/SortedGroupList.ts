/**
 * Lists of groups in the order of a coarse index: by the hour of the last report, or by the magnitude of the number of
 * reports or of users. No statement depends on statistics, which are often missing or old, but for those that search for text.
 *
 * 1. The first groups in the order are checked one by one. Most filters fill a page from them.
 * 2. If few groups match, all of them are found and sorted.
 * 3. If many match, but none of the first, more and more groups are checked in their order.
 */

import { type GroupFilter, GroupSort, type ListedGroup, Page, type ProjectId } from "@errata/core"
import { type DateTime, Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { byIndex } from "./ByIndex.js"
import * as FewGroups from "./FewGroups.js"
import { coarseBounds, conditionsOfOne, isOfFew, listed } from "./GroupFilterSql.js"
import { listedColumns, placeRows, toListed } from "./GroupRow.js"
import * as PgLiteral from "./PgLiteral.js"

export type Sort = Exclude<GroupSort.GroupSort, "newest">

export type SortedGroupList = (
  projectId: ProjectId,
  filter: GroupFilter.GroupFilter,
  page: Page.PageRequest,
  now: DateTime.Utc,
  sort: Sort,
) => Effect.Effect<Page.Page<ListedGroup>, SqlError>

export const make = (sql: SqlClient.SqlClient): SortedGroupList => {
  const few = FewGroups.make(sql)

  /** Groups of a project in the order from a place on, with no condition but what its index has. */
  const inOrder = (
    projectId: ProjectId,
    filter: GroupFilter.GroupFilter,
    sort: Sort,
    after: number | null,
  ) => {
    const column = sql.literal(columns[sort])
    const bounds = [...listed(sql, projectId), ...coarseBounds(sql, filter, columns[sort])]
    if (after !== null) {
      const { id, rank } = GroupSort.readPlace(after)
      const ofRank = sort === "last_seen" ? new Date(GroupSort.startOfHour(rank)) : rank
      bounds.push(sql`(g.${column}, g.id) < (${ofRank}, ${id})`)
    }
    return {
      groups: sql`FROM errata.groups AS g WHERE ${sql.and(bounds)}`,
      order: sql`ORDER BY g.${column} DESC, g.id DESC`,
    }
  }

  /** Those that match among the next `count` groups; `end` is where the next of them follow, null where there are none. */
  const look = (
    { groups, order }: ReturnType<typeof inOrder>,
    sort: Sort,
    where: ReadonlyArray<Statement.Fragment>,
    count: number,
    limit: number,
  ) =>
    Effect.gen(function* () {
      const rows = yield* sql`
        SELECT ${sql.literal(listedColumns)} FROM (SELECT * ${groups} ${order} LIMIT ${count}) AS g
        WHERE ${sql.and([sql`true`, ...where])} ${order} LIMIT ${limit}`
      const found = rows.map(toListed)
      const [last] =
        found.length >= limit
          ? found.slice(-1)
          : (yield* sql`
              SELECT ${sql.literal(placeRows.select("g"))} ${groups} ${order} LIMIT 1 OFFSET ${count - 1}`).map(
              placeRows.read,
            )
      return { found, end: last === undefined ? null : GroupSort.placeOf(sort, last) }
    }).pipe(byIndex(sql))

  /** The next groups of all that match; null where these are too many to sort. */
  const sortAll = (
    projectId: ProjectId,
    filter: GroupFilter.GroupFilter,
    { cursor, limit }: Page.PageRequest,
    now: DateTime.Utc,
    sort: Sort,
  ) =>
    Effect.gen(function* () {
      const all = yield* few.all(projectId, filter, maxSorted, now)
      if (all === null) return null
      const places = all
        .map((group) => ({ id: group.id, place: GroupSort.placeOf(sort, group) }))
        .filter(({ place }) => cursor === null || place < cursor)
        .sort((a, b) => b.place - a.place)
        .slice(0, limit)
      const rows = yield* sql`
        SELECT ${sql.literal(listedColumns)} FROM errata.groups AS g
        WHERE g.project_id = ${projectId} AND g.id = ANY (${PgLiteral.numbers(places.map(({ id }) => id))}::bigint[])`
      const groups = new Map(rows.map(toListed).map((group) => [group.id, group]))
      return places.flatMap(({ id }) => groups.get(id) ?? [])
    })

  return Effect.fnUntraced(function* (projectId, filter, page, now, sort) {
    const limit = page.limit + 1
    const pageOf = (groups: Iterable<ListedGroup>) =>
      Page.fromRows([...groups].slice(0, limit), page, (group) => GroupSort.placeOf(sort, group))
    // Conditions that contradict each other.
    if (filter.severities?.length === 0) return pageOf([])
    // Its first groups in the order say nothing of these.
    if (isOfFew(filter)) {
      const all = yield* sortAll(projectId, filter, { ...page, limit }, now, sort)
      if (all !== null) return pageOf(all)
    }
    const where = conditionsOfOne(sql, filter, now)
    const found = new Map<number, ListedGroup>()
    let count = where.length > 0 ? limit * 10 : limit
    for (let after = page.cursor; ; count *= 10) {
      const next = inOrder(projectId, filter, sort, after)
      const looked = yield* look(next, sort, where, count, limit - found.size)
      for (const group of looked.found) found.set(group.id, group)
      if (found.size >= limit || looked.end === null) return pageOf(found.values())
      if (after === page.cursor) {
        const all = yield* sortAll(projectId, filter, { ...page, limit }, now, sort)
        if (all !== null) return pageOf(all)
      }
      after = looked.end
    }
  })
}

// internal

/** So many matches are found in some ten milliseconds. Of more than these, one is near any place, most likely. */
const maxSorted = 1_000

const columns = {
  last_seen: "last_occurred_hour",
  reports_count: "reports_bucket",
  users_count: "users_bucket",
} as const
