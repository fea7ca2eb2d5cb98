/** Weekly partitions. Their schema is in `migrations/initial/Weeks.ts`. */

import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import * as Rows from "./Rows.js"
import { int4 } from "./SqlType.js"

/** Partitioned tables, and the id column that contains the week of their rows. */
export const weekly = {
  reports: "id",
  report_events: "report_id",
  attachments: "report_id",
  report_frames: "report_id",
  segments: "id",
} as const

/** Number of future weeks with partitions. Background work may stop for a month. */
export const ahead = 4

/** Creates missing partitions for the current week and those ahead. */
export const makePartitions = (sql: SqlClient.SqlClient): Effect.Effect<void, SqlError> =>
  Effect.forEach(
    Object.keys(weekly),
    // One statement and transaction per table: see the SQL function.
    (table) => sql`SELECT errata.make_partitions(${table}, ${ahead})`,
    { discard: true },
  )

/** Returns the first weeks of a table's partitions, oldest first. */
export const partitionsOf = (sql: SqlClient.SqlClient, table: keyof typeof weekly) =>
  Effect.map(
    sql`
      SELECT (to_date(right(c.relname, 10), 'YYYY_MM_DD') - DATE '2000-01-03') / 7 AS week
      FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
      WHERE i.inhparent = ${sql.literal(`'errata.${table}'`)}::regclass AND c.relname <> ${`${table}_default`} ORDER BY 1`,
    (rows) => rows.map((row) => weekRows.read(row).week),
  )

/** Returns the first week that transactions may still write to. */
export const openWeek = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql`SELECT errata.week_of(errata.now() - INTERVAL '1 hour') AS week`,
    ([row]) => weekRows.read(row!).week,
  )

/** Returns the id range of the week of an id: from the first, below the second. */
export const idsOfWeek = (id: number): readonly [from: number, below: number] => {
  const from = firstId(weekOf(id))
  return [from, from + idsPerWeek]
}

/** Returns the first id of the week that is `weeks` before that of an id. */
export const idsBefore = (id: number, weeks: number): number => firstId(Math.max(0, weekOf(id) - weeks))

/** Returns the first id of the week of a moment. Ids are assigned by the database's clock, which may differ. */
export const firstIdAt = (epochMilliseconds: number): number =>
  firstId(Math.max(0, Math.floor((epochMilliseconds - epoch) / weekMillis)))

/** Returns the number of the week of a moment. */
export const weekAt = (epochMilliseconds: number): number => weekOf(firstIdAt(epochMilliseconds))

/** Returns the start of a week in epoch milliseconds. */
export const startOf = (week: number): number => epoch + week * weekMillis

/** Returns the first id of a week. */
export const firstIdOf = (week: number): number => firstId(week)

/** Returns the number of weeks per partition of a table. */
export const spanOf = (table: keyof typeof weekly): number => (table === "report_events" ? 4 : 1)

/** Returns the name of the partition that starts with a week. */
export const partitionOf = (table: keyof typeof weekly, week: number): string =>
  `${table}_${new Date(startOf(week)).toISOString().slice(0, 10).replaceAll("-", "_")}`

// internal

const weekRows = Rows.make({ week: int4() })

const idsPerWeek = 10_000_000_000
const weekMillis = 7 * 24 * 60 * 60 * 1000
/** Monday, 2000-01-03. */
const epoch = Date.UTC(2000, 0, 3)

export const weekOf = (id: number): number => Math.floor(id / idsPerWeek)
const firstId = (week: number): number => week * idsPerWeek
