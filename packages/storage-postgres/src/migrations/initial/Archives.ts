/** Bodies of finished weeks that are in the object store. See docs/decisions/049-archived-bodies.md. */

import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const archives = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // An object, or an attempt to write one. A row is inserted before its object is begun, and deleted after its object.
  // The bodies of `writing` and `written` objects are still in the database. Those of `live` objects are only there. The
  // job removes `removing` and `abandoned` objects. A node that hangs may still write an abandoned one.
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

  // Bodies that a discard has removed, and that an object still has. Its next rewrite leaves them out.
  yield* sql`
    CREATE TABLE errata.archive_removals (
      project_id bigint NOT NULL,
      segment_id bigint NOT NULL,
      positions integer[] NOT NULL,
      created_at timestamptz NOT NULL DEFAULT errata.now(),
      PRIMARY KEY (project_id, segment_id)
    )`
})
