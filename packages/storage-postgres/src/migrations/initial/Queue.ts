/** The queue of payloads to record, and the dead letters. */

import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const queue = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Rows are updated once or twice and deleted soon after. Vacuum starts after a fixed number of rows, because a scale
  // factor does not fit a table that is usually empty.
  yield* sql`
    CREATE TABLE errata.pending_batches (
      id bigint GENERATED ALWAYS AS IDENTITY,
      project_id bigint NOT NULL,
      segment_id bigint NOT NULL,
      -- Of the one payload that is meant; null for all of the segment.
      position integer,
      payloads_count integer NOT NULL,
      bytes integer NOT NULL,
      -- Positions that are recorded already.
      done integer[] NOT NULL DEFAULT '{}',
      attempts integer NOT NULL DEFAULT 0,
      claimed_until timestamptz,
      -- From when on it may be recorded.
      ready_at timestamptz NOT NULL DEFAULT errata.now(),
      -- Whether its one payload may be what ends recorders.
      suspect boolean NOT NULL DEFAULT false,
      PRIMARY KEY (project_id, id)
    ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
      autovacuum_vacuum_insert_threshold = -1, autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 20000)`
  // Queue order.
  yield* sql`CREATE INDEX pending_batches_order ON errata.pending_batches (id) WHERE NOT suspect`
  // Suspects, which are few. Not by due time: an index on a column that every lease changes would prevent HOT updates
  // of the whole table.
  yield* sql`CREATE INDEX pending_batches_suspects ON errata.pending_batches (id) WHERE suspect`

  yield* sql`
    CREATE TABLE errata.dead_letters (
      id bigint GENERATED ALWAYS AS IDENTITY,
      project_id bigint NOT NULL,
      segment_id bigint NOT NULL,
      position integer NOT NULL,
      event_id text NOT NULL,
      kind text NOT NULL,
      received_at timestamptz NOT NULL,
      -- Of the body.
      bytes integer NOT NULL,
      reason text NOT NULL,
      failed_at timestamptz NOT NULL,
      PRIMARY KEY (project_id, id)
    )`
  // Dead letters of all projects, newest first, and lookup by id for a retry. Not unique, because every unique index
  // must contain the project.
  yield* sql`CREATE INDEX dead_letters_order ON errata.dead_letters (id)`
  // Expiry of old dead letters.
  yield* sql`CREATE INDEX dead_letters_age ON errata.dead_letters (failed_at)`
})
