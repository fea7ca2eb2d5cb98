/** Removes the data of deleted projects in steps, with a transaction per statement. */

import type { ProjectStore } from "@errata/core/ports"
import { DateTime, Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import * as Buckets from "./Buckets.js"
import { named } from "./PgStorageError.js"
import { toDate } from "./PgTime.js"
import { tables } from "./ProjectTables.js"
import * as Rows from "./Rows.js"
import { int8, time } from "./SqlType.js"
import * as Weeks from "./Weeks.js"

export const make = (sql: SqlClient.SqlClient): ProjectStore["Service"]["purge"] => {
  // Skips rows that another node is removing or a recorder is writing. A ctid is only unique within one partition, that
  // of the project or of a week.
  const removeWhere = (table: string, where: Statement.Fragment, limit: number) =>
    Effect.map(
      sql`
        DELETE FROM ${sql(`errata.${table}`)} WHERE ${where} AND ctid = ANY (ARRAY(
          SELECT ctid FROM ${sql(`errata.${table}`)} WHERE ${where} LIMIT ${limit} FOR UPDATE SKIP LOCKED
        )) RETURNING 1`,
      (rows) => rows.length,
    )

  /** Removes rows of one week: that of the first row found. */
  const removeOfWeek = (table: string, key: string, projectId: number, limit: number) =>
    Effect.gen(function* () {
      const [row] = yield* sql`
        SELECT ${sql(key)} AS id FROM ${sql(`errata.${table}`)} WHERE project_id = ${projectId} LIMIT 1`
      if (row === undefined) return 0
      const [from, below] = Weeks.idsOfWeek(idRows.read(row).id)
      return yield* removeWhere(
        table,
        sql`project_id = ${projectId} AND ${sql(key)} >= ${from} AND ${sql(key)} < ${below}`,
        limit,
      )
    })

  const removeSome = Effect.fnUntraced(function* (table: string, projectId: number, limit: number) {
    const key = table in Weeks.weekly ? Weeks.weekly[table as keyof typeof Weeks.weekly] : null
    if (key === null) return yield* removeWhere(table, sql`project_id = ${projectId}`, limit)
    let total = 0
    while (total < limit) {
      const removed = yield* removeOfWeek(table, key, projectId, limit - total)
      if (removed === 0) break
      total += removed
    }
    return total
  })

  return (limit, now) =>
    Effect.gen(function* () {
      const deleted = yield* sql`
        SELECT ${sql.literal(deletedRows.select())} FROM errata.projects
        WHERE deleted_at IS NOT NULL AND purged_at IS NULL ORDER BY id`
      const isOwn = yield* Buckets.own(sql)
      const settled = DateTime.subtract(now, { days: 1 })
      let total = 0
      for (const { deletedAt, id } of deleted.map(deletedRows.read)) {
        if (!isOwn(id)) continue
        const before = total
        for (const table of tables) {
          total += yield* removeSome(table, id, limit - total)
          if (total >= limit) return total
        }
        if (total === before && DateTime.isLessThan(deletedAt, settled)) {
          yield* sql`UPDATE errata.projects SET purged_at = ${toDate(now)} WHERE id = ${id}`
        }
      }
      return total
    }).pipe(named("ProjectStore.purge"))
}

// internal

const idRows = Rows.make({ id: int8() })
const deletedRows = Rows.make({ id: int8(), deletedAt: time })
