import { SqlError } from "@effect/sql/SqlError"
import { Duration, Effect, type Scope } from "effect"
import pg from "pg"
import * as Prepared from "./Prepared.js"

/** A pool that has reached its database. Closing the scope closes its connections. */
export const make = (config: pg.PoolConfig): Effect.Effect<pg.Pool, SqlError, Scope.Scope> =>
  Effect.gen(function* () {
    const pool = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const pool = new pg.Pool({
          ...config,
          Client: Prepared.Client,
          connectionTimeoutMillis: Duration.toMillis(connectTimeout),
        })
        // A connection that breaks while nobody uses it is replaced by the pool.
        return pool.on("error", () => {})
      }),
      (pool) => Effect.promise(() => pool.end()).pipe(Effect.interruptible, Effect.timeoutOption("1 second")),
    )
    yield* Effect.tryPromise({
      try: () => pool.query("SELECT 1"),
      catch: (cause) => new SqlError({ cause, message: "The database cannot be reached" }),
    }).pipe(
      Effect.timeoutFail({
        duration: connectTimeout,
        onTimeout: () =>
          new SqlError({ cause: new Error("Connection timed out"), message: "The database does not answer" }),
      }),
    )
    return pool
  })

// internal

/** Also how long a statement waits for one of the connections to be free. */
const connectTimeout = Duration.seconds(5)
