import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** How far the mute of a project has been handed on to its groups, so that whoever finds it unfinished goes on. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    ALTER TABLE errata.projects
      -- Groups with ids above the one, up to the other, have yet to take over the mute. Null where none has.
      ADD COLUMN mute_after bigint,
      ADD COLUMN mute_last bigint`
  yield* sql`CREATE INDEX projects_unfinished_mutes ON errata.projects (id) WHERE mute_last IS NOT NULL`
})
