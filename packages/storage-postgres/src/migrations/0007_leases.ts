import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** Leases by the database's clock, payloads that are tried one by one, and bounds to what is set aside. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // The one clock of all nodes. A function, so that tests can set it; not strict nor volatile, so that it becomes part
  // of the statement that calls it.
  yield* sql`
    CREATE FUNCTION errata.now() RETURNS timestamptz
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN statement_timestamp()`

  yield* sql`
    ALTER TABLE errata.pending_batches
      -- Whether its one payload may be what ends recorders.
      ADD COLUMN suspect boolean NOT NULL DEFAULT false`
  yield* sql`
    ALTER TABLE errata.set_aside_payloads
      -- Of the body.
      ADD COLUMN bytes integer NOT NULL DEFAULT 0`
  yield* sql`UPDATE errata.set_aside_payloads SET bytes = octet_length(body)`
  yield* sql`ALTER TABLE errata.set_aside_payloads ALTER COLUMN bytes DROP DEFAULT`
  // The bounds of a project; the removal of a project.
  yield* sql`CREATE INDEX set_aside_payloads_project ON errata.set_aside_payloads (project_id, id) INCLUDE (bytes)`
  // What is too old.
  yield* sql`CREATE INDEX set_aside_payloads_age ON errata.set_aside_payloads (set_aside_at)`
})
