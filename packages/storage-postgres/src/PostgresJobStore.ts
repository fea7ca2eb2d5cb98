import { SqlClient } from "@effect/sql"
import { type JobState, JobStore } from "@errata/core"
import { Duration, Effect, Layer } from "effect"
import { named } from "./internal/PgStorageError.js"
import { interval, toUtc, toUtcOrNull } from "./internal/PgTime.js"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  return JobStore.of({
    acquire: (name, node, duration) =>
      Effect.gen(function* () {
        const taken = yield* sql`
          INSERT INTO errata.jobs AS j (name, node, leased_until)
          VALUES (${name}, ${node}, errata.now() + ${interval(duration)}::interval)
          ON CONFLICT (name) DO UPDATE SET
            node = excluded.node, leased_until = excluded.leased_until, started_at = errata.now(),
            heartbeat_at = errata.now()
          WHERE j.due_at <= errata.now()
            AND (j.leased_until IS NULL OR j.leased_until <= errata.now() OR j.node = excluded.node)
          RETURNING 1`
        if (taken.length > 0) return { _tag: "Acquired" } as const
        const [row] = yield* sql<{ readonly millis: number }>`
          SELECT (extract(epoch FROM greatest(due_at, CASE WHEN node <> ${node} THEN leased_until END) - errata.now())
            * 1000)::float8 AS millis
          FROM errata.jobs WHERE name = ${name}`
        return { _tag: "Later", after: Duration.millis(Math.max(0, row?.millis ?? 0)) } as const
      }).pipe(named("JobStore.acquire")),

    renew: (name, node, duration) =>
      sql`
        UPDATE errata.jobs
        SET leased_until = errata.now() + ${interval(duration)}::interval, heartbeat_at = errata.now()
        WHERE name = ${name} AND node = ${node} AND leased_until IS NOT NULL
        RETURNING 1`.pipe(
        Effect.map((rows) => rows.length > 0),
        named("JobStore.renew"),
      ),

    release: (name, node, outcome) =>
      sql`
        UPDATE errata.jobs SET leased_until = NULL, heartbeat_at = errata.now()
          ${
            outcome._tag === "Interrupted"
              ? sql``
              : sql`, due_at = errata.now() + ${interval(outcome.next)}::interval`
          }
          ${outcome._tag === "Succeeded" ? sql`, succeeded_at = errata.now()` : sql``}
          ${outcome._tag === "Failed" ? sql`, failed_at = errata.now(), failure = ${outcome.failure}` : sql``}
        WHERE name = ${name} AND node = ${node} AND leased_until IS NOT NULL
        RETURNING 1`.pipe(
        Effect.map((rows) => rows.length > 0),
        named("JobStore.release"),
      ),

    heartbeat: (name, node, next, failure) => {
      const outcome =
        failure === null
          ? sql`succeeded_at = errata.now()`
          : sql`failed_at = errata.now(), failure = ${failure}`
      return sql`
        INSERT INTO errata.jobs (name, node, due_at, succeeded_at, failed_at, failure)
        VALUES (${name}, ${node}, errata.now() + ${interval(next)}::interval,
          ${failure === null ? sql`errata.now(), NULL, NULL` : sql`NULL, errata.now(), ${failure}`})
        ON CONFLICT (name) DO UPDATE SET
          node = excluded.node, heartbeat_at = errata.now(), due_at = excluded.due_at, ${outcome}`.pipe(
        Effect.asVoid,
        named("JobStore.heartbeat"),
      )
    },

    list: Effect.gen(function* () {
      // The time comes also where there is no job.
      const rows = yield* sql<JobRow>`
        SELECT errata.now() AS now, j.* FROM (VALUES (true)) AS always LEFT JOIN errata.jobs AS j ON true
        ORDER BY j.name COLLATE "C"`
      return {
        now: toUtc(rows[0]!.now),
        jobs: rows.filter((row) => row.name !== null).map(toJob),
      }
    }).pipe(named("JobStore.list")),
  })
})

export const layer = Layer.effect(JobStore, make)

// internal

interface JobRow {
  readonly now: Date
  /** Null in the one row of a storage that knows no job. */
  readonly name: string | null
  readonly node: string
  readonly leased_until: Date | null
  readonly due_at: Date
  readonly heartbeat_at: Date
  readonly started_at: Date
  readonly succeeded_at: Date | null
  readonly failed_at: Date | null
  readonly failure: string | null
}

const toJob = (row: JobRow): JobState => ({
  name: row.name!,
  node: row.node,
  leasedUntil: toUtcOrNull(row.leased_until),
  dueAt: toUtc(row.due_at),
  heartbeatAt: toUtc(row.heartbeat_at),
  startedAt: toUtc(row.started_at),
  succeededAt: toUtcOrNull(row.succeeded_at),
  failedAt: toUtcOrNull(row.failed_at),
  failure: row.failure,
})
