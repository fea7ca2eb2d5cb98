/** The queue of reports whose frames are not mapped yet. See docs/decisions/028-resolved-frames.md. */

import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const sourcemaps = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Rows live for seconds. Leases change this table instead of the reports, which are written once.
  yield* sql`
    CREATE TABLE errata.sourcemap_queue (
      project_id bigint NOT NULL,
      report_id bigint NOT NULL,
      -- The id of the report; what an upload has queued comes after all others, the newest first.
      turn bigint NOT NULL,
      -- How often it was leased, and until when it is.
      leases integer NOT NULL DEFAULT 0,
      leased_until timestamptz,
      -- How often it was given back because a storage was away, and since the last time, when it is due.
      postponed integer NOT NULL DEFAULT 0,
      due_at timestamptz,
      PRIMARY KEY (project_id, report_id)
    ) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500)`
  // The next reports of each project.
  yield* sql`CREATE INDEX sourcemap_queue_turn ON errata.sourcemap_queue (project_id, turn)`
  // Counts the leased reports of a project without reading those that wait.
  yield* sql`
    CREATE INDEX sourcemap_queue_leased ON errata.sourcemap_queue (project_id, leased_until)
    WHERE leased_until IS NOT NULL`
})
