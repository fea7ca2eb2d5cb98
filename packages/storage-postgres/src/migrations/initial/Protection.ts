/** What the intake is protected by: the budget of accepted errors that all nodes share. */

import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const protection = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // One row, which nodes change a few times a second: the others wait for as long as one such statement takes.
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
