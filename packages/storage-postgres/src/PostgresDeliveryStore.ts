import { SqlClient, type Statement } from "@effect/sql"
import {
  Delivery,
  type DeliveryId,
  type DeliveryStatus,
  DeliveryStore,
  Page,
  type ProjectId,
  type WebhookEvent,
  type WebhookId,
} from "@errata/core"
import { Array, Effect, Layer } from "effect"
import * as PgLiteral from "./internal/PgLiteral.js"
import { named } from "./internal/PgStorageError.js"
import { toDate, toUtc, toUtcOrNull } from "./internal/PgTime.js"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const select = (where: Statement.Fragment) =>
    Effect.map(
      sql<DeliveryRow>`
        SELECT id, project_id, webhook_id, event, status, attempts, response_status, error, duration_ms,
          request_body, next_attempt_at, created_at, completed_at
        FROM errata.deliveries WHERE ${where}`,
      (rows) => rows.map(toDelivery),
    )

  const ofWebhook = (projectId: ProjectId, webhookId: WebhookId) =>
    sql`project_id = ${projectId} AND webhook_id = ${webhookId}`

  return DeliveryStore.of({
    // A webhook that somebody is removing is waited for; its deliveries are left out then, and nothing fails.
    insert: (deliveries, now) =>
      sql<{ id: DeliveryId; position: number }>`
        WITH due AS (
          SELECT d.* FROM unnest(
            ${PgLiteral.numbers(deliveries.map((delivery) => delivery.projectId))}::bigint[],
            ${PgLiteral.numbers(deliveries.map((delivery) => delivery.webhookId))}::bigint[],
            ${PgLiteral.texts(deliveries.map((delivery) => delivery.event))}::text[],
            ${PgLiteral.texts(deliveries.map((delivery) => delivery.requestBody))}::text[]
          ) WITH ORDINALITY AS d (project_id, webhook_id, event, request_body, position)
          JOIN errata.webhooks AS w ON w.project_id = d.project_id AND w.id = d.webhook_id
          ORDER BY d.position FOR KEY SHARE OF w
        ),
        numbered AS (
          SELECT due.*, nextval(pg_get_serial_sequence('errata.deliveries', 'id')) AS id FROM due
        ),
        inserted AS (
          INSERT INTO errata.deliveries (id, project_id, webhook_id, event, request_body, next_attempt_at, created_at)
          OVERRIDING SYSTEM VALUE
          SELECT id, project_id, webhook_id, event, request_body, ${toDate(now)}, ${toDate(now)} FROM numbered
        )
        SELECT id, position FROM numbered`.pipe(
        Effect.map((rows) => {
          const ids = new Map(rows.map(({ id, position }) => [position, id]))
          return deliveries.map((_, i) => ids.get(i + 1) ?? null)
        }),
        named("DeliveryStore.insert"),
      ),

    save: (delivery) =>
      sql`
        UPDATE errata.deliveries SET ${sql.update({
          status: delivery.status,
          attempts: delivery.attempts,
          response_status: delivery.responseStatus,
          error: delivery.error,
          duration_ms: delivery.durationMs,
          next_attempt_at: delivery.nextAttemptAt && toDate(delivery.nextAttemptAt),
          completed_at: delivery.completedAt && toDate(delivery.completedAt),
        })}
        WHERE project_id = ${delivery.projectId} AND id = ${delivery.id}`.pipe(
        Effect.asVoid,
        named("DeliveryStore.save"),
      ),

    find: (projectId, webhookId, id) =>
      select(sql`${ofWebhook(projectId, webhookId)} AND id = ${id}`).pipe(
        Effect.map(Array.head),
        named("DeliveryStore.find"),
      ),

    list: (projectId, webhookId, { event, success }, page) =>
      select(
        sql`${sql.and([
          ofWebhook(projectId, webhookId),
          sql`id < ${page.cursor ?? Number.MAX_SAFE_INTEGER}`,
          ...(event === null ? [] : [sql`event = ${event}`]),
          ...(success === null ? [] : [success ? sql`status = 'succeeded'` : sql`status <> 'succeeded'`]),
        ])} ORDER BY id DESC LIMIT ${page.limit + 1}`,
      ).pipe(
        Effect.map((rows) => Page.fromRows(rows, page)),
        named("DeliveryStore.list"),
      ),

    removeSome: (projectId, webhookId, limit) =>
      sql`
        DELETE FROM errata.deliveries WHERE project_id = ${projectId} AND id = ANY (ARRAY(
          SELECT id FROM errata.deliveries WHERE ${ofWebhook(projectId, webhookId)} ORDER BY id LIMIT ${limit}
        )) RETURNING 1`.pipe(
        Effect.map((removed) => removed.length),
        named("DeliveryStore.removeSome"),
      ),
  })
})

export const layer = Layer.effect(DeliveryStore, make)

// internal

interface DeliveryRow {
  readonly id: DeliveryId
  readonly project_id: ProjectId
  readonly webhook_id: WebhookId
  readonly event: WebhookEvent
  readonly status: DeliveryStatus
  readonly attempts: number
  readonly response_status: number | null
  readonly error: string | null
  readonly duration_ms: number | null
  readonly request_body: string
  readonly next_attempt_at: Date | null
  readonly created_at: Date
  readonly completed_at: Date | null
}

const toDelivery = (row: DeliveryRow): Delivery =>
  new Delivery(
    {
      id: row.id,
      projectId: row.project_id,
      webhookId: row.webhook_id,
      event: row.event,
      status: row.status,
      attempts: row.attempts,
      responseStatus: row.response_status,
      error: row.error,
      durationMs: row.duration_ms,
      requestBody: row.request_body,
      nextAttemptAt: toUtcOrNull(row.next_attempt_at),
      createdAt: toUtc(row.created_at),
      completedAt: toUtcOrNull(row.completed_at),
    },
    { disableValidation: true },
  )
