/**
 * Finds the buckets with work in a queue, by one statement for each server instead of one for each bucket. Most polls find no
 * work.
 */

import type { StorageError } from "@errata/core"
import { DateTime, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import * as Distribution from "./Distribution.js"
import { named } from "./PgStorageError.js"
import * as Rows from "./Rows.js"
import { integers } from "./SqlType.js"

/** Condition of work that a lease may take. Another lease may have locked it. */
const isFree = (until: string) => `(${until} IS NULL OR ${until} <= errata.now())`
const expired = "least(muted_until, project_muted_until)"
const due = {
  batches: ["pending_batches", `NOT suspect AND ${isFree("claimed_until")}`],
  suspects: ["pending_batches", `suspect AND ${isFree("claimed_until")}`],
  events: ["group_events", isFree("leased_until")],
  consumerEvents: ["consumer_events", isFree("leased_until")],
  deliveries: ["deliveries", "status = 'pending' AND due_at <= errata.now()"],
  sourcemaps: ["sourcemap_queue", `${isFree("leased_until")} AND ${isFree("due_at")}`],
  mutes: [
    "groups",
    `(muted_until IS NOT NULL OR project_muted_until IS NOT NULL) AND ${expired} <= errata.now() AND merged_into_id IS NULL`,
  ],
} as const

export type Queue = keyof typeof due

/** Finds the buckets with work that is due now, or at another time. */
export type BusyBuckets = (
  queue: Queue,
  at?: DateTime.Utc,
) => Effect.Effect<ReadonlySet<number>, StorageError>

export const make = (sql: SqlClient.SqlClient): BusyBuckets => {
  const places = Distribution.places(sql)
  return (queue, at) =>
    Effect.gen(function* () {
      const [table, whenDue] = due[queue]
      const condition =
        at === undefined
          ? whenDue
          : whenDue.replaceAll("errata.now()", `'${DateTime.formatIso(at)}'::timestamptz`)
      const busy = new Set<number>()
      for (const on of yield* places) {
        const [row] = yield* on(sql`
          SELECT errata.buckets_with('${sql.literal(table)}', '${sql.literal(condition.replaceAll("'", "''"))}') AS buckets
          FROM errata.here`)
        for (const bucket of bucketRows.read(row!).buckets) busy.add(bucket)
      }
      return busy
    }).pipe(named("BusyBuckets"))
}

// internal

const bucketRows = Rows.make({ buckets: integers() })
