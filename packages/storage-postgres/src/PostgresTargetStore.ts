import {
  membersKind,
  Page,
  type ProjectId,
  type QuietHours,
  type TargetId,
  type UserId,
  type WebhookEvent,
} from "@errata/core"
import {
  type SealedSecret,
  type StoredSecret,
  type StoredTarget,
  type TargetAddress,
  TargetStore,
} from "@errata/core/ports"
import { Array, Effect, Layer, Option } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import * as Batch from "./internal/Batch.js"
import { inTurn } from "./internal/InTurn.js"
import { named } from "./internal/PgStorageError.js"
import { toDate } from "./internal/PgTime.js"
import * as Rows from "./internal/Rows.js"
import { boolean, int8, json, nullable, text, texts, time } from "./internal/SqlType.js"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(targetRows.select())

  const select = (where: Statement.Fragment) =>
    Effect.map(sql`SELECT ${columns} FROM errata.targets WHERE ${where}`, (rows) => rows.map(toTarget))

  const findMembers = (projectId: ProjectId) =>
    Effect.map(
      sql`SELECT id FROM errata.targets WHERE project_id = ${projectId} AND kind = ${membersKind}`,
      (rows) => Option.map(Array.head(rows), (row) => idRows.read(row).id),
    )

  return TargetStore.of({
    insert: (target, limit, now) =>
      sql`
        INSERT INTO errata.targets (project_id, kind, name, enabled, address, secret, quiet_hours, created_by, url,
          events, created_at, updated_at)
        SELECT ${target.projectId}, ${target.kind}, ${target.name}, ${target.enabled}::boolean,
          ${JSON.stringify(target.address)}::json, ${target.secret}, ${jsonOf(target.quietHours)}::json,
          ${target.createdBy}::bigint, ${target.url ?? null},
          ${target.events ?? null}::text[], ${toDate(now)}, ${toDate(now)}
        WHERE ${limit}::bigint IS NULL OR ${limit}::bigint > (
          SELECT count(*) FROM errata.targets
          WHERE project_id = ${target.projectId} AND kind NOT IN ('webhook', ${membersKind})
        )
        RETURNING ${columns}`.pipe(
        Effect.map((rows) => Array.head(rows.map(toTarget))),
        inTurn(sql, "targets", target.projectId),
        named("TargetStore.insert"),
      ),

    find: (projectId, id) =>
      select(sql`project_id = ${projectId} AND id = ${id}`).pipe(
        Effect.map(Array.head),
        named("TargetStore.find"),
      ),

    ofProjects: (projectIds) =>
      select(sql`
        kind <> 'webhook' AND project_id IN (
          SELECT id FROM errata.projects
          WHERE id = ANY (${[...new Set(projectIds)]}::bigint[]) AND deleted_at IS NULL
        )
        AND project_id = ANY (${[...new Set(projectIds)]}::bigint[])
        ORDER BY id`).pipe(named("TargetStore.ofProjects")),

    listWebhooks: (projectId, page) =>
      select(sql`
        kind = 'webhook' AND project_id = ${projectId} AND id < ${page.cursor ?? Number.MAX_SAFE_INTEGER}
        ORDER BY id DESC LIMIT ${page.limit + 1}`).pipe(
        Effect.map((rows) => Page.fromRows(rows, page)),
        named("TargetStore.listWebhooks"),
      ),

    listeners: (projectIds) =>
      sql`
        SELECT w.project_id, w.id AS webhook_id, w.events,
          p.error_and_fatal_notifications_only AS error_and_fatal_only
        FROM errata.targets AS w JOIN errata.projects AS p ON p.id = w.project_id
        WHERE w.project_id = ANY (${[...new Set(projectIds)]}::bigint[]) AND w.kind = 'webhook' AND w.enabled
          AND p.deleted_at IS NULL
        ORDER BY w.id`.pipe(
        Effect.map((rows) => rows.map(listenerRows.read)),
        named("TargetStore.listeners"),
      ),

    update: (projectId, id, { address, enabled, events, name, quietHours, secret, url }, now) =>
      sql`
        UPDATE errata.targets SET ${sql.update({
          ...given("name", name),
          ...given("enabled", enabled),
          ...given("address", address && JSON.stringify(address)),
          ...given("secret", secret),
          ...given("quiet_hours", quietHours === undefined ? undefined : jsonOf(quietHours)),
          ...given("url", url),
          ...given("events", events),
          ...(enabled === true ? { failing_since: null, disabled_reason: null } : {}),
          updated_at: toDate(now),
        })}
        WHERE project_id = ${projectId} AND id = ${id}
        RETURNING ${columns}`.pipe(
        Effect.map((rows) => Array.head(rows.map(toTarget))),
        named("TargetStore.update"),
      ),

    remove: (projectId, id) =>
      sql`
        DELETE FROM errata.targets WHERE project_id = ${projectId} AND id = ${id} RETURNING id`.pipe(
        Effect.map((removed) => removed.length > 0),
        named("TargetStore.remove"),
      ),

    // The insert waits for a concurrent one. The second lookup then finds its row.
    membersOf: (projectId, now) =>
      Effect.gen(function* () {
        const known = yield* findMembers(projectId)
        if (Option.isSome(known)) return known.value
        yield* sql`
          INSERT INTO errata.targets (project_id, kind, enabled, created_at, updated_at)
          VALUES (${projectId}, ${membersKind}, true, ${toDate(now)}, ${toDate(now)})
          ON CONFLICT (project_id) WHERE kind = 'members' DO NOTHING`
        return Option.getOrThrow(yield* findMembers(projectId))
      }).pipe(named("TargetStore.membersOf")),

    // Sorted, so that concurrent nodes cannot deadlock.
    setFailing: (targets, now) =>
      sql`
        WITH changed AS (
          SELECT w.project_id, w.id, c.failing FROM ${failingTargets.rows(sql, targets)}
          JOIN errata.targets AS w ON w.project_id = c.project_id AND w.id = c.target_id
          WHERE w.kind <> 'webhook' AND (w.failing_since IS NOT NULL) <> c.failing
          ORDER BY w.project_id, w.id FOR NO KEY UPDATE OF w
        )
        UPDATE errata.targets AS w
        SET failing_since = CASE WHEN c.failing THEN coalesce(w.failing_since, ${toDate(now)}::timestamptz) END
        FROM changed AS c WHERE w.project_id = c.project_id AND w.id = c.id`.pipe(
        Effect.asVoid,
        named("TargetStore.setFailing"),
      ),

    disableFailing: (since, reason, limit, now) =>
      sql`
        UPDATE errata.targets AS w
        SET enabled = false, disabled_reason = ${reason}, updated_at = ${toDate(now)}
        FROM (
          SELECT w.project_id, w.id FROM errata.targets AS w
          JOIN errata.projects AS p ON p.id = w.project_id AND p.deleted_at IS NULL
          WHERE w.enabled AND w.failing_since < ${toDate(since)} AND w.kind NOT IN ('webhook', ${membersKind})
          ORDER BY w.failing_since LIMIT ${limit} FOR NO KEY UPDATE OF w SKIP LOCKED
        ) AS failing
        WHERE w.project_id = failing.project_id AND w.id = failing.id
        RETURNING ${sql.literal(targetRows.select("w"))}`.pipe(
        Effect.map((rows) => rows.map(toTarget)),
        named("TargetStore.disableFailing"),
      ),

    // There are too few targets for an index on their keys.
    sampleSecrets: sql`
      SELECT DISTINCT ON (split_part(secret, '.', 2)) project_id, id AS target_id, secret FROM errata.targets
      WHERE secret IS NOT NULL
      ORDER BY split_part(secret, '.', 2), id DESC`.pipe(
      Effect.map((rows) => rows.map(toSecret)),
      named("TargetStore.sampleSecrets"),
    ),

    secretsOfKey: (keyId, limit) =>
      sql`
        SELECT project_id, id AS target_id, secret FROM errata.targets
        WHERE split_part(secret, '.', 2) = ${keyId} ORDER BY id LIMIT ${limit}`.pipe(
        Effect.map((rows) => rows.map(toSecret)),
        named("TargetStore.secretsOfKey"),
      ),

    replaceSecret: (stored, secret) =>
      sql`
        UPDATE errata.targets SET secret = ${secret}
        WHERE project_id = ${stored.projectId} AND id = ${stored.targetId} AND secret = ${stored.secret}
        RETURNING 1`.pipe(
        Effect.map((rows) => rows.length > 0),
        named("TargetStore.replaceSecret"),
      ),
  })
})

export const layer = Layer.effect(TargetStore, make)

// internal

const targetRows = Rows.make({
  id: int8<TargetId>(),
  projectId: int8<ProjectId>(),
  kind: text(),
  name: text(),
  enabled: boolean,
  address: json<TargetAddress>(),
  secret: nullable(text<SealedSecret>()),
  quietHours: nullable(json<QuietHours>()),
  failingSince: nullable(time),
  disabledReason: nullable(text()),
  createdBy: nullable(int8<UserId>()),
  url: nullable(text()),
  events: nullable(texts<WebhookEvent>()),
  createdAt: time,
  updatedAt: time,
})

const toTarget = (row: object): StoredTarget => targetRows.read(row)

const listenerRows = Rows.make({
  projectId: int8<ProjectId>(),
  webhookId: int8<TargetId>(),
  events: texts<WebhookEvent>(),
  errorAndFatalOnly: boolean,
})

const idRows = Rows.make({ id: int8<TargetId>() })

const secretRows = Rows.make({
  projectId: int8<ProjectId>(),
  targetId: int8<TargetId>(),
  secret: text<SealedSecret>(),
})

const toSecret = (row: object): StoredSecret => secretRows.read(row)

const failingTargets = Batch.ofFields<{
  readonly projectId: ProjectId
  readonly targetId: TargetId
  readonly failing: boolean
}>({ projectId: int8(), targetId: int8(), failing: boolean })

const given = <Column extends string, A>(column: Column, value: A | undefined) =>
  value === undefined ? {} : { [column]: value }

const jsonOf = (value: object | null): string | null => value && JSON.stringify(value)
