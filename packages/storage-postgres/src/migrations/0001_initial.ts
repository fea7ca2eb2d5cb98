import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * Everything lives in a schema of its own, so that Errata can share a database with the application that embeds it.
 * `project_id` is part of every big table's key: it is what a distributed database would distribute by.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    CREATE TABLE errata.users (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      name text NOT NULL,
      email_address text NOT NULL,
      role text NOT NULL CHECK (role IN ('admin', 'member')),
      active boolean NOT NULL DEFAULT true,
      api_key_hash text,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL
    )`
  yield* sql`CREATE UNIQUE INDEX users_email_address ON errata.users (lower(email_address)) WHERE active`
  // Every API call: who has this key?
  yield* sql`CREATE UNIQUE INDEX users_api_key_hash ON errata.users (api_key_hash) WHERE active`

  yield* sql`
    CREATE TABLE errata.projects (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      name text NOT NULL,
      platform text NOT NULL,
      timezone text NOT NULL,
      token text NOT NULL UNIQUE,
      muted_at timestamptz,
      muter_id bigint REFERENCES errata.users (id),
      muted_until timestamptz,
      deleted_at timestamptz,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL
    )`
  yield* sql`CREATE UNIQUE INDEX projects_name ON errata.projects (name) WHERE deleted_at IS NULL`

  yield* sql`
    CREATE TABLE errata.memberships (
      user_id bigint NOT NULL REFERENCES errata.users (id),
      project_id bigint NOT NULL REFERENCES errata.projects (id),
      PRIMARY KEY (user_id, project_id)
    )`

  // Several rows a project, by connection: one row would make the recorders of a project wait for one another.
  yield* sql`
    CREATE TABLE errata.project_counts (
      project_id bigint NOT NULL,
      stripe smallint NOT NULL,
      groups_count bigint NOT NULL,
      reports_count bigint NOT NULL,
      PRIMARY KEY (project_id, stripe)
    ) WITH (fillfactor = 50)`

  // No index on what every report changes (times, counts): updates stay within their page.
  yield* sql`
    CREATE TABLE errata.groups (
      id bigint GENERATED ALWAYS AS IDENTITY,
      project_id bigint NOT NULL,
      grouping_algorithm text NOT NULL,
      grouping_key text NOT NULL,
      grouping_data json NOT NULL,
      error_type text NOT NULL,
      error_message text NOT NULL,
      culprit text NOT NULL,
      search tsvector NOT NULL,
      severity smallint NOT NULL,
      first_occurred_at timestamptz NOT NULL,
      last_occurred_at timestamptz NOT NULL,
      reports_count bigint NOT NULL,
      notes_count integer NOT NULL DEFAULT 0,
      resolved_at timestamptz,
      resolver_id bigint,
      muted_at timestamptz,
      muter_id bigint,
      muted_until timestamptz,
      muted_until_reports_count bigint,
      project_muted_at timestamptz,
      project_muter_id bigint,
      project_muted_until timestamptz,
      assignee_id bigint,
      merged_into_id bigint,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL,
      PRIMARY KEY (project_id, id)
    ) WITH (fillfactor = 80)`
  // Free text in the list of groups.
  yield* sql`CREATE INDEX groups_search ON errata.groups USING gin (search)`
  // The sweep of mutes that have run out.
  yield* sql`
    CREATE INDEX groups_muted_until ON errata.groups (least(muted_until, project_muted_until))
    WHERE muted_until IS NOT NULL OR project_muted_until IS NOT NULL`

  // Several keys lead to one group after a merge.
  yield* sql`
    CREATE TABLE errata.grouping_keys (
      project_id bigint NOT NULL,
      algorithm text COLLATE "C" NOT NULL,
      key text COLLATE "C" NOT NULL,
      group_id bigint NOT NULL,
      PRIMARY KEY (project_id, algorithm, key)
    )`
  // Merging: the keys of a group.
  yield* sql`CREATE INDEX grouping_keys_group ON errata.grouping_keys (project_id, group_id)`

  yield* sql`
    CREATE TABLE errata.group_tags (
      project_id bigint NOT NULL,
      group_id bigint NOT NULL,
      -- Of key and value, see errata.tag_hash: values can be longer than an index entry may be, and are slow to compare.
      tag uuid NOT NULL,
      count bigint NOT NULL,
      key text COLLATE "C" NOT NULL,
      value text COLLATE "C" NOT NULL,
      PRIMARY KEY (project_id, group_id, tag)
    ) WITH (fillfactor = 85)`
  // The list of groups filtered by a tag value that is rare.
  yield* sql`CREATE INDEX group_tags_tag ON errata.group_tags (project_id, tag, group_id)`
  yield* sql`
    CREATE FUNCTION errata.tag_hash(key text, value text) RETURNS uuid
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN md5(length(key) || ':' || key || value)::uuid`

  yield* sql`
    CREATE TABLE errata.group_merges (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      project_id bigint NOT NULL,
      target_id bigint NOT NULL,
      source_id bigint NOT NULL,
      -- The source's own grouping keys at that time: what an unmerge gives back.
      source_keys json NOT NULL,
      merged_at timestamptz NOT NULL
    )`
  yield* sql`CREATE INDEX group_merges_source ON errata.group_merges (project_id, source_id)`

  yield* sql`
    CREATE TABLE errata.releases (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      project_id bigint NOT NULL,
      version text NOT NULL,
      created_at timestamptz NOT NULL
    )`
  yield* sql`CREATE UNIQUE INDEX releases_version ON errata.releases (project_id, md5(version))`

  yield* sql`
    CREATE TABLE errata.reports (
      id bigint GENERATED ALWAYS AS IDENTITY,
      project_id bigint NOT NULL,
      group_id bigint NOT NULL,
      -- The group it was recorded in, where a merge has moved it since.
      origin_group_id bigint,
      event_id uuid,
      error_type text NOT NULL,
      error_message text NOT NULL,
      culprit text NOT NULL,
      occurred_at timestamptz NOT NULL,
      platform text NOT NULL,
      severity smallint NOT NULL,
      handled boolean NOT NULL,
      server_name text NOT NULL,
      environment text NOT NULL,
      release_id bigint,
      release_version text NOT NULL,
      sourcemap_status text NOT NULL DEFAULT 'unprocessed',
      sourcemap_failure_code text,
      sourcemap_attempted_at timestamptz,
      -- JSON, as the list shows it.
      tags text NOT NULL,
      -- JSON; null once retention has dropped it.
      details text,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL,
      PRIMARY KEY (project_id, id)
    )`
  // An event is stored once; look-up by event id.
  yield* sql`CREATE UNIQUE INDEX reports_event ON errata.reports (project_id, event_id)`
  // The list of a group's reports; moving them in a merge.
  yield* sql`CREATE INDEX reports_group ON errata.reports (project_id, group_id, id)`

  yield* sql`
    CREATE TABLE errata.attachments (
      id bigint GENERATED ALWAYS AS IDENTITY,
      project_id bigint NOT NULL,
      report_id bigint NOT NULL,
      filename text NOT NULL,
      content_type text NOT NULL,
      type text NOT NULL,
      size integer NOT NULL,
      body bytea NOT NULL,
      PRIMARY KEY (project_id, report_id, id)
    )`

  yield* sql`
    CREATE TABLE errata.notes (
      id bigint GENERATED ALWAYS AS IDENTITY,
      project_id bigint NOT NULL,
      group_id bigint NOT NULL,
      user_id bigint,
      content text NOT NULL,
      automated boolean NOT NULL,
      created_at timestamptz NOT NULL,
      PRIMARY KEY (project_id, group_id, id)
    )`

  yield* sql`
    CREATE TABLE errata.discarded_events (
      project_id bigint NOT NULL,
      day date NOT NULL,
      reason text NOT NULL,
      category text NOT NULL,
      quantity bigint NOT NULL,
      PRIMARY KEY (project_id, day, reason, category)
    )`

  // One row for all payloads that one write appended; see PendingPayloads.ts.
  yield* sql`
    CREATE TABLE errata.pending_batches (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      -- JSON: [[project id, event id, kind, received at, offset, length], ...]
      payloads text NOT NULL,
      payloads_count integer NOT NULL,
      bytes bigint NOT NULL,
      -- Positions in payloads that are recorded already.
      done integer[] NOT NULL DEFAULT '{}',
      attempts integer NOT NULL DEFAULT 0,
      claimed_until timestamptz,
      body bytea NOT NULL
    ) WITH (
      autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
      toast.autovacuum_vacuum_scale_factor = 0, toast.autovacuum_vacuum_threshold = 10000
    )`

  yield* sql`
    CREATE TABLE errata.set_aside_payloads (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      project_id bigint NOT NULL,
      event_id text NOT NULL,
      kind text NOT NULL,
      received_at timestamptz NOT NULL,
      reason text NOT NULL,
      set_aside_at timestamptz NOT NULL,
      body bytea NOT NULL
    )`

  // LZ4 costs a fraction of the default compression's time; not every server is built with it.
  const [lz4] = yield* sql<{ available: boolean }>`
    SELECT 'lz4' = ANY (enumvals) AS available FROM pg_settings WHERE name = 'default_toast_compression'`
  if (lz4?.available) {
    yield* sql`ALTER TABLE errata.reports ALTER COLUMN details SET COMPRESSION lz4`
    yield* sql`ALTER TABLE errata.pending_batches ALTER COLUMN body SET COMPRESSION lz4`
  } else {
    // Queued bodies live for milliseconds: not worth the slow compression.
    yield* sql`ALTER TABLE errata.pending_batches ALTER COLUMN body SET STORAGE EXTERNAL`
  }
})
