/** Counts of attempts, and the error budget per minute, in SQLite. */
import { grantOf, type RateLimitStore } from "@errata/core/ports"
import { Duration } from "effect"
import type { Sqlite } from "./Sqlite.js"

export const schema = `CREATE TABLE IF NOT EXISTS throttles (
  key TEXT PRIMARY KEY, taken INTEGER NOT NULL, ends_at INTEGER NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS rate_window (
  only INTEGER PRIMARY KEY CHECK (only = 1), minute INTEGER NOT NULL, drawn INTEGER NOT NULL
) STRICT;`

export const make = ({ transaction }: Sqlite): RateLimitStore["Service"] => ({
  take: (key, limit, window) =>
    transaction("take a turn", (query, now) => {
      const [row] = query(
        `INSERT INTO throttles VALUES ($key, 1, $ends)
         ON CONFLICT (key) DO UPDATE SET
           taken = CASE WHEN ends_at <= $now THEN 1 ELSE min(taken, $limit) + 1 END,
           ends_at = CASE WHEN ends_at <= $now THEN $ends ELSE ends_at END
         RETURNING taken, ends_at`,
        { key, limit, now, ends: now + Duration.toMillis(window) },
      )
      return {
        allowed: Number(row!["taken"]) <= limit,
        after: Duration.millis(Number(row!["ends_at"]) - now),
      }
    }),

  reset: (key) =>
    transaction("reset a count", (query) => {
      query("DELETE FROM throttles WHERE key = $key", { key })
    }),

  expire: (limit) =>
    transaction(
      "expire counts",
      (query, now) =>
        query(
          `DELETE FROM throttles WHERE key IN (SELECT key FROM throttles WHERE ends_at <= $now LIMIT $limit)
           RETURNING key`,
          { now, limit },
        ).length,
    ),

  draw: (request) =>
    transaction("draw", (query, now) => {
      const minute = now - (now % minuteMillis)
      const [row] = query("SELECT drawn FROM rate_window WHERE minute = $minute", { minute })
      const returned = request.returned.minute === minute ? request.returned.errors : 0
      const drawn = Math.max(0, Number(row?.["drawn"] ?? 0) - returned)
      const remaining = Math.max(0, request.limit - drawn)
      const granted = grantOf(remaining, request)
      query("INSERT OR REPLACE INTO rate_window VALUES (1, $minute, $drawn)", {
        minute,
        drawn: drawn + granted,
      })
      return { minute, granted, remaining: remaining - granted, endsIn: minute + minuteMillis - now }
    }),
})

// internal

const minuteMillis = 60_000
