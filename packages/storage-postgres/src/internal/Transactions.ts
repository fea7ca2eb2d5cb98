/**
 * Transactions with a limit on their number. It keeps connections free for the single statements that accept events and
 * authenticate requests, even if all transactions wait for locks.
 */

import { Waiting } from "@errata/core/internal"
import { Deferred, Duration, Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { SqlError } from "effect/sql/SqlError"
import type pg from "pg"
import * as Buckets from "./Buckets.js"
import { getOrMake } from "./GetOrMake.js"
import { connectionFailed, PoolOfTransaction } from "./PgSqlClient.js"

export interface Settings {
  /** Maximum number of concurrent outermost transactions on a pool. Others wait for their turn. */
  readonly concurrent: number
  /** Returns the pool of a transaction that begins at the node of a bucket. The default is a single pool for all. */
  readonly poolOf?: ((bucket: number) => pg.Pool | null) | undefined
  /** The statement that begins a transaction. The default is `BEGIN`. */
  readonly begin?: string | undefined
  /**
   * How long to wait for the begin and the commit of a transaction. Without it there is no limit, for connections that have
   * limits of their own.
   */
  readonly answerTimeout?: Duration.Duration | undefined
}

/** The `withTransaction` of the client, with these limits. */
export const make = (
  sql: SqlClient.SqlClient,
  { answerTimeout, begin = "BEGIN", concurrent, poolOf }: Settings,
): SqlClient.SqlClient["withTransaction"] => {
  const main = makeTurns(concurrent)
  // A node that does not respond must not hold up the others.
  const others = new Map<pg.Pool, typeof main>()
  // Neither can be interrupted.
  const answered = <A>(statement: Effect.Effect<A, SqlError>) =>
    answerTimeout === undefined ? statement : within(answerTimeout, statement)
  const run = SqlClient.makeWithTransaction({
    transactionService: sql.transactionService,
    spanAttributes: [["db.system.name", "postgresql"]],
    // For outermost transactions only. Nested ones use the same connection.
    acquireConnection: (restore) =>
      Effect.flatMap(Buckets.Home, (home) => {
        const pool = home === null ? null : (poolOf?.(home) ?? null)
        const { give, take } = pool === null ? main : getOrMake(others, pool, () => makeTurns(concurrent))
        return Effect.andThen(
          Effect.acquireRelease(take, () => give),
          Effect.provideService(restore(sql.reserve), PoolOfTransaction, pool),
        )
      }),
    begin: (connection) => answered(connection.executeUnprepared(begin, [], undefined)),
    savepoint: (connection, id) => connection.executeUnprepared(`SAVEPOINT ${name(id)}`, [], undefined),
    commit: (connection) => answered(connection.executeUnprepared("COMMIT", [], undefined)),
    // If the connection is lost, the server rolls back, and the first error is the one to report. A retry, because a late
    // cancel request may hit this statement, and the connection is reused.
    rollback: (connection) =>
      connection.executeUnprepared("ROLLBACK", [], undefined).pipe(
        Effect.retry({ times: 1 }),
        Effect.ignore,
        // The next statement on the connection runs after it.
        Effect.uninterruptible,
        // Does not wait for a server that stopped responding. Connections for migrations have no other limit.
        Waiting.atMost(patience),
      ),
    rollbackSavepoint: (connection, id) =>
      Effect.retry(connection.executeUnprepared(`ROLLBACK TO SAVEPOINT ${name(id)}`, [], undefined), {
        times: 1,
      }),
  })
  return (effect) =>
    Effect.catchDefect(run(effect), (defect) =>
      // `makeWithTransaction` turns a failed commit, or a lost response to it, into a defect.
      defect instanceof SqlError ? Effect.fail(defect) : Effect.die(defect),
    )
}

// internal

const name = (id: number) => `errata_${id}`

/** Equals the time that a statement waits for a connection of the pool. */
const patience = "5 seconds"

/** Fails after a time. A commit that is late may still be executed. */
const within = <A>(timeout: Duration.Duration, statement: Effect.Effect<A, SqlError>) =>
  Effect.flatMap(Waiting.atMost(timeout)(statement), (answer) =>
    Option.isSome(answer)
      ? Effect.succeed(answer.value)
      : connectionFailed(
          new Error(`The database has not responded for ${Duration.toMillis(timeout)} ms`),
          "The database did not respond to the begin or the commit of a transaction",
        ),
  )

/** Not a semaphore, because that loses a turn that it passes to a fiber whose wait has just timed out. */
const makeTurns = (count: number) => {
  let free = count
  const waiting = new Set<Deferred.Deferred<void>>()
  return {
    /** Must run uninterruptibly. */
    take: Effect.suspend(() => {
      if (free > 0) {
        free--
        return Effect.void
      }
      const turn = Deferred.makeUnsafe<void>()
      waiting.add(turn)
      return Waiting.atMost(patience)(Deferred.await(turn)).pipe(
        Effect.flatMap(() => (waiting.delete(turn) ? noTurn : Effect.void)),
      )
    }),
    give: Effect.sync(() => {
      const [next] = waiting
      if (next === undefined) free++
      else {
        waiting.delete(next)
        Deferred.doneUnsafe(next, Effect.void)
      }
    }),
  }
}

const noTurn = Effect.suspend(() =>
  connectionFailed(new Error("Too many transactions"), "No connection is free"),
)
