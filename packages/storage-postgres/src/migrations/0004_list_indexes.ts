import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * What lists of groups and reports are read by. None of these indexes is on what every report changes: updates of
 * groups still stay within their page. Where a filter is on such a column, a coarse form of it is indexed that changes
 * now and then only, and the column itself is checked besides.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // What made a group a group is most of what there is of it, and is shown with that one group alone. Apart from the
  // rest it is neither read by lists nor written again with every report.
  yield* sql`
    CREATE TABLE errata.group_evidence (
      project_id bigint NOT NULL,
      group_id bigint NOT NULL,
      data json NOT NULL,
      PRIMARY KEY (project_id, group_id)
    )`
  yield* sql`
    INSERT INTO errata.group_evidence (project_id, group_id, data)
    SELECT project_id, id, grouping_data FROM errata.groups ORDER BY project_id, id`
  yield* sql`ALTER TABLE errata.groups DROP COLUMN grouping_data`

  // Functions that are not strict become part of the statement that calls them: a call would cost many times as much.
  // Filters by the number of reports. Changes with a group's 2nd, 5th, 10th, 20th, ... report.
  yield* sql`
    CREATE FUNCTION errata.reports_bucket(reports_count bigint) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN width_bucket(reports_count, ARRAY[2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000,
      100000, 200000, 500000, 1000000, 10000000, 100000000]::bigint[])`
  // Filters by the last occurrence. Changes once an hour at most.
  yield* sql`
    CREATE FUNCTION errata.hour_of(moment timestamptz) RETURNS timestamptz
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN date_bin(INTERVAL '1 hour', moment, TIMESTAMPTZ '2000-01-01 00:00:00+00')`
  yield* sql`
    ALTER TABLE errata.groups
      ADD COLUMN reports_bucket integer GENERATED ALWAYS AS (errata.reports_bucket(reports_count)) STORED,
      ADD COLUMN last_occurred_hour timestamptz GENERATED ALWAYS AS (errata.hour_of(last_occurred_at)) STORED`

  // Each in the order of the list, so that a page is the first entries and no more. Of each pair one is small for
  // whoever resolves, or mutes, nearly all groups or nearly none.
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
  // These two are ranges: for what is rare, and sorted then.
  yield* sql`
    CREATE INDEX groups_reports ON errata.groups (project_id, reports_bucket, id) WHERE merged_into_id IS NULL`
  yield* sql`
    CREATE INDEX groups_last_occurred ON errata.groups (project_id, last_occurred_hour, id)
    WHERE merged_into_id IS NULL`

  // The list of a group's reports, in a range of time without a look at the reports outside of it; moving them in a
  // merge.
  yield* sql`DROP INDEX errata.reports_group`
  yield* sql`
    CREATE INDEX reports_group ON errata.reports (project_id, group_id, id) INCLUDE (occurred_at)`
  // Only what was vacuumed is read from an index alone, and nothing else than inserts would have reports vacuumed.
  yield* sql`ALTER TABLE errata.reports SET (autovacuum_vacuum_insert_scale_factor = 0.05)`
})
