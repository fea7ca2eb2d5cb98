/** The rate budget for accepted errors that all nodes share. */

import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const protection = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // A single row that nodes update a few times per second. A wait lasts as long as one such statement.
  yield* sql`
    CREATE TABLE errata.rate_window (
      is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
      minute timestamptz NOT NULL,
      -- Of the minute's budget.
      drawn bigint NOT NULL,
      -- By the last statement, for its own answer.
      granted bigint NOT NULL
    ) WITH (fillfactor = 50)`
  yield* sql`INSERT INTO errata.rate_window (minute, drawn, granted) VALUES ('epoch', 0, 0)`
})
