/**
 * Transactions of a client, of which a few connections are kept free: who waits for a lock inside of a transaction must
 * not keep others from the single statements that take events in and tell who asks.
 */

import { Waiting } from "@errata/core/internal"
import { Deferred, Duration, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { SqlError } from "effect/sql/SqlError"
import { connectionFailed } from "./PgSqlClient.js"

export interface Settings {
  /** How many outermost transactions there are at one time; others wait for their turn. */
  readonly concurrent: number
  /** The statement that begins them; `BEGIN` unless given. */
  readonly begin?: string | undefined
  /**
   * How long to wait for the begin and the commit of a transaction. Without it there is no limit, for connections that have
   * limits of their own.
   */
  readonly answerTimeout?: Duration.Duration | undefined
}

/** As the client's own, within such bounds. */
export const make = (
  sql: SqlClient.SqlClient,
  { answerTimeout, begin = "BEGIN", concurrent }: Settings,
): SqlClient.SqlClient["withTransaction"] => {
  const turns = makeTurns(concurrent)
  // Neither can be interrupted.
  const answered = <A>(statement: Effect.Effect<A, SqlError>) =>
    answerTimeout === undefined ? statement : within(answerTimeout, statement)
  const run = SqlClient.makeWithTransaction({
    transactionService: sql.transactionService,
    spanAttributes: [["db.system.name", "postgresql"]],
    // For outermost transactions alone: those inside of one use its connection.
    acquireConnection: (restore) =>
      Effect.andThen(
        Effect.acquireRelease(turns.take, () => turns.give),
        restore(sql.reserve),
      ),
    begin: (connection) => answered(connection.executeUnprepared(begin, [], undefined)),
    savepoint: (connection, id) => connection.executeUnprepared(`SAVEPOINT ${name(id)}`, [], undefined),
    commit: (connection) => answered(connection.executeUnprepared("COMMIT", [], undefined)),
    // Without its connection a transaction is undone: what ended it is what there is to tell. Twice, because what asks
    // the server to end a statement may come late and hit this one; the connection is used again.
    rollback: (connection) =>
      connection.executeUnprepared("ROLLBACK", [], undefined).pipe(
        Effect.retry({ times: 1 }),
        Effect.ignore,
        // Not taken back: what comes next on the connection comes after it.
        Effect.uninterruptible,
        // But not waited for where the server says nothing any more. A connection that migrates has no other limit.
        Waiting.atMost(patience),
      ),
    rollbackSavepoint: (connection, id) =>
      Effect.retry(connection.executeUnprepared(`ROLLBACK TO SAVEPOINT ${name(id)}`, [], undefined), {
        times: 1,
      }),
  })
  return (effect) =>
    Effect.catchDefect(run(effect), (defect) =>
      // `makeWithTransaction` takes it for a defect when a commit fails, or its answer is lost with the connection.
      defect instanceof SqlError ? Effect.fail(defect) : Effect.die(defect),
    )
}

// internal

const name = (id: number) => `errata_${id}`

/** As long as the pool has a statement wait for a connection. */
const patience = "5 seconds"

/** Fails after a time. A commit that is late may still be executed. */
const within = <A>(timeout: Duration.Duration, statement: Effect.Effect<A, SqlError>) =>
  Effect.flatMap(Waiting.atMost(timeout)(statement), (answer) =>
    answer._tag === "Some"
      ? Effect.succeed(answer.value)
      : connectionFailed(
          new Error(`The database has not responded for ${Duration.toMillis(timeout)} ms`),
          "The database did not respond to the begin or the commit of a transaction",
        ),
  )

/** Not a semaphore: a turn that is given in the moment in which nobody waits for it any more must not be lost. */
const makeTurns = (count: number) => {
  let free = count
  const waiting = new Set<Deferred.Deferred<void>>()
  return {
    /** Not to be interrupted. */
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
