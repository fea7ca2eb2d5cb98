/**
 * Appends segments to the queue of a bucket by one call of a function. Citus runs the function on the node of the bucket, unless a
 * transaction is open. So the two inserts cost one message between the nodes.
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { toDate } from "./PgTime.js"
import * as Rows from "./Rows.js"
import type { NewSegment } from "./SegmentRow.js"
import { boolean, int8, time } from "./SqlType.js"

/** A condition on rows of `SegmentRow.dictionaries`, called `c`: the database does not have the dictionary in `week`. */
export const isUnknown = (week: string): string => `c.dictionary_id IS NOT NULL AND NOT EXISTS (
  SELECT FROM errata.segments AS s
  WHERE s.project_id = c.project_id AND s.id = c.dictionary_id AND s.payloads_count = 0 AND s.index_bytes = c.index_bytes
    AND s.id / 10000000000 = ${week})`

/** While a bucket moves, its node does not know the lock timeout of the client. */
export const definition = `
  CREATE FUNCTION errata.append_segments(
    ids bigint[], batch_ids bigint[], at timestamptz, bodies bytea, starts integer[], lengths integer[],
    projects bigint[], counts integer[], sizes integer[], index_sizes integer[], block_sizes integer[], dictionaries bigint[],
    checksums integer[]
  ) RETURNS boolean LANGUAGE plpgsql SET lock_timeout = '5s' AS $$
  BEGIN
    IF EXISTS (
      SELECT FROM unnest(projects, dictionaries, checksums) AS c (project_id, dictionary_id, index_bytes)
      WHERE ${isUnknown("ids[1] / 10000000000")}
    ) THEN
      RETURN false;
    END IF;
    INSERT INTO errata.segments
      (id, created_at, project_id, payloads_count, bytes, index_bytes, block_bytes, dictionary_id, body)
    SELECT c.id, at, c.project_id, c.payloads_count, c.bytes, c.index_bytes, c.block_bytes, c.dictionary_id,
      substring(bodies FROM c.start FOR c.length)
    FROM unnest(ids, projects, counts, sizes, index_sizes, block_sizes, dictionaries, starts, lengths)
      AS c (id, project_id, payloads_count, bytes, index_bytes, block_bytes, dictionary_id, start, length)
    CROSS JOIN errata.here;
    INSERT INTO errata.pending_batches (id, ready_at, project_id, segment_id, payloads_count, bytes) OVERRIDING SYSTEM VALUE
    SELECT c.id, at, c.project_id, c.segment_id, c.payloads_count, c.bytes
    FROM unnest(batch_ids, projects, ids, counts, sizes) AS c (id, project_id, segment_id, payloads_count, bytes)
    CROSS JOIN errata.here;
    RETURN true;
  END $$`

/** Makes Citus run the function on the node of the bucket. */
export const distribution = (bucket: string): string =>
  `SELECT create_distributed_function(oid::regprocedure, colocate_with => '${bucket}.here')
   FROM pg_proc WHERE proname = 'append_segments' AND pronamespace = '${bucket}'::regnamespace`

/** Ids of a segment and of its row in the queue, and the time. */
interface NewRow extends ReturnType<typeof newRows.read> {}

/** Takes ids for a segment in each of the buckets. The statement runs on the coordinator alone. */
export const newIds = (sql: SqlClient.SqlClient, buckets: ReadonlyArray<number>) => sql`/* prepared */
  SELECT errata.first_id(errata.week_of(errata.now())) + nextval(format('%I.segment_ids', schema)::regclass) AS segment_id,
    nextval(pg_get_serial_sequence(format('%I.pending_batches', schema), 'id')) AS batch_id, errata.now() AS now
  FROM (
    SELECT 'errata' || '_b' || bucket AS schema FROM unnest(${buckets}::integer[]) AS bucket
  ) AS c`

export const newRows = Rows.make({ segmentId: int8(), batchId: int8(), now: time })

/**
 * Appends segments in the bucket of the fiber, or none if the bucket does not have one of their dictionaries in this week. Returns
 * whether it did. `bodies` has their bodies.
 */
export const append = (
  sql: SqlClient.SqlClient,
  segments: ReadonlyArray<NewSegment & NewRow>,
  bodies: Uint8Array,
) => {
  const of = (field: (each: NewSegment & NewRow) => number | null) => segments.map(field)
  return Effect.map(
    sql`
    SELECT errata.append_segments(${of((each) => each.segmentId)}, ${of((each) => each.batchId)},
      ${toDate(segments[0]!.now)}, ${bodies}, ${of((each) => each.start)}, ${of(({ segment }) => segment.stored.byteLength)},
      ${of(({ segment }) => segment.projectId)}, ${of(({ segment }) => segment.payloadsCount)},
      ${of(({ segment }) => segment.bytes)}, ${of(({ segment }) => segment.indexBytes)},
      ${of(({ segment }) => segment.block.byteLength)}, ${of(({ segment }) => segment.dictionary?.id ?? null)},
      ${of(({ segment }) => segment.dictionary?.checksum ?? null)}) AS appended`,
    ([row]) => appendedRows.read(row!).appended,
  )
}

// internal

const appendedRows = Rows.make({ appended: boolean })
