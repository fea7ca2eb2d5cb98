import { type IngestStatistic, IngestStatistics } from "@errata/core/ports"
import { DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { named } from "./internal/PgStorageError.js"
import { toDate } from "./internal/PgTime.js"
import * as Rows from "./internal/Rows.js"
import { int8, text } from "./internal/SqlType.js"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return IngestStatistics.of({
    // Skips old rows that another transaction is deleting, so that recorders do not wait for each other.
    add: (counts, now) => {
      const added = Object.entries(counts).filter(([, count]) => count > 0)
      if (added.length === 0) return Effect.void
      const kinds = added.map(([kind]) => kind)
      const numbers = added.map(([, count]) => count)
      return sql`
        WITH forgotten AS (
          DELETE FROM errata.ingest_statistics WHERE ctid = ANY (ARRAY(
            SELECT ctid FROM errata.ingest_statistics
            WHERE minute <= date_trunc('minute', ${toDate(now)}::timestamptz) - interval '2 hours'
            FOR UPDATE SKIP LOCKED
          ))
        )
        INSERT INTO errata.ingest_statistics AS s (minute, kind, stripe, count)
        SELECT date_trunc('minute', ${toDate(now)}::timestamptz), c.kind, pg_backend_pid() % 16, c.count
        FROM unnest(${kinds}::text[], ${numbers}::bigint[]) AS c (kind, count)
        -- In one order, so that no two wait for each other.
        ORDER BY c.kind
        ON CONFLICT (minute, kind, stripe) DO UPDATE SET count = s.count + excluded.count`.pipe(
        Effect.asVoid,
        named("IngestStatistics.add"),
      )
    },

    recent: (since) =>
      sql`
        SELECT ${sql.literal(countColumns)} FROM errata.ingest_statistics
        WHERE minute >= ${toDate(DateTime.startOf(since, "minute"))} GROUP BY kind`.pipe(
        Effect.map((found) => {
          const rows = found.map(countRows.read)
          const of = (kind: IngestStatistic) => rows.find((row) => row.kind === kind)?.count ?? 0
          return {
            rejectedByDisk: of("rejectedByDisk"),
            rejectedByQueue: of("rejectedByQueue"),
            rejectedByRate: of("rejectedByRate"),
            truncated: of("truncated"),
          }
        }),
        named("IngestStatistics.recent"),
      ),
  })
})

export const layer = Layer.effect(IngestStatistics, make)

// internal

const countRows = Rows.make({ kind: text<IngestStatistic>(), count: int8() })
const countColumns = countRows.select(undefined, { count: "sum(count)" })
