/** What is to be announced to webhooks: rows that wait for the end of the transactions that wrote them. */
import { SqlClient } from "@effect/sql"
import {
  type GroupEventName,
  GroupEventStore,
  type GroupId,
  type LeasedGroupEvent,
  type ProjectId,
} from "@errata/core"
import { Effect, Layer } from "effect"
import * as PgLiteral from "./internal/PgLiteral.js"
import { named } from "./internal/PgStorageError.js"
import { interval, toUtc } from "./internal/PgTime.js"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  return GroupEventStore.of({
    append: (events) =>
      // Ids are given in the order of the rows, and the groups are locked: a later event of a group has a greater id, and
      // is seen by others no sooner.
      sql`
        INSERT INTO errata.group_events (project_id, group_id, event, occurred_at, document)
        SELECT c.project_id, c.group_id, c.event, to_timestamp(c.occurred_at / 1000), c.document
        FROM unnest(
          ${PgLiteral.numbers(events.map(({ projectId }) => projectId))}::bigint[],
          ${PgLiteral.numbers(events.map(({ groupId }) => groupId))}::bigint[],
          ${PgLiteral.texts(events.map(({ event }) => event))}::text[],
          ${PgLiteral.numbers(events.map(({ at }) => at.epochMillis))}::float8[],
          ${PgLiteral.texts(events.map(({ document }) => document))}::text[]
        ) WITH ORDINALITY AS c (project_id, group_id, event, occurred_at, document, position)
        WHERE EXISTS (
          SELECT 1 FROM errata.webhooks AS w
          WHERE w.project_id = c.project_id AND w.enabled AND c.event = ANY (w.events)
        )
        ORDER BY c.position`.pipe(Effect.asVoid, named("GroupEventStore.append")),

    lease: ({ duration, limit }) =>
      sql<GroupEventRow>`
        WITH free AS MATERIALIZED (
          SELECT project_id, group_id, id FROM errata.group_events
          WHERE (leased_until IS NULL OR leased_until <= errata.now())
            -- They are few. What waits behind them may be many, and must neither be looked at one by one nor stand in the
            -- way of other groups.
            AND (project_id, group_id) NOT IN (
              SELECT project_id, group_id FROM errata.group_events WHERE leased_until > errata.now()
            )
          ORDER BY id LIMIT ${limit} FOR NO KEY UPDATE SKIP LOCKED
        ),
        groups AS (
          SELECT project_id, group_id, max(id) AS last FROM free GROUP BY project_id, group_id
        ),
        -- Others may be taking events of these groups at this moment: those were skipped, and hold up what comes after.
        ordered AS (
          SELECT e.project_id, e.id,
            bool_or(free.id IS NULL) OVER (PARTITION BY e.project_id, e.group_id ORDER BY e.id) AS is_held_up
          FROM groups AS g
          CROSS JOIN LATERAL (
            SELECT project_id, group_id, id FROM errata.group_events
            WHERE project_id = g.project_id AND group_id = g.group_id AND id <= g.last OFFSET 0
          ) AS e
          LEFT JOIN free ON free.project_id = e.project_id AND free.id = e.id
        ),
        leased AS (
          UPDATE errata.group_events AS e
          SET leased_until = errata.now() + ${interval(duration)}::interval, attempts = e.attempts + 1
          -- The limit says nothing new but to the planner, who would expect all of a group's events and read the table.
          FROM (SELECT project_id, id FROM ordered WHERE NOT is_held_up LIMIT ${limit}) AS o
          WHERE e.project_id = o.project_id AND e.id = o.id
          RETURNING e.project_id, e.id, e.group_id, e.event, e.occurred_at, e.document, e.attempts
        )
        SELECT * FROM leased ORDER BY id`.pipe(
        Effect.map((rows) => rows.map(toEvent)),
        named("GroupEventStore.lease"),
      ),

    settle: (events) =>
      sql`
        DELETE FROM errata.group_events AS e
        USING unnest(
          ${PgLiteral.numbers(events.map(({ projectId }) => projectId))}::bigint[],
          ${PgLiteral.numbers(events.map(({ id }) => id))}::bigint[],
          ${PgLiteral.numbers(events.map(({ attempts }) => attempts))}::integer[]
        ) AS c (project_id, id, attempts)
        WHERE e.project_id = c.project_id AND e.id = c.id AND e.attempts = c.attempts
        RETURNING 1`.pipe(
        Effect.map((gone) => gone.length === events.length),
        named("GroupEventStore.settle"),
      ),
  })
})

export const layer = Layer.effect(GroupEventStore, make)

// internal

interface GroupEventRow {
  readonly project_id: ProjectId
  readonly id: number
  readonly group_id: GroupId
  readonly event: GroupEventName
  readonly occurred_at: Date
  readonly document: string
  readonly attempts: number
}

const toEvent = (row: GroupEventRow): LeasedGroupEvent => ({
  projectId: row.project_id,
  id: row.id,
  groupId: row.group_id,
  event: row.event,
  at: toUtc(row.occurred_at),
  document: row.document,
  attempts: row.attempts,
})
