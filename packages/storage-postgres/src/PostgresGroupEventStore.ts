/** The outbox of group events. Each consumer has its own rows, which become visible when their transaction commits. */

import type { GroupId, OutboxEventName, ProjectId } from "@errata/core"
import {
  GroupEventStore,
  type LeasedGroupEvent,
  type NewGroupEvent,
  webhooksConsumer,
} from "@errata/core/ports"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Batch from "./internal/Batch.js"
import * as Buckets from "./internal/Buckets.js"
import { named } from "./internal/PgStorageError.js"
import { interval } from "./internal/PgTime.js"
import * as Rows from "./internal/Rows.js"
import { int4, int8, text, time } from "./internal/SqlType.js"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Webhook events have their own table, so that the planner's statistics fit each consumer.
  const tableOf = (consumer: string) =>
    sql(consumer === webhooksConsumer ? "errata.group_events" : "errata.consumer_events")
  const isOf = (consumer: string) => (consumer === webhooksConsumer ? sql`true` : sql`consumer = ${consumer}`)

  /** The same in two statements. Citus cannot join local and distributed tables while inserting into a third table. */
  const appendInSteps = (events: ReadonlyArray<NewGroupEvent>) =>
    Effect.gen(function* () {
      const forWebhooks = yield* sql`
        SELECT DISTINCT c.position, '' AS consumer FROM ${appended.rows(sql, events)}
        JOIN errata.targets AS w ON w.project_id = c.project_id AND w.kind = 'webhook' AND w.enabled
          AND c.event = ANY (w.events)
        ORDER BY c.position`
      const awaited = yield* sql`
        SELECT DISTINCT c.position, s.consumer FROM ${appended.rows(sql, events)}
        JOIN errata.group_event_subscriptions AS s ON s.subscribed_project_id IN (0, c.project_id)
          AND s.event = c.event AND s.ends_at > errata.now()
        ORDER BY c.position, s.consumer`
      const eventsOf = (rows: ReadonlyArray<object>) =>
        rows.map(consumerRows.read).map(({ consumer, position }) => ({ ...events[position - 1]!, consumer }))
      if (forWebhooks.length > 0) {
        const { ids } = yield* Buckets.nextIds(sql, "group_events", forWebhooks.length)
        yield* sql`
          INSERT INTO errata.group_events (id, ${sql.literal(appended.columns)}) OVERRIDING SYSTEM VALUE
          SELECT ${Buckets.idAt(sql, ids)}, ${sql.literal(appended.values)}
          FROM ${appended.rows(sql, eventsOf(forWebhooks))}${Buckets.here(sql)}`
      }
      if (awaited.length > 0) {
        const { ids } = yield* Buckets.nextIds(sql, "consumer_events", awaited.length)
        yield* sql`
          INSERT INTO errata.consumer_events (id, ${sql.literal(consumed.columns)}) OVERRIDING SYSTEM VALUE
          SELECT ${Buckets.idAt(sql, ids)}, ${sql.literal(consumed.values)}
          FROM ${consumed.rows(sql, eventsOf(awaited))}${Buckets.here(sql)}`
      }
    })

  return GroupEventStore.of({
    append: (events) =>
      (Buckets.of(sql).count
        ? appendInSteps(events)
        : // Ids are assigned in row order while the groups are locked, so ids and visibility follow the order of a
          // group's events.
          sql`
        WITH given AS MATERIALIZED (SELECT * FROM ${appended.rows(sql, events)}),
        for_webhooks AS (
          INSERT INTO errata.group_events (${sql.literal(appended.columns)})
          SELECT ${sql.literal(appended.values)} FROM given AS c
          WHERE EXISTS (
            SELECT 1 FROM errata.targets AS w
            WHERE w.project_id = c.project_id AND w.kind = 'webhook' AND w.enabled AND c.event = ANY (w.events)
          )
          ORDER BY c.position
        )
        INSERT INTO errata.consumer_events (${sql.literal(appended.columns)}, consumer)
        SELECT ${sql.literal(appended.values)}, s.consumer FROM given AS c
        CROSS JOIN LATERAL (
          SELECT DISTINCT consumer FROM errata.group_event_subscriptions
          WHERE subscribed_project_id IN (0, c.project_id) AND event = c.event AND ends_at > errata.now()
        ) AS s
        ORDER BY c.position`
      ).pipe(Effect.asVoid, named("GroupEventStore.append")),

    // Sorted, so that concurrent nodes cannot deadlock.
    subscribe: ({ consumer, duration, events, projects }) =>
      sql`
        INSERT INTO errata.group_event_subscriptions AS s (subscribed_project_id, event, consumer, ends_at)
        SELECT p, e, ${consumer}, errata.now() + ${interval(duration)}::interval
        FROM unnest(${[...new Set(projects ?? [0])]}::bigint[]) AS p
        CROSS JOIN unnest(${[...events]}::text[]) AS e
        ORDER BY p, e
        ON CONFLICT (subscribed_project_id, event, consumer) DO UPDATE SET ends_at = greatest(s.ends_at, excluded.ends_at)`.pipe(
        Effect.asVoid,
        named("GroupEventStore.subscribe"),
      ),

    unsubscribe: (consumer) =>
      sql`DELETE FROM errata.group_event_subscriptions WHERE consumer = ${consumer}`.pipe(
        Effect.andThen(sql`DELETE FROM errata.consumer_events WHERE consumer = ${consumer}`),
        sql.withTransaction,
        Effect.asVoid,
        named("GroupEventStore.unsubscribe"),
      ),

    removeAbandoned: (limit) =>
      sql`DELETE FROM errata.group_event_subscriptions WHERE ends_at <= errata.now()`.pipe(
        Effect.andThen(sql`
          DELETE FROM errata.consumer_events WHERE ctid = ANY (ARRAY(
            SELECT ctid FROM errata.consumer_events
            WHERE consumer NOT IN (SELECT consumer FROM errata.group_event_subscriptions)
            LIMIT ${limit} FOR UPDATE SKIP LOCKED
          )) RETURNING 1`),
        Effect.map((removed) => removed.length),
        named("GroupEventStore.removeAbandoned"),
      ),

    lease: ({ consumer, duration, limit }) =>
      sql`
        WITH free AS MATERIALIZED (
          SELECT project_id, group_id, id FROM ${tableOf(consumer)}
          WHERE ${isOf(consumer)} AND (leased_until IS NULL OR leased_until <= errata.now())
            -- They are few. What waits behind them may be many, and must neither be looked at one by one nor stand in the
            -- way of other groups.
            AND (project_id, group_id) NOT IN (
              SELECT project_id, group_id FROM ${tableOf(consumer)}
              WHERE leased_until > errata.now() AND ${isOf(consumer)}
            )
          ORDER BY id LIMIT ${limit} FOR NO KEY UPDATE SKIP LOCKED
        ),
        groups AS (
          SELECT project_id, group_id, max(id) AS last FROM free GROUP BY project_id, group_id
        ),
        -- Events that another transaction is leasing were skipped. Later events of the same groups must wait for them.
        ordered AS (
          SELECT e.project_id, e.id,
            bool_or(free.id IS NULL) OVER (PARTITION BY e.project_id, e.group_id ORDER BY e.id) AS is_held_up
          FROM groups AS g
          CROSS JOIN LATERAL (
            SELECT project_id, group_id, id FROM ${tableOf(consumer)}
            WHERE project_id = g.project_id AND group_id = g.group_id AND id <= g.last AND ${isOf(consumer)}
            OFFSET 0
          ) AS e
          LEFT JOIN free ON free.project_id = e.project_id AND free.id = e.id
        ),
        leased AS (
          UPDATE ${tableOf(consumer)} AS e
          SET leased_until = errata.now() + ${interval(duration)}::interval, attempts = e.attempts + 1
          -- The limit says nothing new but to the planner, who would expect all of a group's events and read the table.
          FROM (SELECT project_id, id FROM ordered WHERE NOT is_held_up LIMIT ${limit}) AS o
          WHERE e.project_id = o.project_id AND e.id = o.id
          RETURNING ${sql.literal(leasedRows.select("e"))}
        )
        SELECT * FROM leased ORDER BY id`.pipe(
        Effect.map((rows) => rows.map(toEvent)),
        named("GroupEventStore.lease"),
      ),

    settle: (consumer, events) =>
      sql`
        DELETE FROM ${tableOf(consumer)} AS e
        USING ${settled.rows(sql, events)}
        WHERE e.project_id = c.project_id AND e.id = c.id AND e.attempts = c.attempts
        RETURNING 1`.pipe(
        Effect.map((gone) => gone.length === events.length),
        named("GroupEventStore.settle"),
      ),

    release: (consumer, events) =>
      sql`
        UPDATE ${tableOf(consumer)} AS e SET leased_until = NULL
        FROM ${settled.rows(sql, events)}
        WHERE e.project_id = c.project_id AND e.id = c.id AND e.attempts = c.attempts`.pipe(
        Effect.asVoid,
        named("GroupEventStore.release"),
      ),
  })
})

export const layer = Layer.effect(GroupEventStore, make)

// internal

const { once } = Rows.writtenFrom<NewGroupEvent>()

const { once: ofConsumer } = Rows.writtenFrom<NewGroupEvent & { readonly consumer: string }>()

const written = {
  projectId: once(int8<ProjectId>(), (event) => event.projectId),
  groupId: once(int8<GroupId>(), (event) => event.groupId),
  event: once(text<OutboxEventName>(), (event) => event.event),
  occurredAt: once(time, (event) => event.at),
  document: once(text(), (event) => event.document),
}

const appended = Batch.make<NewGroupEvent>(written, "position")

const consumed = Batch.make<NewGroupEvent & { readonly consumer: string }>(
  { ...written, consumer: ofConsumer(text(), ({ consumer }) => consumer) },
  "position",
)

const consumerRows = Rows.make({ position: int8(), consumer: text() })

const settled = Batch.ofFields<LeasedGroupEvent>({ projectId: int8(), id: int8(), attempts: int4() })

const leasedRows = Rows.make({ ...written, id: int8(), attempts: int4() })

const toEvent = (row: object): LeasedGroupEvent => {
  const { occurredAt, ...event } = leasedRows.read(row)
  return { ...event, at: occurredAt }
}
