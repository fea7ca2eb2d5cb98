import { ThrottleStore } from "@errata/core/ports"
import { Duration, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { byIndex } from "./internal/ByIndex.js"
import { named } from "./internal/PgStorageError.js"
import { interval } from "./internal/PgTime.js"
import * as Rows from "./internal/Rows.js"
import { float8, int4 } from "./internal/SqlType.js"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  return ThrottleStore.of({
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
        named("ThrottleStore.take"),
      ),

    reset: (key) =>
      sql`DELETE FROM errata.throttles WHERE key = ${key}`.pipe(Effect.asVoid, named("ThrottleStore.reset")),

    expire: (limit) =>
      sql`
        DELETE FROM errata.throttles WHERE key IN (
          SELECT key FROM errata.throttles WHERE ends_at <= errata.now()
          ORDER BY ends_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
        ) RETURNING 1`.pipe(
        Effect.map((rows) => rows.length),
        byIndex(sql),
        named("ThrottleStore.expire"),
      ),
  })
})

export const layer = Layer.effect(ThrottleStore, make)

// internal

const turnRows = Rows.make({ taken: int4(), millis: float8 })
