/** Bodies of finished weeks that are in the object store. See docs/decisions/049-archived-bodies.md. */

import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const archives = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Objects and attempts to write them. A row is inserted before its object is started, and deleted after its object.
  // Bodies of `writing` and `written` objects are still in the database; those of `live` objects are only in the
  // object. The job removes `removing` and `abandoned` objects. A hanging node may still be writing an abandoned one.
  yield* sql`
    CREATE TABLE errata.archives (
      project_id bigint NOT NULL,
      week integer NOT NULL,
      name text NOT NULL,
      state text NOT NULL DEFAULT 'writing',
      changed_at timestamptz NOT NULL DEFAULT errata.now(),
      bytes bigint NOT NULL DEFAULT 0,
      segments_count integer NOT NULL DEFAULT 0,
      -- The first segment of each page of the object's index, and where the page is: see ArchiveIndex.ts.
      page_ids bigint[] NOT NULL DEFAULT '{}',
      page_offsets bigint[] NOT NULL DEFAULT '{}',
      PRIMARY KEY (project_id, week, name)
    )`
  yield* sql`CREATE UNIQUE INDEX archives_live ON errata.archives (project_id, week) WHERE state = 'live'`

  // Bodies that a discard removed but an object still contains. Its next rewrite omits them.
  yield* sql`
    CREATE TABLE errata.archive_removals (
      project_id bigint NOT NULL,
      segment_id bigint NOT NULL,
      positions integer[] NOT NULL,
      created_at timestamptz NOT NULL DEFAULT errata.now(),
      PRIMARY KEY (project_id, segment_id)
    )`
})
