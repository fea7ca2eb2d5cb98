import { Page, type ProjectId, type Webhook, type WebhookEvent, type WebhookId } from "@errata/core"
import { type SealedSecret, WebhookStore } from "@errata/core/ports"
import { Array, Effect, Layer } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import * as PgLiteral from "./internal/PgLiteral.js"
import { named } from "./internal/PgStorageError.js"
import { toDate } from "./internal/PgTime.js"
import * as Rows from "./internal/Rows.js"
import { boolean, int8, text, texts, time } from "./internal/SqlType.js"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(webhookRows.select())

  const select = (where: Statement.Fragment) =>
    Effect.map(sql`SELECT ${columns} FROM errata.targets WHERE kind = 'webhook' AND ${where}`, (rows) =>
      rows.map(toWebhook),
    )

  return WebhookStore.of({
    insert: (webhook, now) =>
      sql`
        INSERT INTO errata.targets (project_id, kind, url, events, enabled, secret, created_at, updated_at)
        VALUES (${webhook.projectId}, 'webhook', ${webhook.url}, ${PgLiteral.texts(webhook.events)}::text[],
          ${webhook.enabled}, ${webhook.secret}, ${toDate(now)}, ${toDate(now)})
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
        UPDATE errata.targets SET
          url = coalesce(${url ?? null}::text, url),
          events = coalesce(${events === undefined ? null : PgLiteral.texts(events)}::text[], events),
          enabled = coalesce(${enabled ?? null}::boolean, enabled),
          updated_at = ${toDate(now)}
        WHERE project_id = ${projectId} AND id = ${id} AND kind = 'webhook'
        RETURNING ${columns}`.pipe(
        Effect.map((rows) => Array.head(rows.map(toWebhook))),
        named("WebhookStore.update"),
      ),

    listeners: (projectIds) =>
      sql`
        SELECT w.project_id, w.id AS webhook_id, w.events,
          p.error_and_fatal_notifications_only AS error_and_fatal_only
        FROM errata.targets AS w JOIN errata.projects AS p ON p.id = w.project_id
        WHERE w.project_id = ANY (${PgLiteral.distinct(projectIds)}::bigint[]) AND w.kind = 'webhook' AND w.enabled
          AND p.deleted_at IS NULL
        ORDER BY w.id`.pipe(
        Effect.map((rows) => rows.map(listenerRows.read)),
        named("WebhookStore.listeners"),
      ),

    remove: (projectId, id) =>
      sql`
        DELETE FROM errata.targets WHERE project_id = ${projectId} AND id = ${id} AND kind = 'webhook'
        RETURNING id`.pipe(
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
  secret: text<SealedSecret>(),
  createdAt: time,
  updatedAt: time,
})

const toWebhook = (row: object): Webhook => webhookRows.read(row)

const listenerRows = Rows.make({
  projectId: int8<ProjectId>(),
  webhookId: int8<WebhookId>(),
  events: texts<WebhookEvent>(),
  errorAndFatalOnly: boolean,
})
