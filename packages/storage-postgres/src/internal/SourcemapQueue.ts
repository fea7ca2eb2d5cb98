/** Rows of `errata.sourcemap_queue`. */

import type { ReportPlace } from "@errata/core/ports"
import type { SqlClient } from "effect/sql"
import * as Batch from "./Batch.js"
import * as Buckets from "./Buckets.js"
import { int8 } from "./SqlType.js"

const places = Batch.ofFields<ReportPlace>({ projectId: int8(), reportId: int8() })

/** Queues reports in the order of their ids. */
export const add = (sql: SqlClient.SqlClient, reports: ReadonlyArray<ReportPlace>) => sql`
  INSERT INTO errata.sourcemap_queue (project_id, report_id, turn)
  SELECT c.project_id, c.report_id, c.report_id FROM ${places.rows(sql, reports)}${Buckets.here(sql)}
  ON CONFLICT DO NOTHING`

/** Behind all reports queued by `add`, newest first. */
export const turnOfLate = "9000000000000000000 - "
