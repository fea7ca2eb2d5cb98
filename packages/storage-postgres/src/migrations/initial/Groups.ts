/** Groups, what leads to them, and what is counted and written down of them. */

import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const groups = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Functions that are not strict become part of the statement that calls them: a call would cost many times as much.
  // Filters and order by the number of reports; the steps are those of `GroupSort.magnitudeOf`. Changes with a group's 2nd, 5th, 10th, 20th, ... report.
  yield* sql`
    CREATE FUNCTION errata.reports_bucket(reports_count bigint) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN width_bucket(reports_count, ARRAY[2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000,
      100000, 200000, 500000, 1000000, 10000000, 100000000]::bigint[])`
  // Filters and order by the last occurrence. Changes once an hour at most. Its bounds are those of `GroupSort.hourOf`.
  yield* sql`
    CREATE FUNCTION errata.hour_of(moment timestamptz) RETURNS timestamptz
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN date_bin(
      INTERVAL '1 hour',
      least(greatest(moment, TIMESTAMPTZ '2000-01-01 00:00:00+00'), TIMESTAMPTZ '2119-08-15 15:00:00+00'),
      TIMESTAMPTZ '2000-01-01 00:00:00+00'
    )`

  // No index on what every report changes (times, counts): updates stay within their page. Where a filter is on such a
  // column, a coarse form of it is indexed that changes now and then only, and the column itself is checked besides.
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

  // The groups that a root stands for. Where nothing is merged it is empty, and costs nobody anything.
  yield* sql`
    CREATE INDEX groups_merged_into ON errata.groups (project_id, merged_into_id, id)
    WHERE merged_into_id IS NOT NULL`
  // Roots and what they stand for, in the order of the list: who has a tag only by others is told without reading groups.
  yield* sql`
    CREATE INDEX groups_trees ON errata.groups (project_id, id) INCLUDE (merged_into_id, has_members)
    WHERE merged_into_id IS NOT NULL OR has_members`
  // Free text in the list of groups.
  yield* sql`CREATE INDEX groups_search ON errata.groups USING gin (search)`
  // The sweep of mutes that have run out.
  yield* sql`
    CREATE INDEX groups_muted_until ON errata.groups (least(muted_until, project_muted_until))
    WHERE muted_until IS NOT NULL OR project_muted_until IS NOT NULL`

  // What lists of groups are filtered by, each in the order of the list, so that a page is the first entries and no
  // more. Of each pair one is small for whoever resolves, or mutes, nearly all groups or nearly none.
  yield* sql`
    CREATE INDEX groups_resolved ON errata.groups (project_id, id)
    WHERE resolved_at IS NOT NULL AND merged_into_id IS NULL`
  yield* sql`
    CREATE INDEX groups_unresolved ON errata.groups (project_id, id)
    WHERE resolved_at IS NULL AND merged_into_id IS NULL`
  yield* sql`
    CREATE INDEX groups_muted ON errata.groups (project_id, id)
    WHERE (muted_at IS NOT NULL OR project_muted_at IS NOT NULL) AND merged_into_id IS NULL`
  yield* sql`
    CREATE INDEX groups_unmuted ON errata.groups (project_id, id)
    WHERE muted_at IS NULL AND project_muted_at IS NULL AND merged_into_id IS NULL`
  yield* sql`
    CREATE INDEX groups_severity ON errata.groups (project_id, severity, id) WHERE merged_into_id IS NULL`
  // By who it is assigned to, or 0.
  yield* sql`
    CREATE INDEX groups_assignee ON errata.groups (project_id, coalesce(assignee_id, 0), id)
    WHERE merged_into_id IS NULL`
  // A hash, because types can be longer than an index entry may be.
  yield* sql`
    CREATE INDEX groups_error_type ON errata.groups (project_id, md5(error_type), id) WHERE merged_into_id IS NULL`
  // These three serve ranges that few groups are in, and lists that are sorted by them.
  yield* sql`
    CREATE INDEX groups_reports ON errata.groups (project_id, reports_bucket, id) WHERE merged_into_id IS NULL`
  yield* sql`
    CREATE INDEX groups_users ON errata.groups (project_id, users_bucket, id) WHERE merged_into_id IS NULL`
  yield* sql`
    CREATE INDEX groups_last_occurred ON errata.groups (project_id, last_occurred_hour, id)
    WHERE merged_into_id IS NULL`

  // The groups of a digest: created, or resolved, since the last one. Both times change seldom or never.
  yield* sql`
    CREATE INDEX groups_created ON errata.groups (project_id, created_at, id) WHERE merged_into_id IS NULL`
  yield* sql`
    CREATE INDEX groups_resolved_at ON errata.groups (project_id, resolved_at, id)
    WHERE resolved_at IS NOT NULL AND merged_into_id IS NULL`

  // What phrases are found by; see internal/GroupFilterSql.ts. A hash: two words can be longer than an index entry may
  // be. Words have no spaces.
  yield* sql`
    CREATE FUNCTION errata.neighbors(word text, next text) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN hashtextextended(word || ' ' || next, 0)`
  // Of all words that stand next to one another. The cost keeps the planner from asking for it group after group.
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
  // Without it a phrase of frequent words is looked for in every group that has all of them.
  yield* sql`CREATE INDEX groups_neighbors ON errata.groups USING gin (errata.neighbors(search))`

  // What made a group a group is most of what there is of it, and is shown with that one group alone. Apart from the
  // rest it is neither read by lists nor written again with every report.
  yield* sql`
    CREATE TABLE errata.group_evidence (
      project_id bigint NOT NULL,
      group_id bigint NOT NULL,
      data json NOT NULL,
      -- The release of the first report; empty where that has none.
      first_release text NOT NULL,
      PRIMARY KEY (project_id, group_id)
    )`

  // The keys that reports are found to have later, when their frames are mapped, lead to the group that they are in.
  yield* sql`
    CREATE TABLE errata.grouping_keys (
      project_id bigint NOT NULL,
      algorithm text COLLATE "C" NOT NULL,
      key text COLLATE "C" NOT NULL,
      group_id bigint NOT NULL,
      is_alias boolean NOT NULL DEFAULT false,
      PRIMARY KEY (project_id, algorithm, key)
    )`
  // Removing the aliases of a group.
  yield* sql`
    CREATE INDEX grouping_keys_alias ON errata.grouping_keys (project_id, group_id) WHERE is_alias`
  // Groups whose reports were found later to have the key of another group: it is told once.
  yield* sql`
    CREATE TABLE errata.group_twins (
      project_id bigint NOT NULL,
      group_id bigint NOT NULL,
      twin_id bigint NOT NULL,
      PRIMARY KEY (project_id, group_id, twin_id)
    )`

  // The tree of merges as they were made; a merge that is undone is deleted.
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
  // What was merged into a group.
  yield* sql`CREATE INDEX group_merges_target ON errata.group_merges (project_id, target_id)`

  // What the own reports of a group add up to, for groups that are merged or stand for others. The figures of groups
  // that stand alone are in their rows.
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

  // The users of a group's own reports, and in one more sketch, with its id below zero, those of all groups that a root
  // stands for. Of more than a thousand those with the smallest hashes; see internal/GroupUsers.ts.
  yield* sql`
    CREATE TABLE errata.group_users (
      project_id bigint NOT NULL,
      sketch bigint NOT NULL,
      hash bigint NOT NULL,
      PRIMARY KEY (project_id, sketch, hash)
    )`
  // Of sketches that do not have all users.
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
  // A note of which only its own id is known.
  yield* sql`CREATE INDEX notes_id ON errata.notes (project_id, id)`
  // The latest notes of a project.
  yield* sql`CREATE INDEX notes_created ON errata.notes (project_id, created_at, id)`
})
