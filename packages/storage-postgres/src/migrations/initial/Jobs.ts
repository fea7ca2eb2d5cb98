/** Background jobs and the nodes that run them. */

import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const jobs = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // A few rows, without a project.
  yield* sql`
    CREATE TABLE errata.jobs (
      name text COLLATE "C" PRIMARY KEY,
      -- Who runs it, or ran it last.
      node text NOT NULL,
      -- Null where nobody runs it.
      leased_until timestamptz,
      due_at timestamptz NOT NULL DEFAULT errata.now(),
      heartbeat_at timestamptz NOT NULL DEFAULT errata.now(),
      started_at timestamptz NOT NULL DEFAULT errata.now(),
      succeeded_at timestamptz,
      failed_at timestamptz,
      -- What kind of failure the last one was.
      failure text
    ) WITH (fillfactor = 50)`
})
