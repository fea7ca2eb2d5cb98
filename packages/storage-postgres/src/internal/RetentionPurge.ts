/** Removes data for retention: drops whole weeks where possible and deletes rows otherwise. */

import type { RetentionRunId, StorageError } from "@errata/core"
import type { RetentionStore } from "@errata/core/ports"
import { DateTime, Effect, Option } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import * as Archives from "./Archives.js"
import * as Buckets from "./Buckets.js"
import * as Distribution from "./Distribution.js"
import * as EventPacks from "./EventPacks.js"
import * as GroupPurge from "./GroupPurge.js"
import { named } from "./PgStorageError.js"
import { toDate } from "./PgTime.js"
import * as ReportPurge from "./ReportPurge.js"
import * as Rows from "./Rows.js"
import { int4, int8, nullable } from "./SqlType.js"
import * as Weeks from "./Weeks.js"

type Table = keyof typeof Weeks.weekly

type Purge = Pick<RetentionStore["Service"], "purgeDetails" | "purgeReports" | "purgeGroups" | "endOfOldest">

export const make = (sql: SqlClient.SqlClient): Purge => {
  /** Adds to a counter of the run, unless it is finished: another node may have taken it over. */
  const count = (id: RetentionRunId, column: Counted, amount: number) => sql`
    UPDATE errata.retention_runs SET ${sql(column)} = ${sql(column)} + ${amount}
    WHERE id = ${id} AND finished_at IS NULL`

  const partitionsOf = (table: Table) => Weeks.partitionsOf(sql, table)

  /** Drops a partition. Returns false if it is in use. */
  const dropOnce = (id: RetentionRunId, table: Table, week: number) =>
    sql.withTransaction(
      Effect.gen(function* () {
        const isElsewhere = Buckets.of(sql).count
        const size = isElsewhere ? yield* Distribution.bytesOf(sql, Weeks.partitionOf(table, week)) : 0
        const [row] = yield* sql`SELECT errata.drop_partition(${table}, ${week}::integer) AS bytes`
        const dropped = droppedRows.read(row!).bytes
        if (dropped === null) return false
        const bytes = isElsewhere ? size : dropped
        if (table === "reports") yield* sql`DELETE FROM errata.retention_marks WHERE week = ${week}`
        yield* sql`
          UPDATE errata.retention_runs SET partitions = partitions + 1, bytes = bytes + ${bytes}
          WHERE id = ${id} AND finished_at IS NULL`
        return true
      }),
    )

  /** Tables whose last partition was in use: a reader of the table blocks all of its partitions. */
  const busy = new Set<Table>()

  /** Retries for a few seconds. If readers still use the partition, leaves it to the next run. */
  const drop = Effect.fnUntraced(function* (id: RetentionRunId, table: Table, week: number) {
    const attempts = busy.has(table) ? 1 : maxAttempts
    for (let attempt = 1; attempt <= attempts; attempt++) {
      if (yield* dropOnce(id, table, week)) {
        busy.delete(table)
        return true
      }
      if (attempt < attempts) yield* Effect.sleep("200 millis")
    }
    busy.add(table)
    yield* count(id, "postponed", 1)
    yield* Effect.annotateLogs(Effect.logInfo("Retention skipped a partition that is in use"), {
      partition: Weeks.partitionOf(table, week),
    })
    return false
  })

  const openWeek = Weeks.openWeek(sql)

  const dropBefore = Effect.fnUntraced(function* (id: RetentionRunId, table: Table, before: number) {
    const open = yield* openWeek
    for (const week of yield* partitionsOf(table)) {
      if (week < before && week < open) yield* drop(id, table, week)
    }
  })

  /** Deletes the rows of a partition that could not be dropped, so that they are not found anymore. */
  const empty = (partition: string) => {
    const table = sql(`errata.${partition}`)
    const removeSome = Effect.map(
      sql`
        DELETE FROM ${table}
        WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${table} LIMIT ${rowsTogether} FOR UPDATE SKIP LOCKED)) RETURNING 1`,
      (rows) => rows.length,
    )
    return Effect.repeat(removeSome, { while: (removed) => removed > 0 })
  }

  /** Deletes rows of weeks without a partition, and those left over from a dropped one. */
  const removeStrays = (table: Table, below: number, where: Statement.Fragment = sql`true`) => {
    const rest = sql(`errata.${table}_default`)
    const removeSome = Effect.map(
      sql`
        DELETE FROM ${rest} WHERE ctid = ANY (ARRAY(
          SELECT ctid FROM ${rest} AS r
          WHERE ${sql(Weeks.weekly[table])} < ${below} AND ${where}
          LIMIT ${rowsTogether} FOR UPDATE SKIP LOCKED
        )) RETURNING 1`,
      (rows) => rows.length,
    )
    return Effect.repeat(removeSome, { while: (removed) => removed > 0 })
  }

  const removeBodies = Effect.fnUntraced(function* (id: RetentionRunId, week: number) {
    yield* dropBefore(id, "attachments", week)
    yield* dropBefore(id, "report_frames", week)
    yield* dropBefore(id, "segments", week)
    yield* removeStrays("attachments", Weeks.firstIdOf(week))
    yield* removeStrays("report_frames", Weeks.firstIdOf(week))
    yield* removeStrays("segments", Weeks.firstIdOf(week), Archives.notNeeded(sql))
    // After the partitions: bodies that are being moved are in one or the other.
    yield* Archives.retire(sql, sql`week < ${week}`)
  })

  /** Drops event ids once no report of their generation is left. */
  const removeEvents = Effect.fnUntraced(function* (id: RetentionRunId, before: number) {
    const kept = yield* partitionsOf("reports")
    const open = yield* openWeek
    const span = Weeks.spanOf("report_events")
    for (const first of yield* partitionsOf("report_events")) {
      const isNeeded = kept.some((week) => week >= first && week < first + span)
      if (first + span <= Math.min(before, open) && !isNeeded) yield* drop(id, "report_events", first)
    }
    yield* removeStrays("report_events", Weeks.firstIdOf(before))
    yield* EventPacks.removeBefore(sql, Math.min(before, open), kept)
  })

  const removeReports = Effect.fnUntraced(function* (id: RetentionRunId, before: DateTime.Utc) {
    const reports = ReportPurge.make(sql, (amount) => count(id, "reports", amount))
    const week = Weeks.weekAt(before.epochMilliseconds)
    const first = Weeks.firstIdOf(week)
    const partitions = yield* partitionsOf("reports")
    const open = yield* openWeek
    for (const old of partitions) {
      if (old >= week) break
      const table = Weeks.partitionOf("reports", old)
      const range = { table, from: 0, below: first, before: null }
      if (old >= open) {
        yield* reports.remove(range)
        continue
      }
      yield* reports.settleWeek(old, range)
      if (!(yield* drop(id, "reports", old))) yield* empty(table)
    }
    yield* reports.remove({ table: "reports_default", from: 0, below: first, before: null })
    // The current week is read from its beginning: no index has the time of recording.
    const table = partitions.includes(week) ? Weeks.partitionOf("reports", week) : "reports_default"
    if (Weeks.startOf(week) < before.epochMilliseconds) {
      yield* reports.remove({
        table,
        from: first,
        below: Weeks.firstIdOf(week + 1),
        before: toDate(before),
      })
    }
    yield* removeBodies(id, week)
    yield* removeEvents(id, week)
  })

  return {
    purgeDetails: (id, before) =>
      removeBodies(id, Weeks.weekAt(before.epochMilliseconds)).pipe(named("RetentionStore.purgeDetails")),

    purgeReports: (id, before) =>
      (removeReports(id, before) as Effect.Effect<void, SqlError | StorageError>).pipe(
        named("RetentionStore.purgeReports"),
      ),

    purgeGroups: (id, before) =>
      GroupPurge.make(sql, (amount) => count(id, "groups", amount))(toDate(before)).pipe(
        named("RetentionStore.purgeGroups"),
      ),

    endOfOldest: (after) =>
      Effect.gen(function* () {
        const open = yield* openWeek
        const [row] = yield* sql`
          SELECT errata.week_of(coalesce(${after === null ? null : toDate(after)}::timestamptz, '2000-01-03 00:00+00')) AS week,
            (SELECT min(id) FROM errata.reports_default) AS stray`
        const { stray, week: from } = oldestRows.read(row!)
        const weeks = (yield* Effect.forEach(
          ["reports", "attachments", "report_frames", "segments"] as const,
          partitionsOf,
        )).flat()
        if (stray !== null) weeks.push(Weeks.weekOf(stray))
        const over = weeks.filter((week) => week >= from && week < open)
        return over.length === 0
          ? Option.none()
          : Option.some(DateTime.makeUnsafe(Weeks.startOf(Math.min(...over) + 1)))
      }).pipe(named("RetentionStore.endOfOldest")),
  }
}

// internal

type Counted = "reports" | "groups" | "postponed"

const maxAttempts = 6
const rowsTogether = 1000

const droppedRows = Rows.make({ bytes: nullable(int8()) })
const oldestRows = Rows.make({ week: int4(), stray: nullable(int8()) })
