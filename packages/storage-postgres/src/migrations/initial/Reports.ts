/**
 * Data by the week of its arrival: segments with bodies, reports that refer to them, and the event ids of reports. See
 * docs/decisions/016-partitions.md.
 *
 * Weekly partitions copy the indexes and storage parameters of the table's default partition. Set those for all
 * partitions on `..._default`.
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
      -- Null as long as nothing has changed.
      updated_at timestamptz,
      sourcemap_attempted_at timestamptz,
      segment_position integer,
      severity smallint NOT NULL,
      handled boolean NOT NULL,
      event_id uuid,
      -- Null where they are those of the group.
      error_type text,
      error_message text,
      culprit text,
      platform text NOT NULL,
      server_name text NOT NULL,
      environment text NOT NULL,
      -- Null if no source map was looked up.
      sourcemap_status text,
      sourcemap_failure_code text,
      -- Debug ids of scripts that no source map was found for; null where there are none.
      sourcemap_wanted uuid[],
      -- The hashes of its tags, 8 bytes each; see internal/ReportTags.ts.
      tags bytea NOT NULL,
      PRIMARY KEY (project_id, id)
    ) PARTITION BY RANGE (id)`
  // Reports that an upload may resolve, by wanted id or by release. Those of other platforms are in neither index.
  yield* sql`
    CREATE INDEX reports_wanted ON errata.reports USING gin (sourcemap_wanted) WHERE sourcemap_wanted IS NOT NULL`
  yield* sql`
    CREATE INDEX reports_unmapped ON errata.reports (project_id, release_id, id)
    WHERE sourcemap_status IN ('not_found', 'failed', 'blocked')`
  // Index-only scans need vacuumed pages, and only inserts trigger vacuum here. The factor is small: each page is
  // vacuumed once in any case, and the latest reports of busy groups are read most.
  yield* sql`
    CREATE TABLE errata.reports_default PARTITION OF errata.reports DEFAULT
    WITH (${sql.literal(appendOnly)}, autovacuum_vacuum_insert_scale_factor = 0.05)`
  // The list of a group's reports. Filters by time without reading reports outside of the range. Not of the whole table,
  // because `errata.compact_index` replaces it in old weeks.
  yield* sql`
    CREATE INDEX reports_default_group ON errata.reports_default (project_id, group_id, id) INCLUDE (occurred_at)`

  // Events with their report. Narrow, because it is read for every event to detect duplicates.
  yield* sql`
    CREATE TABLE errata.report_events (
      project_id bigint NOT NULL,
      event_id uuid NOT NULL,
      report_id bigint NOT NULL
    ) PARTITION BY RANGE (report_id)`
  yield* sql`
    CREATE TABLE errata.report_events_default PARTITION OF errata.report_events DEFAULT
    WITH (${sql.literal(appendOnly)})`
  // Event ids are unique per partition. PostgreSQL cannot enforce it across partitions without the partition key;
  // errata.enter_week() ensures it. Also the lookup by event id.
  yield* sql`
    CREATE UNIQUE INDEX report_events_default_event ON errata.report_events_default (project_id, event_id)`

  // Event ids of archived generations, up to 64 in a row; see internal/EventPacks.ts.
  yield* sql`
    CREATE TABLE errata.event_packs (
      project_id bigint NOT NULL,
      last_event_id uuid NOT NULL,
      generation integer NOT NULL,
      -- uuid_hash_extended() of each event id, and its report.
      hashes bigint[] NOT NULL,
      report_ids bigint[] NOT NULL,
      PRIMARY KEY (project_id, generation, last_event_id)
    )`
  // The generations whose packs are complete. Their partition of `report_events` is gone.
  yield* sql`
    CREATE TABLE errata.event_generations (
      project_id bigint NOT NULL,
      generation integer NOT NULL,
      PRIMARY KEY (project_id, generation)
    )`

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

  // Mapped frames that replace those of the body, in the week of the report: see ResolvedFrames.ts.
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

  // Bodies are written once, on acceptance. The queue and the reports refer to them.
  yield* sql`CREATE SEQUENCE errata.segment_ids MAXVALUE 9999999999 CYCLE`
  yield* sql`
    CREATE TABLE errata.segments (
      id bigint NOT NULL DEFAULT errata.first_id(errata.week_of(errata.now())) + nextval('errata.segment_ids'),
      project_id bigint NOT NULL,
      created_at timestamptz NOT NULL DEFAULT errata.now(),
      -- The segment that is the dictionary of this one, in the same week; null without a dictionary.
      dictionary_id bigint,
      -- 0 for a dictionary: see Dictionaries.ts.
      payloads_count integer NOT NULL,
      -- Of the payloads' bodies.
      bytes integer NOT NULL,
      -- Of the index that the block begins with, and of the block; see Segments.ts. A dictionary has its checksum instead of the first.
      index_bytes integer NOT NULL,
      block_bytes integer NOT NULL,
      -- The block, compressed with zstd by Compression.ts.
      body bytea NOT NULL,
      PRIMARY KEY (project_id, id)
    ) PARTITION BY RANGE (id)`
  yield* sql`ALTER TABLE errata.segments ALTER COLUMN body SET STORAGE EXTERNAL`
  // The dictionaries of a project, newest last.
  yield* sql`CREATE INDEX segments_dictionaries ON errata.segments (project_id, id) WHERE payloads_count = 0`
  // A body that fits stays in its row: one insert instead of two or three of parts with an index of their own.
  yield* sql`
    CREATE TABLE errata.segments_default PARTITION OF errata.segments DEFAULT
    WITH (${sql.literal(appendOnly)}, toast_tuple_target = 8160, toast.autovacuum_freeze_min_age = 0,
      toast.autovacuum_vacuum_insert_threshold = 100000)`
})

// internal

/**
 * Storage parameters for data that is written once and dropped with its week. Vacuum freezes pages at once; otherwise,
 * it would read every week again before wraparound. The insert threshold keeps small tables from being vacuumed every
 * minute. Analyze runs when a table doubles, because plans do not depend on small growth.
 */
const appendOnly = `autovacuum_freeze_min_age = 0, autovacuum_vacuum_insert_threshold = 20000,
  autovacuum_analyze_threshold = 5000, autovacuum_analyze_scale_factor = 1`
