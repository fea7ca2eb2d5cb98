import {
  type Delivery,
  type DeliveryEvent,
  type DeliveryId,
  type DeliveryStatus,
  type GroupId,
  Page,
  type ProjectId,
  type TargetId,
  type Throttle,
  type UserId,
} from "@errata/core"
import {
  type AttemptResult,
  DeliveryStore,
  type HeldBack,
  type LeasedDelivery,
  type NewDelivery,
  type SealedSecret,
  type TargetAddress,
} from "@errata/core/ports"
import { Array, Duration, Effect, Layer } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import * as Batch from "./internal/Batch.js"
import * as Buckets from "./internal/Buckets.js"
import { byIndex } from "./internal/ByIndex.js"
import { named } from "./internal/PgStorageError.js"
import { interval, toDate } from "./internal/PgTime.js"
import * as Rows from "./internal/Rows.js"
import { boolean, int4, int8, json, millis, nullable, text, time } from "./internal/SqlType.js"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const select = (where: Statement.Fragment) =>
    Effect.map(
      sql`SELECT ${sql.literal(deliveryRows.select())} FROM errata.deliveries WHERE ${where}`,
      (rows) => rows.map(toDelivery),
    )

  const ofTarget = (projectId: ProjectId, targetId: TargetId) =>
    sql`project_id = ${projectId} AND target_id = ${targetId}`

  /** Targets with pending deliveries of a kind. One index lookup per target, regardless of the number of deliveries. */
  const pending = (name: string, kind: Statement.Fragment) => sql`
    ${sql.literal(name)} AS (
      (
        SELECT project_id, target_id FROM errata.deliveries WHERE status = 'pending' AND ${kind}
        ORDER BY project_id, target_id NULLS FIRST LIMIT 1
      )
      UNION ALL
      SELECT next.* FROM ${sql.literal(name)} AS last CROSS JOIN LATERAL (
        SELECT project_id, target_id FROM errata.deliveries
        WHERE status = 'pending' AND ${kind}
          AND (project_id, target_id) > (last.project_id, last.target_id)
        ORDER BY project_id, target_id NULLS FIRST LIMIT 1
      ) AS next
    )`

  /**
   * A pending delivery has no time of completion. A condition on `status` would let the planner choose the index of pending
   * deliveries: with old statistics that call it empty, it reads the whole index for each candidate.
   */
  const isHeld = sql`d.leases = c.leases AND d.completed_at IS NULL`

  /** Computes the times here: Citus does not allow the clock combined with columns in an update. */
  const settle = (results: ReadonlyArray<Attempted>) =>
    Effect.gen(function* () {
      const [row] = yield* sql`SELECT errata.now() AS now`
      const now = clockRows.read(row!).now
      yield* sql`
        UPDATE errata.deliveries AS d SET ${sql.literal(settled.changes)}, attempts = d.attempts + 1
        FROM ${settled.rows(
          sql,
          results.map((each) => ({ ...each, now })),
        )}
        WHERE d.project_id = c.project_id AND d.id = c.id AND ${isHeld}`
    })

  return DeliveryStore.of({
    // The lock waits for a transaction that removes the target. Its deliveries are then skipped without an error.
    insert: (deliveries, now) =>
      Effect.gen(function* () {
        const { ids, now: at } = yield* Buckets.nextIds(sql, "deliveries", deliveries.length)
        const rows = yield* sql`
          INSERT INTO errata.deliveries (${sql.literal(inserted.columns)}, id, is_notification, status,
            next_attempt_at, created_at, due_at, completed_at)
          OVERRIDING SYSTEM VALUE
          SELECT ${sql.literal(inserted.values)}, ${Buckets.idAt(sql, ids)}, w.kind <> 'webhook',
            CASE WHEN c.throttle IS NULL THEN 'pending' ELSE 'throttled' END,
            CASE WHEN c.throttle IS NULL THEN ${toDate(now)}::timestamptz END, ${toDate(now)}, ${at},
            CASE WHEN c.throttle IS NOT NULL THEN ${at}::timestamptz END
          FROM ${inserted.rows(sql, deliveries)}
          JOIN errata.targets AS w ON w.project_id = c.project_id AND w.id = c.target_id
          ORDER BY c.position FOR KEY SHARE OF w
          RETURNING id`
        const added = new Set(rows.map((row) => insertedIds.read(row).id))
        const idAt = (i: number) => ids[i] as DeliveryId
        return deliveries.map((_, i) => (added.has(idAt(i)) ? idAt(i) : null))
      }).pipe(named("DeliveryStore.insert")),

    lease: ({ duration, exceptions, limit, perTarget }) =>
      sql`
        WITH RECURSIVE
        ${pending("requested", sql`group_id IS NULL`)},
        ${pending("first", sql`attempts = 0 AND group_id IS NOT NULL`)},
        ${pending("again", sql`attempts > 0 AND group_id IS NOT NULL`)},
        receivers AS (
          SELECT * FROM requested UNION SELECT * FROM first UNION SELECT * FROM again
        ),
        candidates AS (
          SELECT r.project_id, c.id,
            row_number() OVER (PARTITION BY r.project_id, r.target_id ORDER BY c.rank, c.due_at, c.id) AS turn
          FROM receivers AS r
          JOIN errata.projects AS p ON p.id = r.project_id AND p.deleted_at IS NULL
          LEFT JOIN unnest(
            ${exceptions.map((exception) => exception.targetId)}::bigint[],
            ${exceptions.map((exception) => exception.limit)}::integer[]
          ) AS x (target_id, most) ON x.target_id = r.target_id
          CROSS JOIN LATERAL (
            SELECT * FROM (
              (
                SELECT 0 AS rank, id, due_at FROM errata.deliveries
                WHERE project_id = r.project_id AND target_id = r.target_id
                  AND status = 'pending' AND group_id IS NULL AND due_at <= errata.now()
                ORDER BY id NULLS FIRST LIMIT ${perReceiver}
              )
              UNION ALL
              -- The first of each group, held or not: what comes after one that is held waits for it. So few are looked
              -- at that a receiver which is far behind costs no more than others.
              SELECT 1, id, due_at FROM (
                SELECT id, due_at, row_number() OVER (PARTITION BY group_id ORDER BY id) AS place FROM (
                  SELECT id, due_at, group_id FROM errata.deliveries
                  WHERE project_id = r.project_id AND target_id = r.target_id
                    AND status = 'pending' AND attempts = 0 AND group_id IS NOT NULL
                  ORDER BY id NULLS FIRST LIMIT ${perReceiver}
                ) AS oldest
              ) AS placed
              WHERE place = 1 AND due_at <= errata.now()
              UNION ALL
              (
                SELECT 1, id, due_at FROM errata.deliveries
                WHERE project_id = r.project_id AND target_id = r.target_id
                  AND status = 'pending' AND attempts > 0 AND group_id IS NOT NULL AND due_at <= errata.now()
                ORDER BY due_at, id LIMIT ${perReceiver}
              )
            ) AS due
            ORDER BY rank, due_at, id LIMIT coalesce(x.most, ${perTarget})
          ) AS c
        ),
        -- Looked up one by one by their keys, and by nothing else: an index of what is pending looks cheaper to a
        -- planner that believes that little is, and is read as a whole for each.
        taken AS MATERIALIZED (
          SELECT d.*
          FROM (SELECT project_id, id FROM candidates ORDER BY turn, id LIMIT ${limit}) AS c
          CROSS JOIN LATERAL (
            SELECT ctid AS place, project_id, target_id, status, due_at FROM errata.deliveries
            WHERE project_id = c.project_id AND id = c.id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
          ) AS d
          -- Another node may have taken them since.
          WHERE d.status = 'pending' AND d.due_at <= errata.now()
        ),
        attended AS (
          UPDATE errata.targets AS w SET attended_at = errata.now()
          FROM (
            SELECT project_id, id FROM errata.targets
            WHERE (project_id, id) IN (SELECT project_id, target_id FROM taken)
              AND (attended_at IS NULL OR attended_at < errata.now() - ${interval(attendedEvery)}::interval)
            -- Skips locked rows: another transaction leases deliveries of the same target, or changes the target briefly.
            FOR NO KEY UPDATE SKIP LOCKED
          ) AS a
          WHERE w.project_id = a.project_id AND w.id = a.id
        )
        UPDATE errata.deliveries AS d SET due_at = errata.now() + ${interval(duration)}::interval, leases = leases + 1
        FROM errata.targets AS w
        WHERE d.ctid = ANY (ARRAY(SELECT place FROM taken)) AND w.project_id = d.project_id AND w.id = d.target_id
        RETURNING ${sql.literal(leasedColumns)}`.pipe(
        Effect.map((rows) => rows.map(leasedRows.read)),
        byIndex(sql),
        named("DeliveryStore.lease"),
      ),

    settle: (results) => settle(results).pipe(named("DeliveryStore.settle")),

    release: (leased) =>
      sql`
        UPDATE errata.deliveries AS d SET due_at = errata.now()
        FROM ${released.rows(sql, leased)}
        WHERE d.project_id = c.project_id AND d.id = c.id AND ${isHeld}`.pipe(
        Effect.asVoid,
        named("DeliveryStore.release"),
      ),

    find: (projectId, targetId, id) =>
      select(sql`${ofTarget(projectId, targetId)} AND id = ${id}`).pipe(
        Effect.map(Array.head),
        named("DeliveryStore.find"),
      ),

    list: (projectId, targetId, { event, success }, page) =>
      select(
        sql`${sql.and([
          ofTarget(projectId, targetId),
          sql`id < ${page.cursor ?? Number.MAX_SAFE_INTEGER}`,
          ...(event === null ? [] : [sql`event = ${event}`]),
          ...(success === null ? [] : [success ? sql`status = 'succeeded'` : sql`status <> 'succeeded'`]),
        ])} ORDER BY id DESC LIMIT ${page.limit + 1}`,
      ).pipe(
        Effect.map((rows) => Page.fromRows(rows, page)),
        named("DeliveryStore.list"),
      ),

    notifications: (projectId, { groupId, ruleId, status, targetId }, page) =>
      select(
        sql`${sql.and([
          sql`project_id = ${projectId} AND is_notification`,
          sql`id < ${page.cursor ?? Number.MAX_SAFE_INTEGER}`,
          ...(targetId === null ? [] : [sql`target_id = ${targetId}`]),
          ...(ruleId === null ? [] : [sql`rule_id = ${ruleId}`]),
          ...(groupId === null ? [] : [sql`group_id = ${groupId}`]),
          ...(status === null ? [] : [sql`status = ${status}`]),
        ])} ORDER BY id DESC LIMIT ${page.limit + 1}`,
      ).pipe(
        Effect.map((rows) => Page.fromRows(rows, page)),
        named("DeliveryStore.notifications"),
      ),

    // In index order. Reads the messages of the newest deliveries only.
    heldBack: (projectId, targetId, throttle, since, until) =>
      sql`
        WITH held AS (
          SELECT id, target_id, user_id, recipient,
            count(*) OVER receiver AS count, row_number() OVER (receiver ORDER BY id DESC) AS place
          FROM (
            SELECT * FROM errata.deliveries
            WHERE project_id = ${projectId} AND throttle = ${throttle}
              AND created_at >= ${toDate(since)} AND created_at < ${toDate(until)}
            ORDER BY created_at OFFSET 0
          ) AS d
          WHERE ${targetId === null ? sql`true` : sql`target_id = ${targetId}`}
          WINDOW receiver AS (PARTITION BY target_id, user_id, recipient)
        )
        SELECT h.target_id, h.user_id, h.recipient, h.count, d.request_body
        FROM (SELECT * FROM held WHERE place <= ${newestHeldBack}) AS h
        CROSS JOIN LATERAL (
          SELECT request_body FROM errata.deliveries WHERE project_id = ${projectId} AND id = h.id LIMIT 1
        ) AS d
        ORDER BY h.target_id, h.user_id, h.recipient, h.place`.pipe(
        Effect.map((rows) => toHeldBack(rows.map(heldBackRows.read))),
        byIndex(sql),
        named("DeliveryStore.heldBack"),
      ),

    removeSome: (projectId, targetId, limit) =>
      sql`
        DELETE FROM errata.deliveries WHERE project_id = ${projectId} AND id = ANY (ARRAY(
          SELECT id FROM errata.deliveries WHERE ${ofTarget(projectId, targetId)} ORDER BY id LIMIT ${limit}
        )) RETURNING 1`.pipe(
        Effect.map((removed) => removed.length),
        byIndex(sql),
        named("DeliveryStore.removeSome"),
      ),

    forget: (age, limit) =>
      sql`
        DELETE FROM errata.deliveries AS d
        USING (
          SELECT project_id, id FROM errata.deliveries WHERE completed_at < errata.now() - ${interval(age)}::interval
          ORDER BY completed_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
        ) AS old
        WHERE d.project_id = old.project_id AND d.id = old.id
        RETURNING 1`.pipe(
        Effect.map((removed) => removed.length),
        byIndex(sql),
        named("DeliveryStore.forget"),
      ),
  })
})

export const layer = Layer.effect(DeliveryStore, make)

// internal

const { once: ofNew } = Rows.writtenFrom<NewDelivery>()

const written = {
  projectId: ofNew(int8<ProjectId>(), (delivery) => delivery.projectId),
  targetId: ofNew(int8<TargetId>(), (delivery) => delivery.targetId),
  groupId: ofNew(nullable(int8<GroupId>()), (delivery) => delivery.groupId),
  event: ofNew(text<DeliveryEvent>(), (delivery) => delivery.event),
  ruleId: ofNew(nullable(int8()), (delivery) => delivery.ruleId),
  userId: ofNew(nullable(int8<UserId>()), (delivery) => delivery.userId),
  recipient: ofNew(nullable(text()), (delivery) => delivery.recipient),
  resendOf: ofNew(nullable(int8<DeliveryId>()), (delivery) => delivery.resendOf),
  requestBody: ofNew(text(), (delivery) => delivery.requestBody),
  throttle: ofNew(nullable(text<Throttle>()), ({ heldBack }) => heldBack?.throttle ?? null),
  error: ofNew(nullable(text()), ({ heldBack }) => heldBack?.reason ?? null),
}

/** Number of deliveries of one target that a lease reads: enough to find the first of many groups. */
const perReceiver = 500

/** Precision of `attended_at`. Coarse, so that leases rarely write the row. */
const attendedEvery = Duration.seconds(30)

interface Attempted {
  readonly delivery: LeasedDelivery
  readonly result: AttemptResult
}

type Settled = Attempted & { readonly now: number }

const { changing, once } = Rows.writtenFrom<Settled>()

const nextAt = ({ now, result }: Settled) =>
  now + (result.pause === null ? 0 : Duration.toMillis(result.pause))

const settled = Batch.make<Settled>({
  projectId: once(int8<ProjectId>(), ({ delivery }) => delivery.projectId),
  id: once(int8<DeliveryId>(), ({ delivery }) => delivery.id),
  leases: once(int4(), ({ delivery }) => delivery.leases),
  status: changing(text<DeliveryStatus>(), ({ result }) => result.status),
  responseStatus: changing(nullable(int4()), ({ result }) => result.responseStatus),
  error: changing(nullable(text()), ({ result }) => result.error),
  durationMs: changing(nullable(int4()), ({ result }) => result.durationMs),
  dueAt: changing(millis, nextAt),
  nextAttemptAt: changing(nullable(millis), (each) =>
    each.result.status === "pending" ? nextAt(each) : null,
  ),
  completedAt: changing(nullable(millis), ({ now, result }) => (result.status === "pending" ? null : now)),
})

const clockRows = Rows.make({ now: millis })

const released = Batch.ofFields<LeasedDelivery>({ projectId: int8(), id: int8(), leases: int4() })

const inserted = Batch.make<NewDelivery>(written, "position")

const insertedIds = Rows.make({ id: int8<DeliveryId>() })

const leasedRows = Rows.make({
  id: int8<DeliveryId>(),
  projectId: int8<ProjectId>(),
  targetId: int8<TargetId>(),
  groupId: nullable(int8<GroupId>()),
  event: text<DeliveryEvent>(),
  userId: nullable(int8<UserId>()),
  recipient: nullable(text()),
  resendOf: nullable(int8<DeliveryId>()),
  requestBody: text(),
  attempts: int4(),
  leases: int4(),
  kind: text(),
  url: nullable(text()),
  address: json<TargetAddress>(),
  enabled: boolean,
  isFailing: boolean,
  secret: nullable(text<SealedSecret>()),
})

/** Columns of deliveries `d` and their targets `w`. */
const leasedColumns = leasedRows.select("d", {
  kind: "w.kind",
  url: "w.url",
  address: "w.address",
  enabled: "w.enabled",
  isFailing: "w.failing_since IS NOT NULL",
  secret: "w.secret",
})

const deliveryRows = Rows.make({
  id: int8<DeliveryId>(),
  ...written,
  status: text<DeliveryStatus>(),
  attempts: int4(),
  responseStatus: nullable(int4()),
  durationMs: nullable(int4()),
  nextAttemptAt: nullable(time),
  createdAt: time,
  completedAt: nullable(time),
})

/** Same limit as `HeldBack.newest`. */
const newestHeldBack = 10

const heldBack = {
  targetId: int8<TargetId>(),
  userId: nullable(int8<UserId>()),
  recipient: nullable(text()),
  count: int8(),
  requestBody: text(),
}

const heldBackRows = Rows.make(heldBack)

/** Expects rows sorted by receiver. */
const toHeldBack = (rows: ReadonlyArray<Rows.RowOf<typeof heldBack>>): ReadonlyArray<HeldBack> => {
  const all: Array<HeldBack & { readonly newest: Array<string> }> = []
  for (const { count, recipient, requestBody, targetId, userId } of rows) {
    const last = all.at(-1)
    if (last?.targetId === targetId && last.userId === userId && last.recipient === recipient) {
      last.newest.push(requestBody)
    } else all.push({ targetId, userId, recipient, count, newest: [requestBody] })
  }
  return all
}

const toDelivery = (row: object): Delivery => deliveryRows.read(row)
