import { RateLimitStore, sharesLeft } from "@errata/core/ports"
import { Duration, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { byIndex } from "./internal/ByIndex.js"
import { named } from "./internal/PgStorageError.js"
import { interval } from "./internal/PgTime.js"
import * as Rows from "./internal/Rows.js"
import { float8, int4, int8 } from "./internal/SqlType.js"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  return RateLimitStore.of({
    take: (key, limit, window) =>
      sql`
        INSERT INTO errata.throttles AS t (key, taken, ends_at)
        VALUES (${key}, 1, errata.now() + ${interval(window)}::interval)
        ON CONFLICT (key) DO UPDATE SET
          taken = CASE WHEN t.ends_at <= errata.now() THEN 1 ELSE least(t.taken, ${limit}::integer) + 1 END,
          ends_at = CASE WHEN t.ends_at <= errata.now() THEN excluded.ends_at ELSE t.ends_at END
        RETURNING taken, (extract(epoch FROM ends_at - errata.now()) * 1000)::float8 AS millis`.pipe(
        Effect.map(([row]) => {
          const { millis, taken } = turnRows.read(row!)
          return { allowed: taken <= limit, after: Duration.millis(Math.max(0, millis)) }
        }),
        named("RateLimitStore.take"),
      ),

    reset: (key) =>
      sql`DELETE FROM errata.throttles WHERE key = ${key}`.pipe(Effect.asVoid, named("RateLimitStore.reset")),

    expire: (limit) =>
      sql`
        DELETE FROM errata.throttles WHERE key IN (
          SELECT key FROM errata.throttles WHERE ends_at <= errata.now()
          ORDER BY ends_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
        ) RETURNING 1`.pipe(
        Effect.map((rows) => rows.length),
        byIndex(sql),
        named("RateLimitStore.expire"),
      ),

    // One statement reads and changes the row. After waiting for another node, PostgreSQL recomputes it from the new
    // row, which may already belong to a later minute than the statement's.
    draw: ({ limit, needed, returned, wanted }) =>
      sql`/* prepared */
        UPDATE errata.rate_window AS w
        SET (minute, drawn, granted) = (
          SELECT m.minute, b.drawn + g.granted, g.granted
          FROM (
            SELECT CASE WHEN w.minute = c.minute + interval '1 minute' THEN w.minute ELSE c.minute END AS minute
            FROM (SELECT date_trunc('minute', errata.now()) AS minute) AS c
          ) AS m
          CROSS JOIN LATERAL (
            SELECT CASE WHEN w.minute <> m.minute THEN 0
              WHEN w.minute = to_timestamp(${returned.minute}::bigint / 1000)
                THEN greatest(0, w.drawn - ${returned.errors}::bigint)
              ELSE w.drawn END AS drawn
          ) AS b
          CROSS JOIN LATERAL (SELECT greatest(0, ${limit}::bigint - b.drawn) AS remaining) AS r
          CROSS JOIN LATERAL (
            SELECT least(r.remaining, greatest(${needed}::bigint,
              least(${wanted}::bigint, (r.remaining + ${sharesLeft - 1}::bigint) / ${sharesLeft}::bigint))) AS granted
          ) AS g
        )
        -- The commit does not wait for the disk, because the other nodes would wait for the row in the meantime.
        FROM (SELECT set_config('synchronous_commit', 'off', true)) AS relaxed
        RETURNING (extract(epoch FROM w.minute) * 1000)::bigint AS minute, w.granted,
          greatest(0, ${limit}::bigint - w.drawn) AS remaining,
          ceil(extract(epoch FROM w.minute + interval '1 minute' - errata.now()) * 1000)::bigint AS ends_in`.pipe(
        Effect.map(([row]) => grantRows.read(row!)),
        named("RateLimitStore.draw"),
      ),
  })
})

export const layer = Layer.effect(RateLimitStore, make)

// internal

const turnRows = Rows.make({ taken: int4(), millis: float8 })
const grantRows = Rows.make({ minute: int8(), granted: int8(), remaining: int8(), endsIn: int8() })
