import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** Bodies are written once, where they are accepted; the queue and the reports refer to them. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    CREATE TABLE errata.segments (
      id bigint GENERATED ALWAYS AS IDENTITY,
      project_id bigint NOT NULL,
      created_at timestamptz NOT NULL DEFAULT errata.now(),
      payloads_count integer NOT NULL,
      -- Of the payloads' bodies.
      bytes integer NOT NULL,
      -- Of the index that the block begins with, and of the block; see Segments.ts.
      index_bytes integer NOT NULL,
      block_bytes integer NOT NULL,
      -- The block, as an LZ4 block where it is shorter than that.
      body bytea STORAGE EXTERNAL NOT NULL,
      PRIMARY KEY (project_id, id)
    )`

  yield* sql`DROP TABLE errata.pending_batches`
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
      -- Whether its one payload may be what ends recorders.
      suspect boolean NOT NULL DEFAULT false,
      PRIMARY KEY (project_id, id)
    ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000)`
  // What is to be recorded first.
  yield* sql`CREATE INDEX pending_batches_order ON errata.pending_batches (id) WHERE NOT suspect`
  // Suspects, which are few. Not by when they are due: an index on what every lease changes, even of few rows, would
  // keep all updates from staying within their page.
  yield* sql`CREATE INDEX pending_batches_suspects ON errata.pending_batches (id) WHERE suspect`

  yield* sql`DROP TABLE errata.set_aside_payloads`
  yield* sql`
    CREATE TABLE errata.set_aside_payloads (
      id bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
      project_id bigint NOT NULL,
      segment_id bigint NOT NULL,
      position integer NOT NULL,
      event_id text NOT NULL,
      kind text NOT NULL,
      received_at timestamptz NOT NULL,
      -- Of the body.
      bytes integer NOT NULL,
      reason text NOT NULL,
      set_aside_at timestamptz NOT NULL,
      PRIMARY KEY (project_id, id)
    )`
  // What is too old.
  yield* sql`CREATE INDEX set_aside_payloads_age ON errata.set_aside_payloads (set_aside_at)`

  yield* sql`
    ALTER TABLE errata.reports
      DROP COLUMN details,
      -- Where the event is kept; null once retention has dropped it.
      ADD COLUMN segment_id bigint,
      ADD COLUMN segment_position integer`
  yield* sql`
    ALTER TABLE errata.attachments
      DROP COLUMN body,
      -- The payload that it came in, and which of its attachments it is.
      ADD COLUMN segment_id bigint NOT NULL,
      ADD COLUMN segment_position integer NOT NULL,
      ADD COLUMN position integer NOT NULL`
})
