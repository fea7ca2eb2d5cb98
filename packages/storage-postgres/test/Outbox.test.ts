import { expect, it } from "@effect/vitest"
import { GroupEventStore, Storage, webhooksConsumer } from "@errata/core/ports"
import { Duration, Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as Node from "./support/node.js"

const waiting = 20_000

/** Leases a hundred events. Returns their number and the number of rows read by sequential scans. */
const lease = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const outbox = yield* GroupEventStore
  const { transaction } = yield* Storage
  return yield* transaction(
    Effect.gen(function* () {
      const leased = yield* outbox.lease({
        consumer: webhooksConsumer,
        limit: 100,
        duration: Duration.minutes(1),
      })
      const [row] = yield* sql<{ rows: number }>`
        SELECT seq_tup_read::integer AS rows FROM pg_stat_xact_user_tables
        WHERE schemaname = 'errata' AND relname = 'group_events'`
      return [leased.length, row!.rows]
    }),
  )
})

it.live("a lease does not read all pending events of one or many groups, leased or not", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    for (const groups of [1, 500]) {
      yield* sql`TRUNCATE errata.group_events`
      yield* sql`
        INSERT INTO errata.group_events (project_id, group_id, event, occurred_at, document)
        SELECT 1, i % ${groups}, 'group.created', now(), repeat('x', 600)
        FROM generate_series(1, ${waiting}::integer) AS i`
      yield* sql`ANALYZE errata.group_events`
      expect(yield* lease, `${groups} groups`).toEqual([100, 0])
      // With a single group, all others are blocked.
      expect(yield* lease, `${groups} groups, some held`).toEqual([groups === 1 ? 0 : 100, 0])
    }
  }).pipe(Effect.provide(Node.layer())),
)
