import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** Who does which background work, and what is to be announced to webhooks. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // A handful of rows, of no project.
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

  yield* sql`
    CREATE TABLE errata.group_events (
      id bigint GENERATED ALWAYS AS IDENTITY,
      project_id bigint NOT NULL,
      group_id bigint NOT NULL,
      -- As webhooks subscribe to it.
      event text NOT NULL,
      occurred_at timestamptz NOT NULL,
      -- JSON; see GroupEventDocument.ts.
      document text NOT NULL,
      -- How often it was leased; who has another number has lost it.
      attempts integer NOT NULL DEFAULT 0,
      leased_until timestamptz,
      PRIMARY KEY (project_id, id)
    ) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000)`
  // What is to be announced first.
  yield* sql`CREATE INDEX group_events_order ON errata.group_events (id)`
  // Whether an earlier event of the group is still to be settled.
  yield* sql`CREATE INDEX group_events_group ON errata.group_events (project_id, group_id, id)`
  // What is held: little, however much waits. Leases write it anew, which for what is announced is seldom enough.
  yield* sql`
    CREATE INDEX group_events_leased ON errata.group_events (leased_until) WHERE leased_until IS NOT NULL`
})
