/** What is to be recorded, and what could not be. */

import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const queue = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // A row is updated once or twice and removed a moment later, so the table stays small where it is vacuumed in time:
  // by a number of rows, not by a part of a table that is empty most of the time.
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
  // What is to be recorded first.
  yield* sql`CREATE INDEX pending_batches_order ON errata.pending_batches (id) WHERE NOT suspect`
  // Suspects, which are few. Not by when they are due: an index on what every lease changes, even of few rows, would
  // keep all updates from staying within their page.
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
  // The operator's list of all projects', newest first; one that is tried again. Not unique: no unique index is without
  // the project.
  yield* sql`CREATE INDEX dead_letters_order ON errata.dead_letters (id)`
  // What is too old.
  yield* sql`CREATE INDEX dead_letters_age ON errata.dead_letters (failed_at)`
})
