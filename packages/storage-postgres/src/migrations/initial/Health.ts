/** The table of write checks. */

import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const health = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // At most 16 rows, without a project: nodes that check at the same time rarely wait for each other.
  yield* sql`
    CREATE TABLE errata.health_writes (
      stripe integer PRIMARY KEY,
      written_at timestamptz NOT NULL
    ) WITH (fillfactor = 50)`
})
