/** Databases for tests: one server per run, and a fresh database for every test file. */
import { randomUUID } from "node:crypto"
import { existsSync } from "node:fs"
import { mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Clock, Effect, Option, Redacted, Schedule, type Scope } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import * as PgSqlClient from "../internal/PgSqlClient.js"
import * as Pool from "../internal/Pool.js"
import * as EmbeddedPostgres from "./EmbeddedPostgres.js"
import type { EmbeddedPostgresError } from "./EmbeddedPostgresError.js"
import { attempt } from "./internal/Commands.js"
import { holder } from "./internal/FolderLock.js"

/**
 * The URL of a server whose user may create databases and roles. Uses `DATABASE_URL` if set, else starts a throw-away
 * embedded server that stops with the scope.
 */
export const server: Effect.Effect<Redacted.Redacted, EmbeddedPostgresError | SqlError, Scope.Scope> =
  Effect.suspend(() => {
    const given = process.env.DATABASE_URL
    return given ? Effect.succeed(Redacted.make(given)) : throwAway
  }).pipe(Effect.withSpan("TestDatabase.server"))

/**
 * Creates a database and returns its URL. The database is empty, or a copy of `template`, which must have no
 * connections. It is dropped when the scope closes. Open connections get five seconds to close before they are
 * terminated.
 */
export const make = (
  serverUrl: Redacted.Redacted,
  template?: Redacted.Redacted,
): Effect.Effect<Redacted.Redacted, SqlError, Scope.Scope> =>
  Effect.acquireRelease(create(serverUrl, template), (name) => Effect.orDie(drop(serverUrl, name))).pipe(
    Effect.map((name) => {
      const url = new URL(Redacted.value(serverUrl))
      url.pathname = `/${name}`
      return Redacted.make(url.href)
    }),
    Effect.withSpan("TestDatabase.make"),
  )

// internal

const prefix = "errata-test-"

const throwAway = Effect.gen(function* () {
  yield* removeAbandoned
  const dataDir = yield* Effect.acquireRelease(
    attempt("no folder for temporary files", () => mkdtemp(join(tmpdir(), prefix))),
    removeFolder,
  )
  const { url, superuserUrl } = yield* EmbeddedPostgres.make({ dataDir, durable: false })
  const role = new URL(Redacted.value(url)).username
  yield* execute(superuserUrl, `alter role ${role} createdb createrole`)
  return url
})

/** Removes the folders of killed runs. */
const removeAbandoned = Effect.gen(function* () {
  const names = yield* attempt("no folder for temporary files", () => readdir(tmpdir()))
  for (const name of names) {
    const folder = join(tmpdir(), name)
    // A folder without a lock is being set up.
    if (!name.startsWith(prefix) || !existsSync(join(folder, "lock"))) continue
    if (Option.isNone(yield* holder(folder))) yield* removeFolder(folder)
  }
})

const removeFolder = (folder: string) =>
  Effect.ignore(Effect.tryPromise(() => rm(folder, { recursive: true, force: true, maxRetries: 5 })))

const create = (serverUrl: Redacted.Redacted, template: Redacted.Redacted | undefined) =>
  Effect.suspend(() => {
    const name = `errata_test_${randomUUID().replaceAll("-", "")}`
    const copied = template && ` template ${new URL(Redacted.value(template)).pathname.slice(1)}`
    // File copies take a third of the time of copies through the WAL.
    return Effect.as(execute(serverUrl, `create database ${name}${copied ?? ""} strategy file_copy`), name)
  })

const drop = (serverUrl: Redacted.Redacted, name: string) =>
  using(serverUrl, (sql) =>
    Effect.gen(function* () {
      const connections = sql`from pg_stat_activity where datname = ${name} and usename = current_user`
      // A pool has ended once it sent its goodbyes, which the server may not have read yet. A terminated connection
      // would then raise an error that no listener handles.
      yield* sql`select 1 ${connections}`.pipe(
        Effect.repeat({
          until: (rows) => rows.length === 0,
          schedule: Schedule.spaced("20 millis").pipe(Schedule.upTo({ duration: "5 seconds" })),
        }),
      )
      // `with (force)` also terminates autovacuum, which requires a superuser. A plain drop cancels autovacuum by
      // itself.
      yield* sql`select pg_terminate_backend(pid) ${connections}`
      yield* sql.unsafe(`drop database if exists ${name}`)
    }),
  )

const execute = (url: Redacted.Redacted, statement: string) => using(url, (sql) => sql.unsafe(statement))

const using = <A>(
  url: Redacted.Redacted,
  use: (sql: SqlClient.SqlClient) => Effect.Effect<A, SqlError>,
): Effect.Effect<A, SqlError> =>
  Pool.open({ connectionString: Redacted.value(url), max: 1, connectionTimeoutMillis: 30_000 }).pipe(
    Effect.flatMap((pool) => PgSqlClient.make(pool)),
    Effect.flatMap(use),
    Effect.scoped,
    // Use the real clock, even in tests with a fake one.
    Effect.provideService(Clock.Clock, Clock.Clock.defaultValue()),
  )
