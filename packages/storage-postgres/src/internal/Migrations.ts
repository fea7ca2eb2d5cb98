/** Migrates the schema, or prints the statements that do. */

import { StorageError } from "@errata/core"
import { Data, Effect } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import { SqlError } from "effect/sql/SqlError"
import initial from "../migrations/0001_initial.js"
import * as Buckets from "./Buckets.js"
import * as CollectingClient from "./CollectingClient.js"
import { named, storageError } from "./PgStorageError.js"
import * as Rows from "./Rows.js"
import * as SchemaName from "./SchemaName.js"
import { int4, text } from "./SqlType.js"
import * as Weeks from "./Weeks.js"

/**
 * Migrates the schema and returns the names of the migrations that ran. With several nodes, one migrates and the others
 * wait. A role without DDL rights is enough if nothing is due.
 */
export const migrate: Effect.Effect<ReadonlyArray<string>, StorageError, SqlClient.SqlClient> = Effect.gen(
  function* () {
    const sql = yield* SqlClient.SqlClient
    if (!(yield* isDue)) return []
    yield* checkServer
    // The migrator locks its table. Creating the schema and the table needs a separate lock.
    yield* sql.withTransaction(Effect.all([lockSetup, createSchema, createTable], { discard: true }))
    const table = `${yield* schemaName}.migrations`
    const run = yield* Buckets.within("every")(Migrator.make({})({ loader, table }))
    yield* Buckets.inEach(sql, Weeks.makePartitions(sql))
    return run.map(([, name]) => name)
  },
).pipe(
  Effect.mapError((error) => migrationFailed(error)),
  Effect.catchDefect((defect) => Effect.fail(migrationFailed(defect))),
  // Nodes of an older version keep working, and a deadlock with one of them may abort this transaction.
  Effect.retry({ while: ({ reason }) => reason === "conflict", times: 10 }),
)

/** Returns whether a migration is due. Fails if a newer version migrated the database. */
export const isMigrationDue: Effect.Effect<boolean, StorageError, SqlClient.SqlClient> = Effect.suspend(
  () => isDue,
).pipe(Effect.mapError((error) => migrationFailed(error)))

/** Returns the SQL of the missing migrations, to be run by another role. Empty if none is missing. Changes nothing. */
export const pendingSql: Effect.Effect<string, StorageError, SqlClient.SqlClient> = Effect.suspend(() =>
  Effect.gen(function* () {
    if (!(yield* isDue)) return ""
    if (Buckets.of(yield* SqlClient.SqlClient).count) {
      const cause = new Error("its projects are distributed, so only errata migrate can change it")
      return yield* new StorageError({ operation: "open", reason: "rejected", cause })
    }
    const done = yield* migrated
    const schema = yield* schemaName
    const statements: Array<string> = []
    const collecting = yield* CollectingClient.make(statements, schema)
    const pending = migrations.filter(([id]) => !done.some(({ migrationId }) => migrationId === id))
    const run = Effect.gen(function* () {
      yield* lockSetup
      yield* createSchema
      yield* createTable
      for (const [id, name, migration, worksWith = id] of pending) {
        yield* migration
        yield* collecting`
          INSERT INTO errata.migrations (migration_id, name)
          VALUES (${collecting.literal(String(id))}, ${collecting.literal(`'${name}'`)})`
        yield* markWorksWith(id, worksWith)
      }
    })
    yield* Effect.provideService(run, SqlClient.SqlClient, collecting)
    const partitions = Object.keys(Weeks.weekly).map(
      (table) => `SELECT ${schema}.make_partitions('${table}', ${Weeks.ahead})`,
    )
    return ["BEGIN", ...statements, "COMMIT", ...partitions].map((text) => `${text};\n`).join("\n")
  }),
).pipe(Effect.mapError((error) => migrationFailed(error)))

/** Returns whether the database lacks a migration of this version. */
export const hasPendingMigrations: Effect.Effect<boolean, SqlError, SqlClient.SqlClient> = Effect.suspend(
  () => Effect.map(migrated, lacks),
)

/** The statements of all migrations, for the schema `errata`. */
export const statements: Effect.Effect<ReadonlyArray<string>, SqlError> = Effect.gen(function* () {
  const texts: Array<string> = []
  const collecting = yield* CollectingClient.make(texts, SchemaName.standard)
  for (const [, , migration] of migrations) {
    yield* Effect.provideService(migration, SqlClient.SqlClient, collecting)
  }
  return texts
})

// internal

/**
 * `worksWith` is the last migration of the oldest version that also works on the migrated schema. This applies if a
 * migration only adds tables, and columns with defaults. Nodes of that version can then run beside new ones.
 */
type Migration = readonly [
  id: number,
  name: string,
  run: Effect.Effect<unknown, SqlError, SqlClient.SqlClient>,
  worksWith?: number,
]

/** Forward only. Released migrations never change. */
const migrations: ReadonlyArray<Migration> = [[1, "initial", initial]]

const loader = Effect.succeed(
  migrations.map(
    ([id, name, run, worksWith = id]): Migrator.ResolvedMigration => [
      id,
      name,
      Effect.succeed(Effect.andThen(run, markWorksWith(id, worksWith))),
    ],
  ),
)

function markWorksWith(id: number, worksWith: number) {
  return Effect.flatMap(
    SqlClient.SqlClient,
    (sql) =>
      sql`UPDATE errata.migrations SET works_with = ${sql.literal(String(worksWith))}
          WHERE migration_id = ${sql.literal(String(id))}`,
  )
}

/** Events have any characters. An older server lacks what the statements use. */
const checkServer = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql`
    SELECT current_setting('server_encoding') AS encoding, current_setting('server_version_num')::integer AS version`
  const { encoding, version } = serverRows.read(row!)
  const problem =
    version < 150_000
      ? `its server is PostgreSQL ${Math.floor(version / 10_000)}. Errata needs 15 or later`
      : encoding === "UTF8"
        ? null
        : `its encoding is ${encoding}. Create one with createdb --encoding=UTF8 --template=template0`
  if (problem === null) return
  return yield* new StorageError({ operation: "open", reason: "rejected", cause: new Error(problem) })
})

const serverRows = Rows.make({ encoding: text(), version: int4() })

const lockSetup = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`SELECT pg_advisory_xact_lock(hashtextextended('errata.setup', 0))`,
)

/** Not `CREATE SCHEMA IF NOT EXISTS`, which fails for an owner of the schema who may not create schemas. */
const createSchema = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`
    DO $$ BEGIN
      IF to_regnamespace('errata') IS NULL THEN CREATE SCHEMA "errata"; END IF;
    END $$`,
)

const createTable = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`
    CREATE TABLE IF NOT EXISTS errata.migrations (
      migration_id integer PRIMARY KEY, created_at timestamptz NOT NULL DEFAULT now(), name text NOT NULL,
      works_with integer)`,
)

/** Migrations recorded in this database; none if there is no schema yet. */
const migrated = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [table] = yield* sql<Present>`SELECT to_regclass('errata.migrations') IS NOT NULL AS present`
  if (!table?.present) return []
  const rows = yield* sql`
    SELECT migration_id, coalesce(works_with, migration_id) AS works_with FROM errata.migrations`
  return rows.map((row) => migrationRows.read(row))
})

interface Present {
  readonly present: boolean
}

/** The schema's name, which clients substitute for the literal. An SQL keyword would need quotes. */
export const schemaName = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{
    readonly name: string
    readonly is_plain: boolean
  }>`
    SELECT 'errata' AS name,
      NOT EXISTS (SELECT FROM pg_get_keywords() WHERE word = 'errata' AND catcode <> 'U') AS is_plain`
  if (!row!.is_plain) {
    const cause = new Error(`the schema "${row!.name}" must not be a key word of SQL`)
    return yield* new StorageError({ operation: "open", reason: "rejected", cause })
  }
  return row!.name
})

const isDue = Effect.gen(function* () {
  yield* schemaName
  const done = yield* migrated
  const newest = Math.max(...migrations.map(([id]) => id))
  if (done.some(({ worksWith }) => worksWith > newest)) {
    return yield* new SchemaTooNew({ message: schemaTooNew })
  }
  return lacks(done)
}).pipe(named("open"))

const migrationRows = Rows.make({ migrationId: int4(), worksWith: int4() })

const lacks = (done: Effect.Success<typeof migrated>): boolean =>
  !migrations.every(([id]) => done.some(({ migrationId }) => migrationId === id))

/** A newer version may have changed the schema arbitrarily, so this version must not write it. */
class SchemaTooNew extends Data.TaggedError("SchemaTooNew")<{ readonly message: string }> {}

const schemaTooNew =
  "The database was migrated by a newer version of Errata. Start that version, or restore a backup from before the upgrade."

/** Prefers the error of the failed statement over the migrator's own. */
const migrationFailed = (failure: unknown): StorageError => {
  if (failure instanceof StorageError) return failure
  if (failure instanceof SqlError) return storageError("migrate")(failure)
  const cause = failure instanceof Migrator.MigrationError ? failure.cause : undefined
  return cause instanceof SqlError
    ? storageError("migrate")(cause)
    : new StorageError({ operation: "migrate", reason: "rejected", cause: failure })
}
