/** Rows of `errata.report_frames`. */

import type { ReportPlace } from "@errata/core/ports"
import type { SqlClient } from "effect/sql"
import * as Buckets from "./Buckets.js"
import { compress } from "./Compression.js"

export interface NewFrames extends ReportPlace {
  /** JSON in UTF-8. */
  readonly json: Uint8Array
}

/** Inserts or replaces the mapped frames of reports. */
export const insert = (sql: SqlClient.SqlClient, frames: ReadonlyArray<NewFrames>) => {
  const bodies = frames.map(({ json }) => compress(json))
  let end = 1
  const offsets = bodies.map(({ length }) => {
    const offset = end
    end += length
    return offset
  })
  return sql`
    INSERT INTO errata.report_frames (project_id, report_id, bytes, body)
    SELECT c.project_id, c.report_id, c.bytes, substring(b.bodies FROM c.from_byte FOR c.length)
    FROM unnest(
      ${frames.map(({ projectId }) => projectId)}::bigint[],
      ${frames.map(({ reportId }) => reportId)}::bigint[],
      ${frames.map(({ json }) => json.length)}::integer[],
      ${offsets}::integer[],
      ${bodies.map(({ length }) => length)}::integer[]
    ) AS c (project_id, report_id, bytes, from_byte, length)
    CROSS JOIN (SELECT ${Buffer.concat(bodies)}::bytea AS bodies) AS b${Buckets.here(sql)}
    ON CONFLICT (project_id, report_id) DO UPDATE SET bytes = excluded.bytes, body = excluded.body`
}
