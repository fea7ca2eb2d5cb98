/**
 * Discarded groups. Their rows are deleted at once, so that no lookup finds them. Their reports are deleted in small
 * steps, after all transactions that may have read them have ended, because these may add attachments.
 */
import type { Group, GroupId, ProjectId, UserId } from "@errata/core"
import { type DiscardedGroup, type GroupStore, maxDiscardedKeys } from "@errata/core/ports"
import { DateTime, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import * as Archives from "./Archives.js"
import { unlessDamaged } from "./Compression.js"
import type { Dictionaries } from "./Dictionaries.js"
import * as GroupRemoval from "./GroupRemoval.js"
import * as GroupWrites from "./GroupWrites.js"
import { named } from "./PgStorageError.js"
import { toDate } from "./PgTime.js"
import * as ReportPurge from "./ReportPurge.js"
import * as Rows from "./Rows.js"
import * as SegmentRow from "./SegmentRow.js"
import * as Segments from "./Segments.js"
import { eventId, int4, int8, nullable, time } from "./SqlType.js"

type Discarded = Pick<GroupStore["Service"], "lastDiscarded" | "purge" | "remove">

export const make = (sql: SqlClient.SqlClient, dictionaries: Dictionaries["Service"]): Discarded => {
  const removal = GroupRemoval.make(sql)
  const reports = ReportPurge.make(sql, () => Effect.void)

  /** Records a group under its own keys and aliases, and those of the groups merged into it. */
  const record = ({ id, projectId, reportsCount }: Group, by: UserId | null, now: DateTime.Utc) =>
    Effect.gen(function* () {
      const tree = sql`(${removal.treesOf(projectId, [id])}) AS tree`
      yield* sql`
        INSERT INTO errata.discarded_keys
          (project_id, algorithm, key, group_id, reports_count, discarded_by, discarded_at)
        SELECT ${projectId}, k.algorithm, k.key, ${id}, ${reportsCount}, ${by}, ${toDate(now)}
        FROM (
          SELECT own.algorithm, own.key FROM ${tree} CROSS JOIN LATERAL (
            SELECT g.grouping_algorithm AS algorithm, g.grouping_key AS key FROM errata.groups AS g
            WHERE g.project_id = ${projectId} AND g.id = tree.id LIMIT 1
          ) AS own
          UNION
          SELECT alias.algorithm, alias.key FROM ${tree} CROSS JOIN LATERAL (
            SELECT t.algorithm, t.key FROM errata.grouping_keys AS t
            WHERE t.project_id = ${projectId} AND t.group_id = tree.id AND t.is_alias OFFSET 0
          ) AS alias
        ) AS k
        ON CONFLICT (project_id, algorithm, key) DO UPDATE SET group_id = excluded.group_id,
          reports_count = excluded.reports_count, discarded_by = excluded.discarded_by,
          discarded_at = excluded.discarded_at`
      yield* sql`
        DELETE FROM errata.discarded_keys WHERE project_id = ${projectId} AND (algorithm, key) IN (
          SELECT algorithm, key FROM errata.discarded_keys WHERE project_id = ${projectId}
          ORDER BY discarded_at DESC, algorithm, key OFFSET ${maxDiscardedKeys})`
    })

  const lastDiscarded: Discarded["lastDiscarded"] = (groups) =>
    sql`
      SELECT c.position, d.*
      FROM ${GroupWrites.keysByPosition.rows(sql, groups)}
      CROSS JOIN LATERAL (
        SELECT d.group_id, d.reports_count, d.discarded_by AS by, d.discarded_at AS at
        FROM errata.discarded_keys AS d
        WHERE d.project_id = c.project_id AND d.algorithm = c.algorithm AND d.key = c.key LIMIT 1
      ) AS d`.pipe(
      Effect.map((rows) => {
        const found = new Array<DiscardedGroup | null>(groups.length).fill(null)
        for (const { position, ...discarded } of rows.map(recordRows.read)) found[position - 1] = discarded
        return found
      }),
      named("GroupStore.lastDiscarded"),
    )

  const remove = (group: Group, by: UserId | null, now: DateTime.Utc) =>
    Effect.gen(function* () {
      const { id, projectId } = group
      const roots = [id]
      yield* record(group, by, now)
      yield* sql`
        INSERT INTO errata.discarded_groups (project_id, group_id, discarded_at)
        SELECT ${projectId}, tree.id, ${toDate(now)} FROM (${removal.treesOf(projectId, roots)}) AS tree`
      yield* removal.remove(projectId, roots, { notes: false })
      // Last, because every batch of the project updates these counters.
      yield* removal.count(projectId, -1)
    })

  /** Rewrites a segment without some of its bodies. Other bodies keep their positions. */
  const empty = (projectId: ProjectId, segmentId: number, positions: ReadonlySet<number>) =>
    Effect.gen(function* () {
      const [row] = yield* sql`
        SELECT ${sql.literal(segmentRows.select())} FROM errata.segments
        WHERE project_id = ${projectId} AND id = ${segmentId} FOR UPDATE`
      if (row === undefined) return
      const stored = segmentRows.read(row)
      const dictionary = yield* dictionaries.find(projectId, stored.dictionaryId)
      const emptied = unlessDamaged(() => Segments.emptied({ ...stored, dictionary }, positions))
      // No body of it can be read.
      if (emptied === null) return
      const { block, bytes, indexBytes, stored: body } = emptied
      yield* sql`
        UPDATE errata.segments
        SET ${sql.update({ bytes, index_bytes: indexBytes, block_bytes: block.byteLength })}, dictionary_id = NULL,
          body = ${body}
        WHERE project_id = ${projectId} AND id = ${segmentId}`
    })

  /** Removes the next reports of a group with their data. Returns their number. */
  const removeReports = ({ groupId, projectId }: Place, limit: number) =>
    Effect.gen(function* () {
      const rows = yield* sql`
        SELECT ${sql.literal(reportRows.select("r"))}
        FROM errata.reports AS r WHERE r.project_id = ${projectId} AND r.group_id = ${groupId}
        ORDER BY r.id LIMIT ${limit} FOR UPDATE`
      if (rows.length === 0) return 0
      const found = rows.map(reportRows.read)
      const ids = found.map(({ id }) => id)
      const events = found.flatMap(({ eventId }) => eventId ?? [])
      yield* reports.takeOffTags(projectId, ids)
      const ofReports = sql`project_id = ${projectId} AND report_id = ANY (${ids}::bigint[])`
      const attachments = yield* sql`
        DELETE FROM errata.attachments WHERE ${ofReports} RETURNING segment_id, segment_position`
      yield* sql`DELETE FROM errata.sourcemap_queue WHERE ${ofReports}`
      yield* sql`DELETE FROM errata.report_frames WHERE ${ofReports}`
      yield* sql`DELETE FROM errata.report_events WHERE ${ofReports} AND event_id = ANY (${events}::uuid[])`
      const places = [...found, ...attachments.map(placeRows.read)]
      const segments = bySegment(places)
      if (segments.size > 0) yield* Archives.removeFrom(sql, projectId, segments)
      for (const [segmentId, positions] of segments) yield* empty(projectId, segmentId, positions)
      yield* sql`DELETE FROM errata.reports WHERE project_id = ${projectId} AND id = ANY (${ids}::bigint[])`
      return found.length
    })

  const removeNotes = ({ groupId, projectId }: Place, limit: number) =>
    Effect.map(
      sql`
        DELETE FROM errata.notes WHERE project_id = ${projectId} AND group_id = ${groupId} AND id = ANY (ARRAY(
          SELECT id FROM errata.notes WHERE project_id = ${projectId} AND group_id = ${groupId} LIMIT ${limit}
        )) RETURNING 1`,
      (rows) => rows.length,
    )

  /** Returns the number of removed rows. The group's own row in `discarded_groups` is the last. */
  const removeSome = (place: Place, limit: number) =>
    Effect.gen(function* () {
      const removed = (yield* removeReports(place, limit)) || (yield* removeNotes(place, limit))
      if (removed > 0) return { removed, isDone: false }
      // Counts that were added up during the removal may have been inserted after it.
      for (const table of ["activity_minutes", "activity_hours"]) {
        yield* sql`
          DELETE FROM ${sql(`errata.${table}`)}
          WHERE project_id = ${place.projectId} AND group_id = ${place.groupId}`
      }
      yield* sql`
        DELETE FROM errata.discarded_groups
        WHERE project_id = ${place.projectId} AND group_id = ${place.groupId}`
      return { removed: 1, isDone: true }
    })

  const purge = (limit: number, now: DateTime.Utc) =>
    Effect.gen(function* () {
      const settled = toDate(DateTime.subtract(now, { minutes: settlingMinutes }))
      const places = yield* sql`
        SELECT ${sql.literal(discardedRows.select())} FROM errata.discarded_groups
        WHERE discarded_at <= ${settled} ORDER BY discarded_at, project_id, group_id LIMIT ${limit}`
      let total = 0
      for (const place of places.map(discardedRows.read)) {
        for (let isDone = false; !isDone; ) {
          if (total >= limit) return total
          const step = yield* reports.inTransaction(removeSome(place, limit - total))
          total += step.removed
          isDone = step.isDone
        }
      }
      return total
    })

  return {
    lastDiscarded,
    remove: (group, by, now) => remove(group, by, now).pipe(named("GroupStore.remove")),
    purge: (limit, now) => purge(limit, now).pipe(named("GroupStore.purge")),
  }
}

// internal

/** Longer than the longest transaction. */
const settlingMinutes = 5

interface Place {
  readonly projectId: ProjectId
  readonly groupId: number
}

interface BodyPlace {
  readonly segmentId: number | null
  readonly segmentPosition: number | null
}

const bySegment = (places: ReadonlyArray<BodyPlace>): ReadonlyMap<number, ReadonlySet<number>> => {
  const segments = new Map<number, Set<number>>()
  for (const { segmentId, segmentPosition } of places) {
    if (segmentId === null || segmentPosition === null) continue
    segments.set(segmentId, (segments.get(segmentId) ?? new Set()).add(segmentPosition))
  }
  // Sorted, to prevent deadlocks.
  return new Map([...segments].sort(([a], [b]) => a - b))
}

const body = { segmentId: nullable(int8()), segmentPosition: nullable(int4()) }

const reportRows = Rows.make({ id: int8(), eventId: nullable(eventId), ...body })
const placeRows = Rows.make(body)
const recordRows = Rows.make({
  position: int8(),
  groupId: int8<GroupId>(),
  reportsCount: int8(),
  by: nullable(int8<UserId>()),
  at: time,
})
const discardedRows = Rows.make({ projectId: int8<ProjectId>(), groupId: int8() })
const segmentRows = Rows.make(SegmentRow.stored)
