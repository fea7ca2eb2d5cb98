import { SqlClient, type Statement } from "@effect/sql"
import {
  Delivery,
  type DeliveryId,
  type DeliveryStatus,
  DeliveryStore,
  type NewDelivery,
  Page,
  type ProjectId,
  type WebhookEvent,
  type WebhookId,
} from "@errata/core"
import { Array, Effect, Layer } from "effect"
import * as Batch from "./internal/Batch.js"
import { named } from "./internal/PgStorageError.js"
import { toDate } from "./internal/PgTime.js"
import * as Rows from "./internal/Rows.js"
import { int4, int8, nullable, text, time } from "./internal/SqlType.js"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const select = (where: Statement.Fragment) =>
    Effect.map(
      sql`SELECT ${sql.literal(deliveryRows.select())} FROM errata.deliveries WHERE ${where}`,
      (rows) => rows.map(toDelivery),
    )

  const ofWebhook = (projectId: ProjectId, webhookId: WebhookId) =>
    sql`project_id = ${projectId} AND webhook_id = ${webhookId}`

  return DeliveryStore.of({
    // A webhook that somebody is removing is waited for; its deliveries are left out then, and nothing fails.
    insert: (deliveries, now) =>
      sql`
        WITH due AS (
          SELECT c.* FROM ${inserted.rows(sql, deliveries)}
          JOIN errata.webhooks AS w ON w.project_id = c.project_id AND w.id = c.webhook_id
          ORDER BY c.position FOR KEY SHARE OF w
        ),
        numbered AS (
          SELECT due.*, nextval(pg_get_serial_sequence('errata.deliveries', 'id')) AS id FROM due
        ),
        inserted AS (
          INSERT INTO errata.deliveries (${sql.literal(inserted.columns)}, id, next_attempt_at, created_at)
          OVERRIDING SYSTEM VALUE
          SELECT ${sql.literal(inserted.values)}, c.id, ${toDate(now)}, ${toDate(now)} FROM numbered AS c
        )
        SELECT id, position FROM numbered`.pipe(
        Effect.map((rows) => {
          const ids = new Map(rows.map(numberedRows.read).map(({ id, position }) => [position, id]))
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

const written = {
  projectId: int8<ProjectId>(),
  webhookId: int8<WebhookId>(),
  event: text<WebhookEvent>(),
  requestBody: text(),
}

const inserted = Batch.ofFields<NewDelivery>(written, "position")

const numberedRows = Rows.make({ id: int8<DeliveryId>(), position: int8() })

const deliveryRows = Rows.make({
  id: int8<DeliveryId>(),
  ...written,
  status: text<DeliveryStatus>(),
  attempts: int4(),
  responseStatus: nullable(int4()),
  error: nullable(text()),
  durationMs: nullable(int4()),
  nextAttemptAt: nullable(time),
  createdAt: time,
  completedAt: nullable(time),
})

const toDelivery = (row: object): Delivery =>
  new Delivery(deliveryRows.read(row), { disableValidation: true })
