/** Finds all groups that match a filter if they are few, and counts them otherwise. */
import type { GroupFilter, ProjectId } from "@errata/core"
import { type DateTime, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { byIndex } from "./ByIndex.js"
import * as GroupCandidates from "./GroupCandidates.js"
import { conditionsOfOne, listed } from "./GroupFilterSql.js"
import * as GroupList from "./GroupList.js"
import { type PlaceRow, placeRows } from "./GroupRow.js"
import * as Rows from "./Rows.js"
import { int8 } from "./SqlType.js"

export interface FewGroups {
  /** Unsorted. Null if there are more than `limit`, or if it would have to read all groups of the project. */
  readonly all: (
    projectId: ProjectId,
    filter: GroupFilter.GroupFilter,
    limit: number,
    now: DateTime.Utc,
  ) => Effect.Effect<ReadonlyArray<PlaceRow> | null, SqlError>
  /** Counts up to a limit. */
  readonly count: (
    projectId: ProjectId,
    filter: GroupFilter.GroupFilter,
    limit: number,
    now: DateTime.Utc,
  ) => Effect.Effect<number, SqlError>
}

export const make = (sql: SqlClient.SqlClient): FewGroups => {
  const newest = GroupList.make(sql, placeRows.select("g"), placeRows.read)
  const candidates = GroupCandidates.make(sql)

  /** Selects from the groups among `ids` that match. */
  const ofMatching = (
    selected: string,
    projectId: ProjectId,
    filter: GroupFilter.GroupFilter,
    ids: ReadonlyArray<number>,
    now: DateTime.Utc,
  ) =>
    sql`
      SELECT ${sql.literal(selected)} FROM (
        SELECT * FROM errata.groups AS g
        WHERE ${sql.and(listed(sql, projectId))} AND g.id = ANY (${ids}::bigint[]) OFFSET 0
      ) AS g WHERE ${sql.and([sql`true`, ...conditionsOfOne(sql, filter, now)])}`.pipe(byIndex(sql))

  return {
    all: Effect.fnUntraced(function* (projectId, filter, limit, now) {
      const some = yield* candidates(projectId, filter)
      if (some?.complete) {
        const found = yield* ofMatching(placeRows.select("g"), projectId, filter, some.ids, now)
        return found.length > limit ? null : found.map(placeRows.read)
      }
      // The text index has no order.
      if (filter.text.length === 0) return null
      const page = yield* newest(projectId, filter, { limit, cursor: null }, now)
      return page.nextCursor === null ? page.items : null
    }),

    count: Effect.fnUntraced(function* (projectId, filter, limit, now) {
      // Contradictory conditions.
      if (filter.severities?.length === 0) return 0
      const some = yield* candidates(projectId, filter)
      if (some !== null) {
        const [row] = yield* ofMatching("count(*) AS count", projectId, filter, some.ids, now)
        const { count } = countRows.read(row!)
        if (some.complete || count >= limit) return Math.min(count, limit)
      }
      if (filter.text.length > 0) {
        return (yield* newest(projectId, filter, { limit, cursor: null }, now)).items.length
      }
      const where = [...listed(sql, projectId), ...conditionsOfOne(sql, filter, now)]
      const [row] = yield* sql`
        SELECT count(*) AS count FROM (
          SELECT FROM errata.groups AS g WHERE ${sql.and(where)} ORDER BY g.id DESC LIMIT ${limit}
        ) AS g`.pipe(byIndex(sql))
      return countRows.read(row!).count
    }),
  }
}

// internal

const countRows = Rows.make({ count: int8() })
