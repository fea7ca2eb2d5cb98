/**
 * Discarded groups. Their rows are deleted at once, so that no lookup finds them. Their reports are deleted in small
 * steps, after all transactions that may have read them have ended, because these may add attachments.
 */
import type { Group, ProjectId } from "@errata/core"
import type { GroupStore } from "@errata/core/ports"
import { DateTime, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import * as Archives from "./Archives.js"
import { unlessDamaged } from "./Compression.js"
import type { Dictionaries } from "./Dictionaries.js"
import * as GroupRemoval from "./GroupRemoval.js"
import * as PgLiteral from "./PgLiteral.js"
import { named } from "./PgStorageError.js"
import { toDate } from "./PgTime.js"
import * as ReportPurge from "./ReportPurge.js"
import * as Rows from "./Rows.js"
import * as SegmentRow from "./SegmentRow.js"
import * as Segments from "./Segments.js"
import { eventId, int4, int8, nullable } from "./SqlType.js"

type Discarded = Pick<GroupStore["Service"], "remove" | "purge">

export const make = (sql: SqlClient.SqlClient, dictionaries: Dictionaries["Service"]): Discarded => {
  const removal = GroupRemoval.make(sql)
  const reports = ReportPurge.make(sql, () => Effect.void)

  const remove = ({ id, projectId }: Group, now: DateTime.Utc) =>
    Effect.gen(function* () {
      const roots = PgLiteral.numbers([id])
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
      const ids = PgLiteral.numbers(found.map(({ id }) => id))
      const events = PgLiteral.texts(found.flatMap(({ eventId }) => eventId ?? []))
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
    remove: (group, now) => remove(group, now).pipe(named("GroupStore.remove")),
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
const discardedRows = Rows.make({ projectId: int8<ProjectId>(), groupId: int8() })
const segmentRows = Rows.make(SegmentRow.stored)
