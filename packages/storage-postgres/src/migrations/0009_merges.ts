import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** Merges move nothing: see `internal/GroupMerges.ts`. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    ALTER TABLE errata.groups
      -- Whether it stands for others. Says nothing of a group that is merged itself.
      ADD COLUMN has_members boolean NOT NULL DEFAULT false`
  // The groups that a root stands for. Where nothing is merged it is empty, and costs nobody anything.
  yield* sql`
    CREATE INDEX groups_merged_into ON errata.groups (project_id, merged_into_id) WHERE merged_into_id IS NOT NULL`

  // The tree of merges as they were made; a merge that is undone is deleted.
  yield* sql`DROP TABLE errata.group_merges`
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

  yield* sql`ALTER TABLE errata.reports DROP COLUMN origin_group_id`
  yield* sql`ALTER TABLE errata.notes DROP COLUMN origin_group_id`
})
