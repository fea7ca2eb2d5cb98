import {
  Page,
  type RetentionKind,
  type RetentionRun,
  type RetentionRunId,
  type RetentionTrigger,
  type UserId,
} from "@errata/core"
import { RetentionStore } from "@errata/core/ports"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { named } from "./internal/PgStorageError.js"
import { toDate } from "./internal/PgTime.js"
import * as RetentionPurge from "./internal/RetentionPurge.js"
import * as Rows from "./internal/Rows.js"
import * as SchemaSize from "./internal/SchemaSize.js"
import { boolean, int8, nullable, text, time } from "./internal/SqlType.js"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(runRows.select())

  const unfinished = (kind: RetentionKind) =>
    Effect.map(
      sql`SELECT ${columns} FROM errata.retention_runs WHERE kind = ${kind} AND finished_at IS NULL`,
      ([row]) => Option.map(Option.fromNullishOr(row), toRun),
    )

  const insert = (kind: RetentionKind, trigger: RetentionTrigger, by: UserId | null) =>
    Effect.map(
      sql`
        INSERT INTO errata.retention_runs (kind, trigger, requested_by) VALUES (${kind}, ${trigger}, ${by})
        ON CONFLICT (kind) WHERE finished_at IS NULL DO NOTHING
        RETURNING ${columns}`,
      ([row]) => Option.map(Option.fromNullishOr(row), toRun),
    )

  return RetentionStore.of({
    ...RetentionPurge.make(sql),

    size: SchemaSize.read(sql).pipe(named("RetentionStore.size")),

    enterNight: (kind, night) =>
      Effect.gen(function* () {
        const entered = yield* sql`
          UPDATE errata.retention_nights SET night = ${toDate(night)}
          WHERE kind = ${kind} AND night < ${toDate(night)} RETURNING 1`
        if (entered.length > 0) return true
        yield* sql`
          INSERT INTO errata.retention_nights (kind, night) VALUES (${kind}, ${toDate(night)})
          ON CONFLICT DO NOTHING`
        return false
      }).pipe(named("RetentionStore.enterNight")),

    request: (kind, trigger, by) =>
      Effect.gen(function* () {
        // The unfinished run that blocked the insert may finish before it is looked up.
        while (true) {
          const found = yield* insert(kind, trigger, by)
          if (Option.isSome(found)) return found.value
          const other = yield* unfinished(kind)
          if (Option.isSome(other)) return other.value
        }
      }).pipe(named("RetentionStore.request")),

    unfinished: (kind) => unfinished(kind).pipe(named("RetentionStore.unfinished")),

    countBundles: (id, count) =>
      sql`
        UPDATE errata.retention_runs SET bundles = bundles + ${count}
        WHERE id = ${id} AND finished_at IS NULL`.pipe(Effect.asVoid, named("RetentionStore.countBundles")),

    lastFinished: (kind) =>
      sql`
        SELECT ${columns} FROM errata.retention_runs
        WHERE kind = ${kind} AND finished_at IS NOT NULL ORDER BY id DESC LIMIT 1`.pipe(
        Effect.map(([row]) => Option.map(Option.fromNullishOr(row), toRun)),
        named("RetentionStore.lastFinished"),
      ),

    list: (page) =>
      sql`
        SELECT ${columns} FROM errata.retention_runs
        WHERE id < ${page.cursor ?? Number.MAX_SAFE_INTEGER} ORDER BY id DESC LIMIT ${page.limit + 1}`.pipe(
        Effect.map((rows) => Page.fromRows(rows.map(toRun), page)),
        named("RetentionStore.list"),
      ),

    find: (id) =>
      sql`SELECT ${columns} FROM errata.retention_runs WHERE id = ${id}`.pipe(
        Effect.map(([row]) => Option.map(Option.fromNullishOr(row), toRun)),
        named("RetentionStore.find"),
      ),

    begin: (id, { before, bytesBefore, timePurgeType }) =>
      sql`
        UPDATE errata.retention_runs
        SET started_at = coalesce(started_at, errata.now()), bytes_before = coalesce(bytes_before, ${bytesBefore}),
          time_purge_type = ${timePurgeType}, before = ${before === null ? null : toDate(before)}
        WHERE id = ${id} AND finished_at IS NULL`.pipe(Effect.asVoid, named("RetentionStore.begin")),

    finish: (id, { bytesAfter, failure, isWithinDiskLimit }) =>
      sql`
        UPDATE errata.retention_runs
        SET finished_at = errata.now(), bytes_after = ${bytesAfter}, is_within_disk_limit = ${isWithinDiskLimit},
          failure = ${failure}
        WHERE id = ${id} AND finished_at IS NULL`.pipe(Effect.asVoid, named("RetentionStore.finish")),
  })
})

export const layer = Layer.effect(RetentionStore, make)

// internal

const runRows = Rows.make({
  id: int8<RetentionRunId>(),
  kind: text<RetentionKind>(),
  trigger: text<RetentionTrigger>(),
  requestedBy: nullable(int8<UserId>()),
  createdAt: time,
  startedAt: nullable(time),
  finishedAt: nullable(time),
  timePurgeType: nullable(text<"partial" | "full">()),
  before: nullable(time),
  reports: int8(),
  groups: int8(),
  bundles: int8(),
  partitions: int8(),
  postponed: int8(),
  bytes: int8(),
  bytesBefore: nullable(int8()),
  bytesAfter: nullable(int8()),
  isWithinDiskLimit: nullable(boolean),
  failure: nullable(text()),
})

const toRun = (row: object): RetentionRun => {
  const { bundles, bytes, groups, partitions, postponed, reports, ...run } = runRows.read(row)
  return { ...run, state: stateOf(run), removed: { reports, groups, bundles, partitions, postponed, bytes } }
}

const stateOf = (run: Pick<RetentionRun, "startedAt" | "finishedAt" | "failure">): RetentionRun["state"] => {
  if (run.finishedAt !== null) return run.failure === null ? "succeeded" : "failed"
  return run.startedAt === null ? "waiting" : "running"
}
