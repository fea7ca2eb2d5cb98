import { SqlClient, type Statement } from "@effect/sql"
import { Page, type ProjectId, Webhook, type WebhookEvent, type WebhookId, WebhookStore } from "@errata/core"
import { Array, Effect, Layer, Redacted } from "effect"
import * as PgLiteral from "./internal/PgLiteral.js"
import { named } from "./internal/PgStorageError.js"
import { toDate } from "./internal/PgTime.js"
import * as Rows from "./internal/Rows.js"
import { boolean, int8, text, texts, time } from "./internal/SqlType.js"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(webhookRows.select())

  const select = (where: Statement.Fragment) =>
    Effect.map(sql`SELECT ${columns} FROM errata.webhooks WHERE ${where}`, (rows) => rows.map(toWebhook))

  return WebhookStore.of({
    insert: (webhook, now) =>
      sql`
        INSERT INTO errata.webhooks (project_id, url, events, enabled, secret, created_at, updated_at)
        VALUES (${webhook.projectId}, ${webhook.url}, ${PgLiteral.texts(webhook.events)}::text[],
          ${webhook.enabled}, ${Redacted.value(webhook.secret)}, ${toDate(now)}, ${toDate(now)})
        RETURNING ${columns}`.pipe(
        Effect.map((rows) => toWebhook(rows[0]!)),
        named("WebhookStore.insert"),
      ),

    find: (projectId, id) =>
      select(sql`project_id = ${projectId} AND id = ${id}`).pipe(
        Effect.map(Array.head),
        named("WebhookStore.find"),
      ),

    list: (projectId, page) =>
      select(sql`
        project_id = ${projectId} AND id < ${page.cursor ?? Number.MAX_SAFE_INTEGER}
        ORDER BY id DESC LIMIT ${page.limit + 1}`).pipe(
        Effect.map((rows) => Page.fromRows(rows, page)),
        named("WebhookStore.list"),
      ),

    update: (projectId, id, { enabled, events, url }, now) =>
      sql`
        UPDATE errata.webhooks SET
          url = coalesce(${url ?? null}::text, url),
          events = coalesce(${events === undefined ? null : PgLiteral.texts(events)}::text[], events),
          enabled = coalesce(${enabled ?? null}::boolean, enabled),
          updated_at = ${toDate(now)}
        WHERE project_id = ${projectId} AND id = ${id}
        RETURNING ${columns}`.pipe(
        Effect.map((rows) => Array.head(rows.map(toWebhook))),
        named("WebhookStore.update"),
      ),

    remove: (projectId, id) =>
      sql`DELETE FROM errata.webhooks WHERE project_id = ${projectId} AND id = ${id} RETURNING id`.pipe(
        Effect.map((removed) => removed.length > 0),
        named("WebhookStore.remove"),
      ),
  })
})

export const layer = Layer.effect(WebhookStore, make)

// internal

const webhookRows = Rows.make({
  id: int8<WebhookId>(),
  projectId: int8<ProjectId>(),
  url: text(),
  events: texts<WebhookEvent>(),
  enabled: boolean,
  secret: text(),
  createdAt: time,
  updatedAt: time,
})

const toWebhook = (row: object): Webhook => {
  const { secret, ...webhook } = webhookRows.read(row)
  return new Webhook({ ...webhook, secret: Redacted.make(secret) }, { disableValidation: true })
}
