/** The error budget per minute, in SQLite. */
import { grantOf, type RateWindow } from "@errata/core/ports"
import type { Sqlite } from "./Sqlite.js"

export const schema = `CREATE TABLE IF NOT EXISTS rate_window (
  only INTEGER PRIMARY KEY CHECK (only = 1), minute INTEGER NOT NULL, drawn INTEGER NOT NULL
) STRICT;`

export const make = ({ transaction }: Sqlite): RateWindow["Service"] => ({
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
