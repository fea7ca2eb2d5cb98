/** Groups, with their keys, merges, counts and notes. */

import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const groups = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Functions that are not strict are inlined; a call costs many times more. This one is for filtering and sorting by
  // reports: it changes with the 2nd, 5th, 10th, 20th, ... report. Its steps are those of `GroupSort.magnitudeOf`.
  yield* sql`
    CREATE FUNCTION errata.reports_bucket(reports_count bigint) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN width_bucket(reports_count, ARRAY[2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000,
      100000, 200000, 500000, 1000000, 10000000, 100000000]::bigint[])`
  // For filtering and sorting by the last occurrence. Changes hourly at most. Same bounds as `GroupSort.hourOf`.
  yield* sql`
    CREATE FUNCTION errata.hour_of(moment timestamptz) RETURNS timestamptz
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN date_bin(
      INTERVAL '1 hour',
      least(greatest(moment, TIMESTAMPTZ '2000-01-01 00:00:00+00'), TIMESTAMPTZ '2119-08-15 15:00:00+00'),
      TIMESTAMPTZ '2000-01-01 00:00:00+00'
    )`

  // Columns that change with every report have no index, so that PostgreSQL can do HOT updates. For filters on them, a
  // coarse form that rarely changes is indexed, and the exact column is checked in addition.
  yield* sql`
    CREATE TABLE errata.groups (
      id bigint GENERATED ALWAYS AS IDENTITY,
      project_id bigint NOT NULL,
      grouping_algorithm text NOT NULL,
      grouping_key text NOT NULL,
      error_type text NOT NULL,
      error_message text NOT NULL,
      culprit text NOT NULL,
      search tsvector NOT NULL,
      severity smallint NOT NULL,
      first_occurred_at timestamptz NOT NULL,
      last_occurred_at timestamptz NOT NULL,
      last_occurred_hour timestamptz GENERATED ALWAYS AS (errata.hour_of(last_occurred_at)) STORED,
      reports_count bigint NOT NULL,
      reports_bucket integer GENERATED ALWAYS AS (errata.reports_bucket(reports_count)) STORED,
      -- With those of the groups that it stands for; see internal/GroupUsers.ts.
      users_count bigint NOT NULL DEFAULT 0,
      users_bucket integer GENERATED ALWAYS AS (errata.reports_bucket(users_count)) STORED,
      notes_count integer NOT NULL DEFAULT 0,
      resolved_at timestamptz,
      resolver_id bigint,
      -- The version that has the fix, or 'next'; see core's group/FixedIn.ts.
      resolved_in_release text,
      reopened_at timestamptz,
      muted_at timestamptz,
      muter_id bigint,
      muted_until timestamptz,
      muted_until_reports_count bigint,
      -- 'next'
      muted_until_release text,
      project_muted_at timestamptz,
      project_muter_id bigint,
      project_muted_until timestamptz,
      assignee_id bigint,
      issue_url text,
      -- The group that stands for it now, which is none that is merged itself.
      merged_into_id bigint,
      -- Whether it stands for others. Says nothing of a group that is merged itself.
      has_members boolean NOT NULL DEFAULT false,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL,
      PRIMARY KEY (project_id, id)
    ) WITH (fillfactor = 80)`

  // Members of a root. Empty, and free, as long as no groups are merged.
  yield* sql`
    CREATE INDEX groups_merged_into ON errata.groups (project_id, merged_into_id, id)
    WHERE merged_into_id IS NOT NULL`
  // Roots and members in list order. Finds roots that match only by a member's tag with an index-only scan.
  yield* sql`
    CREATE INDEX groups_trees ON errata.groups (project_id, id) INCLUDE (merged_into_id, has_members)
    WHERE merged_into_id IS NOT NULL OR has_members`
  // Text search in the list of groups.
  yield* sql`CREATE INDEX groups_search ON errata.groups USING gin (search)`
  // Removal of expired mutes.
  yield* sql`
    CREATE INDEX groups_muted_until ON errata.groups (least(muted_until, project_muted_until))
    WHERE muted_until IS NOT NULL OR project_muted_until IS NOT NULL`

  // Filters of the group list, in list order, so that a page is the start of an index. Of each complementary pair, one
  // index is small if a team resolves (or mutes) nearly all groups or nearly none.
  yield* sql`
    CREATE INDEX groups_resolved ON errata.groups (project_id, id)
    WHERE resolved_at IS NOT NULL AND merged_into_id IS NULL`
  yield* sql`
    CREATE INDEX groups_unresolved ON errata.groups (project_id, id)
    WHERE resolved_at IS NULL AND merged_into_id IS NULL`
  yield* sql`
    CREATE INDEX groups_reopened ON errata.groups (project_id, id)
    WHERE reopened_at IS NOT NULL AND merged_into_id IS NULL`
  yield* sql`
    CREATE INDEX groups_muted ON errata.groups (project_id, id)
    WHERE (muted_at IS NOT NULL OR project_muted_at IS NOT NULL) AND merged_into_id IS NULL`
  yield* sql`
    CREATE INDEX groups_unmuted ON errata.groups (project_id, id)
    WHERE muted_at IS NULL AND project_muted_at IS NULL AND merged_into_id IS NULL`
  yield* sql`
    CREATE INDEX groups_severity ON errata.groups (project_id, severity, id) WHERE merged_into_id IS NULL`
  // Assignee, or 0.
  yield* sql`
    CREATE INDEX groups_assignee ON errata.groups (project_id, coalesce(assignee_id, 0), id)
    WHERE merged_into_id IS NULL`
  // Hashed, because error types can exceed the size limit of index entries.
  yield* sql`
    CREATE INDEX groups_error_type ON errata.groups (project_id, md5(error_type), id) WHERE merged_into_id IS NULL`
  // The next three serve narrow ranges, and sorted lists.
  yield* sql`
    CREATE INDEX groups_reports ON errata.groups (project_id, reports_bucket, id) WHERE merged_into_id IS NULL`
  yield* sql`
    CREATE INDEX groups_users ON errata.groups (project_id, users_bucket, id) WHERE merged_into_id IS NULL`
  yield* sql`
    CREATE INDEX groups_last_occurred ON errata.groups (project_id, last_occurred_hour, id)
    WHERE merged_into_id IS NULL`

  // Groups of a digest: created or resolved since the last one. Both times rarely change.
  yield* sql`
    CREATE INDEX groups_created ON errata.groups (project_id, created_at, id) WHERE merged_into_id IS NULL`
  yield* sql`
    CREATE INDEX groups_resolved_at ON errata.groups (project_id, resolved_at, id)
    WHERE resolved_at IS NOT NULL AND merged_into_id IS NULL`

  // Phrase search; see internal/GroupFilterSql.ts. Hashed, because two words can exceed the size limit of index
  // entries. Words contain no spaces.
  yield* sql`
    CREATE FUNCTION errata.neighbors(word text, next text) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN hashtextextended(word || ' ' || next, 0)`
  // All pairs of adjacent words. The cost keeps the planner from evaluating it group by group.
  yield* sql`
    CREATE FUNCTION errata.neighbors(search tsvector) RETURNS bigint[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
    RETURN (
      WITH words AS (
        SELECT lexeme, position FROM unnest(search) CROSS JOIN LATERAL unnest(positions) AS position
      )
      SELECT coalesce(array_agg(DISTINCT errata.neighbors(word.lexeme, next.lexeme)), '{}')
      FROM words AS word JOIN words AS next ON next.position = word.position + 1
    )`
  // Without it, a phrase of frequent words would be checked on every group that has them all.
  yield* sql`CREATE INDEX groups_neighbors ON errata.groups USING gin (errata.neighbors(search))`

  // The grouping evidence is the largest part of a group and only shown with a single group. In its own table, lists do
  // not read it and reports do not rewrite it.
  yield* sql`
    CREATE TABLE errata.group_evidence (
      project_id bigint NOT NULL,
      group_id bigint NOT NULL,
      data json NOT NULL,
      -- The release of the first report; empty where that has none.
      first_release text NOT NULL,
      PRIMARY KEY (project_id, group_id)
    )`

  // Keys found later, when frames are mapped, are aliases that lead to the group that the reports are in.
  yield* sql`
    CREATE TABLE errata.grouping_keys (
      project_id bigint NOT NULL,
      algorithm text COLLATE "C" NOT NULL,
      key text COLLATE "C" NOT NULL,
      group_id bigint NOT NULL,
      is_alias boolean NOT NULL DEFAULT false,
      PRIMARY KEY (project_id, algorithm, key)
    )`
  // Deletes the aliases of a group.
  yield* sql`
    CREATE INDEX grouping_keys_alias ON errata.grouping_keys (project_id, group_id) WHERE is_alias`
  // Groups whose reports were later found to have another group's key. Each pair is announced once.
  yield* sql`
    CREATE TABLE errata.group_twins (
      project_id bigint NOT NULL,
      group_id bigint NOT NULL,
      twin_id bigint NOT NULL,
      PRIMARY KEY (project_id, group_id, twin_id)
    )`

  // The tree of merges. Unmerging deletes a row.
  yield* sql`
    CREATE TABLE errata.group_merges (
      id bigint GENERATED ALWAYS AS IDENTITY,
      project_id bigint NOT NULL,
      source_id bigint NOT NULL,
      target_id bigint NOT NULL,
      merged_at timestamptz NOT NULL,
      merged_by bigint,
      PRIMARY KEY (project_id, id),
      UNIQUE (project_id, source_id)
    )`
  // Merges into a group.
  yield* sql`CREATE INDEX group_merges_target ON errata.group_merges (project_id, target_id)`

  // Figures of the own reports of merged groups and their roots. Other groups have theirs in their rows.
  yield* sql`
    CREATE TABLE errata.group_parts (
      project_id bigint NOT NULL,
      group_id bigint NOT NULL,
      severity smallint NOT NULL,
      first_occurred_at timestamptz NOT NULL,
      last_occurred_at timestamptz NOT NULL,
      reports_count bigint NOT NULL,
      PRIMARY KEY (project_id, group_id)
    ) WITH (fillfactor = 80)`

  // Discarded groups, until their reports are deleted.
  yield* sql`
    CREATE TABLE errata.discarded_groups (
      project_id bigint NOT NULL,
      group_id bigint NOT NULL,
      discarded_at timestamptz NOT NULL,
      PRIMARY KEY (project_id, group_id)
    )`
  // The last discarded group of each grouping key, for a note on the next one.
  yield* sql`
    CREATE TABLE errata.discarded_keys (
      project_id bigint NOT NULL,
      algorithm text COLLATE "C" NOT NULL,
      key text COLLATE "C" NOT NULL,
      group_id bigint NOT NULL,
      reports_count bigint NOT NULL,
      discarded_by bigint,
      discarded_at timestamptz NOT NULL,
      PRIMARY KEY (project_id, algorithm, key)
    )`

  // The users of a group's own reports. A root has a second sketch, with a negative id, for its whole tree. With more
  // than a thousand users, a sketch keeps the smallest hashes; see internal/GroupUsers.ts.
  yield* sql`
    CREATE TABLE errata.group_users (
      project_id bigint NOT NULL,
      sketch bigint NOT NULL,
      hash bigint NOT NULL,
      PRIMARY KEY (project_id, sketch, hash)
    )`
  // Bounds of incomplete sketches.
  yield* sql`
    CREATE TABLE errata.group_user_bounds (
      project_id bigint NOT NULL,
      sketch bigint NOT NULL,
      -- The sketch has all hashes below this.
      below bigint NOT NULL,
      kept integer NOT NULL,
      PRIMARY KEY (project_id, sketch)
    ) WITH (fillfactor = 80)`

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
  // Lookup of a note by its id alone.
  yield* sql`CREATE INDEX notes_id ON errata.notes (project_id, id)`
  // Latest notes of a project.
  yield* sql`CREATE INDEX notes_created ON errata.notes (project_id, created_at, id)`
})
