/** Leases of background jobs in SQLite. */
import type { JobStore } from "@errata/core/ports"
import { DateTime, Duration } from "effect"
import type { Query, Row, Sqlite, Values } from "./Sqlite.js"

export const schema = `CREATE TABLE IF NOT EXISTS jobs (
  name TEXT PRIMARY KEY, node TEXT NOT NULL, leased_until INTEGER, due_at INTEGER NOT NULL,
  heartbeat_at INTEGER NOT NULL, started_at INTEGER NOT NULL, succeeded_at INTEGER, failed_at INTEGER, failure TEXT
) STRICT;`

export const make = ({ transaction }: Sqlite): JobStore["Service"] => ({
  acquire: (name, node, duration) =>
    transaction("acquire a job", (query, now) => {
      const [job] = know(query, name, node, now)
      const due = Number(job!["due_at"])
      const leased = job!["node"] === node ? 0 : Number(job!["leased_until"] ?? 0)
      if (due > now || leased > now) {
        return { _tag: "Later", after: Duration.millis(Math.max(due, leased) - now) }
      }
      set(query, name, {
        node,
        leased_until: now + Duration.toMillis(duration),
        started_at: now,
        heartbeat_at: now,
      })
      return { _tag: "Acquired" }
    }),

  renew: (name, node, duration) =>
    transaction("renew a lease", (query, now) => {
      if (!holds(query, name, node)) return false
      set(query, name, { leased_until: now + Duration.toMillis(duration), heartbeat_at: now })
      return true
    }),

  release: (name, node, outcome) =>
    transaction("release a job", (query, now) => {
      if (!holds(query, name, node)) return false
      set(query, name, {
        leased_until: null,
        heartbeat_at: now,
        ...(outcome._tag === "Interrupted" ? {} : { due_at: now + Duration.toMillis(outcome.next) }),
        ...(outcome._tag === "Succeeded" ? { succeeded_at: now } : {}),
        ...(outcome._tag === "Failed" ? { failed_at: now, failure: outcome.failure } : {}),
      })
      return true
    }),

  heartbeat: (name, node, next, outcome) =>
    transaction("record a heartbeat", (query, now) => {
      know(query, name, node, now)
      set(query, name, {
        node,
        heartbeat_at: now,
        due_at: now + Duration.toMillis(next),
        ...(outcome === "started"
          ? { started_at: now }
          : outcome === "succeeded"
            ? { succeeded_at: now }
            : { failed_at: now, failure: outcome.failure }),
      })
    }),

  list: transaction("list jobs", (query, now) => ({
    now: DateTime.makeUnsafe(now),
    jobs: query("SELECT * FROM jobs ORDER BY name").map(stateOf),
  })),
})

// internal

/** Creates the row of a job if it is new. A new job is due at once. */
const know = (query: Query, name: string, node: string, now: number) => {
  query(
    `INSERT INTO jobs (name, node, due_at, heartbeat_at, started_at) VALUES ($name, $node, $now, $now, $now)
     ON CONFLICT DO NOTHING`,
    { name, node, now },
  )
  return query("SELECT * FROM jobs WHERE name = $name", { name })
}

const holds = (query: Query, name: string, node: string): boolean =>
  query("SELECT 1 FROM jobs WHERE name = $name AND node = $node AND leased_until IS NOT NULL", { name, node })
    .length > 0

/** Column names are constants of this file, so they need no escaping. */
const set = (query: Query, name: string, columns: Values): void => {
  const assignments = Object.keys(columns).map((column) => `${column} = $${column}`)
  query(`UPDATE jobs SET ${assignments.join(", ")} WHERE name = $name`, { ...columns, name })
}

const stateOf = (row: Row) => {
  const time = (column: string) => DateTime.makeUnsafe(Number(row[column]))
  const timeOrNull = (column: string) => (row[column] === null ? null : time(column))
  return {
    name: String(row["name"]),
    node: String(row["node"]),
    leasedUntil: timeOrNull("leased_until"),
    dueAt: time("due_at"),
    heartbeatAt: time("heartbeat_at"),
    startedAt: time("started_at"),
    succeededAt: timeOrNull("succeeded_at"),
    failedAt: timeOrNull("failed_at"),
    failure: row["failure"] === null ? null : String(row["failure"]),
  }
}
