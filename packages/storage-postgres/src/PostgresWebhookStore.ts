import { SqlClient, type Statement } from "@effect/sql"
import { Page, type ProjectId, Webhook, type WebhookEvent, type WebhookId, WebhookStore } from "@errata/core"
import { Array, Effect, Layer, Redacted } from "effect"
import * as PgLiteral from "./internal/PgLiteral.js"
import { named } from "./internal/PgStorageError.js"
import { toDate, toUtc } from "./internal/PgTime.js"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal("id, project_id, url, events, enabled, secret, created_at, updated_at")

  const select = (where: Statement.Fragment) =>
    Effect.map(sql<WebhookRow>`SELECT ${columns} FROM errata.webhooks WHERE ${where}`, (rows) =>
      rows.map(toWebhook),
    )

  return WebhookStore.of({
    insert: (webhook, now) =>
      sql<WebhookRow>`
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
      sql<WebhookRow>`
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

interface WebhookRow {
  readonly id: WebhookId
  readonly project_id: ProjectId
  readonly url: string
  readonly events: ReadonlyArray<WebhookEvent>
  readonly enabled: boolean
  readonly secret: string
  readonly created_at: Date
  readonly updated_at: Date
}

const toWebhook = (row: WebhookRow): Webhook =>
  new Webhook(
    {
      id: row.id,
      projectId: row.project_id,
      url: row.url,
      events: row.events,
      enabled: row.enabled,
      secret: Redacted.make(row.secret),
      createdAt: toUtc(row.created_at),
      updatedAt: toUtc(row.updated_at),
    },
    { disableValidation: true },
  )
