/**
 * What came in, by the week in which it did: bodies in segments, reports that refer to them, and the events that reports
 * are of. See docs/decisions/016-partitions.md.
 *
 * Every week is a partition that is made like the table's default one: its indexes and its storage parameters are those.
 * So whatever has to hold for every partition is set on `..._default`.
 */

import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const reports = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE SEQUENCE errata.report_ids MAXVALUE 9999999999 CYCLE`
  yield* sql`
    CREATE TABLE errata.reports (
      -- By falling alignment, so that no row has gaps.
      id bigint NOT NULL DEFAULT errata.first_id(errata.week_of(errata.now())) + nextval('errata.report_ids'),
      project_id bigint NOT NULL,
      group_id bigint NOT NULL,
      release_id bigint,
      -- Where the event is kept, or was until retention removed its week; null where there is nothing but this.
      segment_id bigint,
      occurred_at timestamptz NOT NULL,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL,
      sourcemap_attempted_at timestamptz,
      segment_position integer,
      severity smallint NOT NULL,
      handled boolean NOT NULL,
      event_id uuid,
      error_type text NOT NULL,
      error_message text NOT NULL,
      culprit text NOT NULL,
      platform text NOT NULL,
      server_name text NOT NULL,
      environment text NOT NULL,
      release_version text NOT NULL,
      sourcemap_status text NOT NULL DEFAULT 'unprocessed',
      sourcemap_failure_code text,
      -- Debug ids of scripts that no source map was found for; null where there are none.
      sourcemap_wanted uuid[],
      -- JSON, as the list shows it.
      tags text NOT NULL,
      PRIMARY KEY (project_id, id)
    ) PARTITION BY RANGE (id)`
  // The list of a group's reports, in a range of time without a look at the reports outside of it.
  yield* sql`CREATE INDEX reports_group ON errata.reports (project_id, group_id, id) INCLUDE (occurred_at)`
  // What an upload may help: reports that name one of its ids, or its release. Those of other platforms are in neither.
  yield* sql`
    CREATE INDEX reports_wanted ON errata.reports USING gin (sourcemap_wanted) WHERE sourcemap_wanted IS NOT NULL`
  yield* sql`
    CREATE INDEX reports_unmapped ON errata.reports (project_id, release_id, id)
    WHERE sourcemap_status IN ('not_found', 'failed', 'blocked')`
  // Only what was vacuumed is read from an index alone, and nothing else than inserts would have reports vacuumed. A
  // small part at a time: each page is read once either way, and the last of a busy group's reports are what is read most.
  yield* sql`
    CREATE TABLE errata.reports_default PARTITION OF errata.reports DEFAULT
    WITH (${sql.literal(appendOnly)}, autovacuum_vacuum_insert_scale_factor = 0.05)`

  // The reports of events. Narrow, because it is read with every event that comes: an event is stored once.
  yield* sql`
    CREATE TABLE errata.report_events (
      project_id bigint NOT NULL,
      event_id uuid NOT NULL,
      report_id bigint NOT NULL
    ) PARTITION BY RANGE (report_id)`
  yield* sql`
    CREATE TABLE errata.report_events_default PARTITION OF errata.report_events DEFAULT
    WITH (${sql.literal(appendOnly)})`
  // An event is stored once in a partition, which the whole table cannot say without the id of the report; that it is
  // stored in one partition is what errata.enter_week() is for. Look-up by event id.
  yield* sql`
    CREATE UNIQUE INDEX report_events_default_event ON errata.report_events_default (project_id, event_id)`

  // In the week of their report.
  yield* sql`CREATE SEQUENCE errata.attachment_ids`
  yield* sql`
    CREATE TABLE errata.attachments (
      id bigint NOT NULL DEFAULT nextval('errata.attachment_ids'),
      project_id bigint NOT NULL,
      report_id bigint NOT NULL,
      filename text NOT NULL,
      content_type text NOT NULL,
      type text NOT NULL,
      size integer NOT NULL,
      -- The payload that it came in, and which of its attachments it is.
      segment_id bigint NOT NULL,
      segment_position integer NOT NULL,
      position integer NOT NULL,
      PRIMARY KEY (project_id, report_id, id)
    ) PARTITION BY RANGE (report_id)`
  yield* sql`
    CREATE TABLE errata.attachments_default PARTITION OF errata.attachments DEFAULT
    WITH (${sql.literal(appendOnly)})`

  // Mapped frames in the places of those in the report's body, by the week of the report: see ResolvedFrames.ts.
  yield* sql`
    CREATE TABLE errata.report_frames (
      project_id bigint NOT NULL,
      report_id bigint NOT NULL,
      -- Of the JSON before it is compressed with zstd; see Compression.ts.
      bytes integer NOT NULL,
      body bytea NOT NULL,
      PRIMARY KEY (project_id, report_id)
    ) PARTITION BY RANGE (report_id)`
  yield* sql`ALTER TABLE errata.report_frames ALTER COLUMN body SET STORAGE EXTERNAL`
  yield* sql`
    CREATE TABLE errata.report_frames_default PARTITION OF errata.report_frames DEFAULT
    WITH (${sql.literal(appendOnly)})`

  // Bodies are written once, where they are accepted; the queue and the reports refer to them.
  yield* sql`CREATE SEQUENCE errata.segment_ids MAXVALUE 9999999999 CYCLE`
  yield* sql`
    CREATE TABLE errata.segments (
      id bigint NOT NULL DEFAULT errata.first_id(errata.week_of(errata.now())) + nextval('errata.segment_ids'),
      project_id bigint NOT NULL,
      created_at timestamptz NOT NULL DEFAULT errata.now(),
      payloads_count integer NOT NULL,
      -- Of the payloads' bodies.
      bytes integer NOT NULL,
      -- Of the index that the block begins with, and of the block; see Segments.ts.
      index_bytes integer NOT NULL,
      block_bytes integer NOT NULL,
      -- The block, compressed with zstd by Compression.ts.
      body bytea NOT NULL,
      PRIMARY KEY (project_id, id)
    ) PARTITION BY RANGE (id)`
  yield* sql`ALTER TABLE errata.segments ALTER COLUMN body SET STORAGE EXTERNAL`
  yield* sql`
    CREATE TABLE errata.segments_default PARTITION OF errata.segments DEFAULT
    WITH (${sql.literal(appendOnly)}, toast.autovacuum_freeze_min_age = 0,
      toast.autovacuum_vacuum_insert_threshold = 100000)`
})

// internal

/**
 * For what is written once and dropped with its week. A page that is vacuumed is frozen at once, so that it is read for
 * that once in its life: otherwise every week would be read again when its transactions have come of age. Not before
 * there is something to do: a table that grows from nothing would be vacuumed every minute. Samples are taken as it
 * doubles: nothing is asked of these tables that would be planned otherwise by what a tenth more of rows brings.
 */
const appendOnly = `autovacuum_freeze_min_age = 0, autovacuum_vacuum_insert_threshold = 20000,
  autovacuum_analyze_threshold = 5000, autovacuum_analyze_scale_factor = 1`
