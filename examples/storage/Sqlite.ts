/** A connection to a SQLite file, with `StorageError` as its failure. */
import { DatabaseSync, type SQLOutputValue } from "node:sqlite"
import { StorageError } from "@errata/core"
import { Clock, Effect, type Scope } from "effect"

export type Row = Readonly<Record<string, SQLOutputValue>>
export type Values = Readonly<Record<string, string | number | null>>

export interface Sqlite {
  /** Runs work in its own transaction. `now` is the time in epoch milliseconds. */
  readonly transaction: <A>(
    operation: string,
    work: (query: Query, now: number) => A,
  ) => Effect.Effect<A, StorageError>
}

/** Runs a statement and returns its rows. Values are named: `$key` in the statement is `key` in the values. */
export type Query = (sql: string, values?: Values) => ReadonlyArray<Row>

/** Opens the file, creating it if it is missing. Closes it with the scope. */
export const open = (path: string, schema: string): Effect.Effect<Sqlite, StorageError, Scope.Scope> =>
  Effect.gen(function* () {
    const database = yield* Effect.acquireRelease(
      attempt("open", () => new DatabaseSync(path, { timeout: busyMillis })),
      (database) => Effect.sync(() => database.close()),
    )
    yield* attempt("create tables", () => database.exec(`PRAGMA journal_mode = WAL; ${schema}`))
    const query: Query = (sql, values = {}) => database.prepare(sql).all(values)
    return {
      transaction: (operation, work) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          attempt(operation, () => {
            // Takes the write lock at once: a transaction that reads first may fail when it writes.
            database.exec("BEGIN IMMEDIATE")
            try {
              const result = work(query, now)
              database.exec("COMMIT")
              return result
            } catch (error) {
              if (database.isTransaction) database.exec("ROLLBACK")
              throw error
            }
          }),
        ),
    }
  })

// internal

/** Maximum wait for a lock of another connection. */
const busyMillis = 5_000

/** Temporary errors: SQLITE_BUSY, SQLITE_LOCKED, SQLITE_IOERR, SQLITE_FULL and SQLITE_CANTOPEN. */
const temporary = new Set([5, 6, 10, 13, 14])

const attempt = <A>(operation: string, run: () => A): Effect.Effect<A, StorageError> =>
  Effect.try({
    try: run,
    catch: (cause) => {
      const code = cause instanceof Error && "errcode" in cause ? Number(cause.errcode) : 0
      // The upper bits hold details.
      const reason = temporary.has(code & 0xff) ? "unavailable" : "rejected"
      return new StorageError({ operation: `sqlite: ${operation}`, reason, cause })
    },
  })
