import { Waiting } from "@errata/core/internal"
import { Duration, Effect, type Scope } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import pg from "pg"
import * as DatabaseHosts from "./DatabaseHosts.js"
import * as FailoverPool from "./FailoverPool.js"
import { connectionFailed } from "./PgSqlClient.js"

/** Opens a pool and connects to its database. Closing the scope closes its connections. */
export const make = (config: pg.PoolConfig): Effect.Effect<pg.Pool, SqlError, Scope.Scope> =>
  Effect.tap(
    open({
      ...config,
      connectionTimeoutMillis: Duration.toMillis(connectTimeout),
    }),
    reach,
  )

/** Opens a pool that connects on demand. */
export const open = (config: pg.PoolConfig): Effect.Effect<pg.Pool, never, Scope.Scope> =>
  Effect.acquireRelease(
    // The pool replaces connections that break while idle. Idle connections do not keep an application running.
    Effect.sync(() => poolOf({ ...config, allowExitOnIdle: true }).on("error", () => {})),
    (pool) => Waiting.atMost("1 second")(Effect.promise(() => pool.end())),
  )

/** Fails if the database is unreachable. */
export const reach = (pool: pg.Pool): Effect.Effect<void, SqlError> =>
  Effect.tryPromise({
    try: () => pool.query("SELECT 1"),
    catch: (cause) => connectionFailed(cause, "The database cannot be reached"),
  }).pipe(
    Effect.timeoutOrElse({
      duration: connectTimeout,
      orElse: () =>
        Effect.fail(connectionFailed(new Error("Connection timed out"), "The database does not respond")),
    }),
    Effect.asVoid,
  )

/** Also the maximum wait of a statement for a free connection. */
export const connectTimeout = Duration.seconds(5)

// internal

/** Shorter than the connect timeout, so that all hosts are tried within it. */
const longestSearch = Duration.toMillis(connectTimeout) * 0.9

const poolOf = (config: pg.PoolConfig): pg.Pool => {
  const hosts = DatabaseHosts.parse(config.connectionString ?? "")
  const { connectionTimeoutMillis = longestSearch } = config
  return hosts === null
    ? new pg.Pool(config)
    : FailoverPool.make(config, hosts, Math.min(longestSearch, connectionTimeoutMillis * 0.9))
}
