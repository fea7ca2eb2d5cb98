/**
 * Lists groups in the order of a coarse index: by hour of the last report, or by magnitude of the number of reports or
 * users. Only text searches depend on statistics, which are often missing or old.
 *
 * 1. Check the first groups in order one by one, which fills the page for most filters.
 * 2. If few groups match, find all of them and sort them.
 * 3. If many match but none of the first ones, check more and more groups in order.
 */

import { type GroupFilter, GroupSort, type ListedGroup, Page, type ProjectId } from "@errata/core"
import { type DateTime, Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { byIndex } from "./ByIndex.js"
import * as FewGroups from "./FewGroups.js"
import { coarseBounds, conditionsOfOne, isOfFew, listed } from "./GroupFilterSql.js"
import { listedColumns, placeRows, toListed } from "./GroupRow.js"

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

  /** Groups of a project from a position on, restricted only by the index. */
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

  /** Returns the matches among the next `count` groups. `end` is the position after them, or null. */
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

  /** Returns the next page of all matches, sorted; null if they are too many. */
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
        WHERE g.project_id = ${projectId} AND g.id = ANY (${places.map(({ id }) => id)}::bigint[])`
      const groups = new Map(rows.map(toListed).map((group) => [group.id, group]))
      return places.flatMap(({ id }) => groups.get(id) ?? [])
    })

  return Effect.fnUntraced(function* (projectId, filter, page, now, sort) {
    const limit = page.limit + 1
    const pageOf = (groups: Iterable<ListedGroup>) =>
      Page.fromRows([...groups].slice(0, limit), page, (group) => GroupSort.placeOf(sort, group))
    // Contradictory conditions.
    if (filter.severities?.length === 0) return pageOf([])
    // The first groups in order are unlikely to be among these.
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

/** Finding this many matches takes about ten milliseconds. With more, one is likely near any position. */
const maxSorted = 1_000

const columns = {
  last_seen: "last_occurred_hour",
  reports_count: "reports_bucket",
  users_count: "users_bucket",
} as const
