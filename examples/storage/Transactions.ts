/** Transactions of the core on one SQLite connection, for the ports that share a database. */
import type { DatabaseSync } from "node:sqlite"
import { StorageError } from "@errata/core"
import type { Storage } from "@errata/core/ports"
import { Context, Effect, Exit, Semaphore } from "effect"

/** Makes `Storage.transaction`. Every member of a port runs in it too, and so joins the transaction of its caller. */
export const make = (database: DatabaseSync): Storage["Service"]["transaction"] => {
  // One connection has one transaction at a time, so others wait.
  const turns = Semaphore.makeUnsafe(1)
  const run = (sql: string) =>
    Effect.try({
      try: () => database.exec(sql),
      catch: (cause) => new StorageError({ operation: sql, reason: "unavailable", cause }),
    })
  return (effect) =>
    Effect.flatMap(InTransaction, (isInTransaction) =>
      isInTransaction
        ? effect
        : Effect.acquireUseRelease(
            run("BEGIN IMMEDIATE"),
            () => Effect.provideService(effect, InTransaction, true),
            (_, exit) => run(Exit.isSuccess(exit) ? "COMMIT" : "ROLLBACK"),
          ).pipe(turns.withPermits(1)),
    )
}

// internal

/** True for the fibers of a transaction. A storage with a pool keeps the connection here instead. */
const InTransaction = Context.Reference("examples/storage/InTransaction", { defaultValue: () => false })
