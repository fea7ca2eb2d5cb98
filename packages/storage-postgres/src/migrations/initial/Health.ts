/** What tells whether the database can be written. */

import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const health = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Sixteen rows at most, of no project: nodes that look at one time hardly wait for one another.
  yield* sql`
    CREATE TABLE errata.health_writes (
      stripe integer PRIMARY KEY,
      written_at timestamptz NOT NULL
    ) WITH (fillfactor = 50)`
})
