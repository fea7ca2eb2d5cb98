/** What is kept in a partition for each week; the schema's side of it is in `migrations/initial/Weeks.ts`. */

import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import * as Rows from "./Rows.js"
import { int4 } from "./SqlType.js"

/** The tables, and what tells the week of their rows: an id that was given in it. */
export const weekly = {
  reports: "id",
  report_events: "report_id",
  attachments: "report_id",
  report_frames: "report_id",
  segments: "id",
} as const

/** The number of coming weeks that have partitions: background work may stop for a month. */
export const ahead = 4

/** Makes the partitions that are missing for this week and some after it. */
export const makePartitions = (sql: SqlClient.SqlClient): Effect.Effect<void, SqlError> =>
  Effect.forEach(
    Object.keys(weekly),
    // Table after table, and each by itself: see the function.
    (table) => sql`SELECT errata.make_partitions(${table}, ${ahead})`,
    { discard: true },
  )

/** The weeks that partitions of a table begin with, the oldest first. */
export const partitionsOf = (sql: SqlClient.SqlClient, table: keyof typeof weekly) =>
  Effect.map(
    sql`
      SELECT (to_date(right(c.relname, 10), 'YYYY_MM_DD') - DATE '2000-01-03') / 7 AS week
      FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
      WHERE i.inhparent = ${sql.literal(`'errata.${table}'`)}::regclass AND c.relname <> ${`${table}_default`} ORDER BY 1`,
    (rows) => rows.map((row) => weekRows.read(row).week),
  )

/** The first week that transactions may be writing to: those of earlier weeks have ended. */
export const openWeek = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql`SELECT errata.week_of(errata.now() - INTERVAL '1 hour') AS week`,
    ([row]) => weekRows.read(row!).week,
  )

/** The ids of the week that an id was given in: from the first on, and below the second. */
export const idsOfWeek = (id: number): readonly [from: number, below: number] => {
  const from = firstId(weekOf(id))
  return [from, from + idsPerWeek]
}

/** The first id of some weeks before the one that an id was given in. */
export const idsBefore = (id: number, weeks: number): number => firstId(Math.max(0, weekOf(id) - weeks))

/** The first id that is given in the week of a moment. Rows are told by the database's clock, which may differ. */
export const firstIdAt = (epochMilliseconds: number): number =>
  firstId(Math.max(0, Math.floor((epochMilliseconds - epoch) / weekMillis)))

/** The week of a moment, as partitions and ids are told apart by it. */
export const weekAt = (epochMilliseconds: number): number => weekOf(firstIdAt(epochMilliseconds))

/** The moment a week begins with. */
export const startOf = (week: number): number => epoch + week * weekMillis

/** The first id of a week. */
export const firstIdOf = (week: number): number => firstId(week)

/** How many weeks a partition of a table is for. */
export const spanOf = (table: keyof typeof weekly): number => (table === "report_events" ? 4 : 1)

/** The name of the partition that begins with a week. */
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
