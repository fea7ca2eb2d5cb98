/** Report counts over time; see PostgresActivityStore.ts and internal/ActivityCounts.ts. */

import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const activity = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Only minutes with reports, kept for two days. Rows of the project itself have group 0.
  yield* sql`
    CREATE TABLE errata.activity_minutes (
      project_id bigint NOT NULL,
      group_id bigint NOT NULL,
      -- Since 1970, UTC.
      minute integer NOT NULL,
      new_groups integer NOT NULL,
      reports bigint NOT NULL,
      PRIMARY KEY (project_id, group_id, minute)
    ) WITH (fillfactor = 80)`
  // Removal of old minutes.
  yield* sql`CREATE INDEX activity_minutes_time ON errata.activity_minutes (project_id, minute)`

  yield* sql`
    CREATE TABLE errata.activity_hours (
      project_id bigint NOT NULL,
      group_id bigint NOT NULL,
      -- Since 1970, UTC. The first hour of a day counts for all of it once the day is old.
      hour integer NOT NULL,
      new_groups integer NOT NULL,
      reports bigint NOT NULL,
      PRIMARY KEY (project_id, group_id, hour)
    ) WITH (fillfactor = 80)`
  // Rolling hours up into days, and removing days. Two indexes, so that a run does not reread earlier days.
  yield* sql`
    CREATE INDEX activity_hours_hours ON errata.activity_hours (project_id, hour) WHERE hour % 24 <> 0`
  yield* sql`
    CREATE INDEX activity_hours_days ON errata.activity_hours (project_id, hour) WHERE hour % 24 = 0`
})
