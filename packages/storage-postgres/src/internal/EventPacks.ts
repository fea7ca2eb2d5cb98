/**
 * Event ids of archived generations. A row of `errata.report_events` takes 113 bytes with its index. A pack has up to 64
 * events in the order of their ids, with a hash and a report for each, and takes 18 bytes per event.
 *
 * An event is in the first pack of its project and generation whose last event is not before it.
 */
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import * as Rows from "./Rows.js"
import { int8, nullable, text } from "./SqlType.js"
import * as Weeks from "./Weeks.js"

/**
 * Selects the `report_id` of an event for each generation that contains it. With 64 bits, a wrong one is as improbable as
 * two equal event ids. The report may be gone, because its deletion leaves the pack.
 */
export const reportsOf = (
  sql: SqlClient.SqlClient,
  projectId: Statement.Fragment,
  eventId: Statement.Fragment,
): Statement.Fragment => sql`
  SELECT k.report_ids[array_position(k.hashes, ${hashOf(sql, eventId)})] AS report_id
  FROM errata.event_generations AS n
  CROSS JOIN LATERAL (
    SELECT k.hashes, k.report_ids FROM errata.event_packs AS k
    WHERE k.project_id = n.project_id AND k.generation = n.generation AND k.last_event_id >= ${eventId}
    ORDER BY k.last_event_id LIMIT 1
  ) AS k
  WHERE n.project_id = ${projectId} AND ${hashOf(sql, eventId)} = ANY (k.hashes)`

/** Selects the `report_id` of an event. */
export const reportOf = (
  sql: SqlClient.SqlClient,
  projectId: Statement.Fragment,
  eventId: Statement.Fragment,
): Statement.Fragment => sql`
  SELECT e.report_id FROM errata.report_events AS e
  WHERE e.project_id = ${projectId} AND e.event_id = ${eventId}
  UNION ALL
  SELECT p.report_id FROM (${reportsOf(sql, projectId, eventId)}) AS p`

/**
 * Packs the events of a generation without writers, and drops their partition. Continues after an interruption. Returns
 * false if the partition is in use.
 */
export const packGeneration = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, generation: number) {
  let last: Place | null = yield* lastPacked(sql, generation)
  while (last !== null) last = yield* packSome(sql, generation, last)
  return yield* sql.withTransaction(finish(sql, generation))
})

/** Removes the packs of generations before a week, except of those that contain one of `kept`. */
export const removeBefore = (
  sql: SqlClient.SqlClient,
  before: number,
  kept: ReadonlyArray<number>,
): Effect.Effect<void, SqlError> => {
  const span = Weeks.spanOf("report_events")
  const needed = [...new Set(kept.map((week) => week - (week % span)))]
  const isOver = sql`generation + ${span} <= ${before} AND generation <> ALL (${needed}::integer[])`
  return Effect.andThen(
    sql`DELETE FROM errata.event_generations WHERE ${isOver}`,
    Effect.asVoid(sql`DELETE FROM errata.event_packs WHERE ${isOver}`),
  )
}

// internal

const packSize = 64
/** Takes a few tenths of a second. */
const eventsTogether = 1000 * packSize

/** An event of a project; an empty id comes before its first one. */
interface Place {
  readonly projectId: number
  readonly eventId: string
}

const hashOf = (sql: SqlClient.SqlClient, eventId: Statement.Fragment) =>
  sql`uuid_hash_extended(${eventId}, 0)`

const start: Place = { projectId: 0, eventId: "" }

const lastPacked = (sql: SqlClient.SqlClient, generation: number) =>
  Effect.map(
    sql`
      SELECT project_id, last_event_id::text AS event_id FROM errata.event_packs WHERE generation = ${generation}
      ORDER BY project_id DESC, last_event_id DESC LIMIT 1`,
    ([row]) => (row === undefined ? start : placeRows.read(row)),
  )

/** Packs the next events of a project. Returns the last one, or the next project if there are none. */
const packSome = (sql: SqlClient.SqlClient, generation: number, { eventId, projectId }: Place) =>
  Effect.gen(function* () {
    const events = sql(`errata.${Weeks.partitionOf("report_events", generation)}`)
    const packed = yield* sql`
      INSERT INTO errata.event_packs (project_id, generation, last_event_id, hashes, report_ids)
      SELECT ${projectId}::bigint, ${generation}::integer, (array_agg(event_id ORDER BY event_id DESC))[1],
        array_agg(${hashOf(sql, sql`event_id`)} ORDER BY event_id), array_agg(report_id ORDER BY event_id)
      FROM (
        SELECT event_id, report_id, (row_number() OVER (ORDER BY event_id) - 1) / ${packSize} AS pack
        FROM (
          SELECT event_id, report_id FROM ${events}
          WHERE project_id = ${projectId} AND ${eventId === "" ? sql`true` : sql`event_id > ${eventId}::uuid`}
          ORDER BY event_id LIMIT ${eventsTogether}
        ) AS e
      ) AS n
      GROUP BY pack ORDER BY pack
      RETURNING project_id, last_event_id::text AS event_id`
    yield* Effect.yieldNow
    if (packed.length > 0) return placeRows.read(packed.at(-1)!)
    const [row] = yield* sql`
      SELECT min(project_id) AS project_id FROM ${events} WHERE project_id > ${projectId}`
    const next = nextRows.read(row!).projectId
    return next === null ? null : { projectId: next, eventId: "" }
  })

/** From now on, lookups find the packs. */
const finish = (sql: SqlClient.SqlClient, generation: number) =>
  Effect.gen(function* () {
    const [row] = yield* sql`SELECT errata.drop_partition('report_events', ${generation}::integer) AS bytes`
    if (droppedRows.read(row!).bytes === null) return false
    yield* sql`
      INSERT INTO errata.event_generations (project_id, generation)
      SELECT DISTINCT project_id, generation FROM errata.event_packs WHERE generation = ${generation}
      ON CONFLICT DO NOTHING`
    return true
  })

const placeRows = Rows.make({ projectId: int8(), eventId: text() })
const nextRows = Rows.make({ projectId: nullable(int8()) })
const droppedRows = Rows.make({ bytes: nullable(int8()) })
