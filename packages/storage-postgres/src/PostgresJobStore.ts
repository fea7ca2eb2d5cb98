import { JobStore } from "@errata/core/ports"
import { Duration, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { named } from "./internal/PgStorageError.js"
import { interval } from "./internal/PgTime.js"
import * as Rows from "./internal/Rows.js"
import { float8, nullable, text, time } from "./internal/SqlType.js"

export const make = Effect.gen(function* () {
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
        const [row] = yield* sql`
          SELECT (extract(epoch FROM greatest(due_at, CASE WHEN node <> ${node} THEN leased_until END) - errata.now())
            * 1000)::float8 AS millis
          FROM errata.jobs WHERE name = ${name}`
        return {
          _tag: "Later",
          after: Duration.millis(row === undefined ? 0 : Math.max(0, waitRows.read(row).millis)),
        } as const
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

    heartbeat: (name, node, next, outcome) => {
      const failure = typeof outcome === "string" ? null : outcome.failure
      const at = (isSet: boolean) => (isSet ? sql`errata.now()` : sql`NULL`)
      const changed =
        outcome === "started" ? "started_at" : outcome === "succeeded" ? "succeeded_at" : "failed_at"
      return sql`
        INSERT INTO errata.jobs (name, node, due_at, succeeded_at, failed_at, failure)
        VALUES (${name}, ${node}, errata.now() + ${interval(next)}::interval,
          ${at(outcome === "succeeded")}, ${at(failure !== null)}, ${failure})
        ON CONFLICT (name) DO UPDATE SET
          node = excluded.node, heartbeat_at = errata.now(), due_at = excluded.due_at,
          ${sql(changed)} = errata.now(), failure = coalesce(excluded.failure, jobs.failure)`.pipe(
        Effect.asVoid,
        named("JobStore.heartbeat"),
      )
    },

    list: Effect.gen(function* () {
      // Returns the time even without jobs.
      const rows = yield* sql`
        SELECT errata.now() AS now, ${sql.literal(jobRows.select("j"))} FROM (VALUES (true)) AS always LEFT JOIN errata.jobs AS j ON true
        ORDER BY j.name COLLATE "C"`
      return {
        now: nowRows.read(rows[0]!).now,
        jobs: rows.filter((row) => row.name !== null).map(jobRows.read),
      }
    }).pipe(named("JobStore.list")),
  })
})

export const layer = Layer.effect(JobStore, make)

// internal

const waitRows = Rows.make({ millis: float8 })

const nowRows = Rows.make({ now: time })

const jobRows = Rows.make({
  name: text(),
  node: text(),
  leasedUntil: nullable(time),
  dueAt: time,
  heartbeatAt: time,
  startedAt: time,
  succeededAt: nullable(time),
  failedAt: nullable(time),
  failure: nullable(text()),
})
