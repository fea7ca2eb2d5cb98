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
          SELECT e.project_id, e.group_id, e.id FROM errata.group_events AS e
          WHERE (e.leased_until IS NULL OR e.leased_until <= errata.now())
            -- So that a group whose first event is another's does not stand in the way of others.
            AND NOT EXISTS (
              SELECT 1 FROM errata.group_events AS held
              WHERE held.project_id = e.project_id AND held.group_id = e.group_id AND held.id < e.id
                AND held.leased_until > errata.now()
            )
          ORDER BY e.id LIMIT ${limit} FOR NO KEY UPDATE OF e SKIP LOCKED
        ),
        leased AS (
          UPDATE errata.group_events AS e
          SET leased_until = errata.now() + ${interval(duration)}::interval, attempts = e.attempts + 1
          FROM free
          WHERE e.project_id = free.project_id AND e.id = free.id
            -- What was skipped because somebody is just taking it holds up what comes after it.
            AND NOT EXISTS (
              SELECT 1 FROM errata.group_events AS earlier
              WHERE earlier.project_id = free.project_id AND earlier.group_id = free.group_id AND earlier.id < free.id
                AND NOT EXISTS (
                  SELECT 1 FROM free AS mine
                  WHERE mine.project_id = earlier.project_id AND mine.id = earlier.id
                )
            )
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
