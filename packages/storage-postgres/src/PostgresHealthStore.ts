import { alertsConsumer, HealthStore } from "@errata/core/ports"
import { Effect, Layer } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { named } from "./internal/PgStorageError.js"
import * as Rows from "./internal/Rows.js"
import * as SchemaSize from "./internal/SchemaSize.js"
import { int8, nullable, time } from "./internal/SqlType.js"
import * as PostgresClient from "./PostgresClient.js"
import * as PostgresJobStore from "./PostgresJobStore.js"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const jobs = yield* PostgresJobStore.make

  /** The target's first delivery of a kind, by the index of that kind. */
  const oldest = (kind: Statement.Fragment, order: Statement.Fragment) => sql`
    (
      SELECT due_at FROM errata.deliveries
      WHERE project_id = w.project_id AND target_id = w.id AND status = 'pending' AND ${kind}
      ORDER BY ${order} LIMIT 1
    )`

  return HealthStore.of({
    hasPendingMigrations: PostgresClient.hasPendingMigrations.pipe(
      Effect.provideService(SqlClient.SqlClient, sql),
      named("HealthStore.hasPendingMigrations"),
    ),

    work: Effect.gen(function* () {
      const known = yield* jobs.list
      // Batches are in order of arrival except for postponed ones, so the oldest are among the first.
      const [row] = yield* sql`
        SELECT
          (SELECT min(ready_at) FROM (
            SELECT ready_at FROM errata.pending_batches WHERE NOT suspect AND ready_at <= errata.now()
            ORDER BY id LIMIT 100
          ) AS b) AS error_ready_since,
          least(
            (SELECT occurred_at FROM errata.group_events ORDER BY id LIMIT 1),
            (SELECT occurred_at FROM errata.consumer_events WHERE consumer = ${alertsConsumer} ORDER BY id LIMIT 1),
            -- By target, and the oldest of each kind as a dispatcher finds it, however much is behind it. One that is held is
            -- not due; while a receiver is slow, somebody has taken what is sent to it lately, and the rest waits its turn.
            (SELECT min(greatest(o.due_at, w.attended_at))
              FROM errata.targets AS w
              JOIN errata.projects AS p ON p.id = w.project_id AND p.deleted_at IS NULL
              CROSS JOIN LATERAL (
                ${oldest(sql`group_id IS NULL`, sql`id`)}
                UNION ALL
                ${oldest(sql`attempts = 0 AND group_id IS NOT NULL`, sql`id`)}
                UNION ALL
                ${oldest(sql`attempts > 0 AND group_id IS NOT NULL`, sql`due_at, id`)}
              ) AS o
              WHERE w.enabled AND o.due_at <= errata.now())
          ) AS notification_ready_since`
      return { ...known, ...workRows.read(row!) }
    }).pipe(named("HealthStore.work")),

    write: sql`
      INSERT INTO errata.health_writes AS w (stripe, written_at) VALUES (pg_backend_pid() % 16, errata.now())
      ON CONFLICT (stripe) DO UPDATE SET written_at = excluded.written_at`.pipe(
      Effect.asVoid,
      named("HealthStore.write"),
    ),

    databaseBytes: SchemaSize.read(sql).pipe(named("HealthStore.databaseBytes")),

    amounts: sql`
      SELECT p.*, s.*,
        (SELECT coalesce(sum(reports_count), 0)::bigint FROM errata.project_counts) AS reports,
        (SELECT coalesce(sum(bytes), 0)::bigint FROM errata.archives WHERE state = 'live') AS archived_bytes,
        (SELECT count(*) FROM errata.group_events)
          + (SELECT count(*) FROM errata.consumer_events WHERE consumer = ${alertsConsumer})
          AS waiting_group_events,
        -- Each part uses a partial index of pending rows.
        (SELECT count(*) FROM errata.deliveries WHERE status = 'pending' AND group_id IS NULL)
          + (SELECT count(*) FROM errata.deliveries
            WHERE status = 'pending' AND attempts = 0 AND group_id IS NOT NULL)
          + (SELECT count(*) FROM errata.deliveries
            WHERE status = 'pending' AND attempts > 0 AND group_id IS NOT NULL) AS pending_deliveries,
        (SELECT count(*) FROM errata.deliveries
          WHERE status = 'failed' AND completed_at > errata.now() - interval '24 hours') AS failed_deliveries
      FROM
        (SELECT coalesce(sum(payloads_count - cardinality(done)), 0)::bigint AS pending_payloads,
          coalesce(sum(bytes), 0)::bigint AS pending_bytes FROM errata.pending_batches) AS p,
        (SELECT count(*) AS dead_letters, coalesce(sum(bytes), 0)::bigint AS dead_letter_bytes
          FROM errata.dead_letters) AS s`.pipe(
      Effect.map(([row]) => amountRows.read(row!)),
      named("HealthStore.amounts"),
    ),
  })
})

export const layer = Layer.effect(HealthStore, make)

// internal

const workRows = Rows.make({ errorReadySince: nullable(time), notificationReadySince: nullable(time) })

const amountRows = Rows.make({
  reports: int8(),
  pendingPayloads: int8(),
  pendingBytes: int8(),
  deadLetters: int8(),
  deadLetterBytes: int8(),
  archivedBytes: int8(),
  waitingGroupEvents: int8(),
  pendingDeliveries: int8(),
  failedDeliveries: int8(),
})
