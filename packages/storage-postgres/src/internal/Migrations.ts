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
import { int4 } from "./SqlType.js"
import * as Weeks from "./Weeks.js"

/**
 * Brings the schema up to date; answers the migrations that were run, by name. Several nodes may do this at once: one
 * does it, the others wait. A role that may not change the schema is enough where there is nothing to do.
 */
export const migrate: Effect.Effect<ReadonlyArray<string>, StorageError, SqlClient.SqlClient> = Effect.gen(
  function* () {
    const sql = yield* SqlClient.SqlClient
    if (!(yield* isDue)) return []
    // The migrator locks its table. The schema and the table itself have a lock of their own.
    yield* sql.withTransaction(Effect.all([lockSetup, createSchema, createTable], { discard: true }))
    const table = `${yield* schemaName}.migrations`
    const run = yield* Buckets.within("every")(Migrator.make({})({ loader, table }))
    yield* Buckets.inEach(sql, Weeks.makePartitions(sql))
    return run.map(([, name]) => name)
  },
).pipe(
  Effect.mapError((error) => migrationFailed(error)),
  Effect.catchDefect((defect) => Effect.fail(migrationFailed(defect))),
  // Nodes of an older version work meanwhile. A deadlock with one of them ends either transaction.
  Effect.retry({ while: ({ reason }) => reason === "conflict", times: 10 }),
)

/** Answers whether a migration is due. Fails where a newer version has migrated the database. */
export const isMigrationDue: Effect.Effect<boolean, StorageError, SqlClient.SqlClient> = Effect.suspend(
  () => isDue,
).pipe(Effect.mapError((error) => migrationFailed(error)))

/**
 * Returns the statements of the migrations that this database lacks, to be run by another role. Empty if it lacks none.
 * Changes nothing.
 */
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

/** Answers whether the database lacks a migration of this version. */
export const hasPendingMigrations: Effect.Effect<boolean, SqlError, SqlClient.SqlClient> = Effect.suspend(
  () => Effect.map(migrated, lacks),
)

/** The statements of all migrations, as they are for the schema `errata`. */
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
 * `worksWith` is the last migration of the oldest version that works on the migrated schema, too: of a migration that only
 * adds tables, and columns with defaults. Nodes of that version then run beside those of the new one.
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

const lockSetup = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`SELECT pg_advisory_xact_lock(hashtextextended('errata.setup', 0))`,
)

/** Not `CREATE SCHEMA IF NOT EXISTS`, which fails for an owner of the schema that may not create one. */
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

/** The migrations that this database has seen; none where there is no schema yet. */
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

/** The name of the schema, which clients put in the place of the literal. A key word of SQL would have to be quoted. */
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

/** A schema that later versions may have changed in any way is not to be written by this one. */
class SchemaTooNew extends Data.TaggedError("SchemaTooNew")<{ readonly message: string }> {}

const schemaTooNew =
  "The database was migrated by a newer version of Errata. Start that version, or restore a backup from before the upgrade."

/** A statement of a migration that failed says more than that the migration did. */
const migrationFailed = (failure: unknown): StorageError => {
  if (failure instanceof StorageError) return failure
  if (failure instanceof SqlError) return storageError("migrate")(failure)
  const cause = failure instanceof Migrator.MigrationError ? failure.cause : undefined
  return cause instanceof SqlError
    ? storageError("migrate")(cause)
    : new StorageError({ operation: "migrate", reason: "rejected", cause: failure })
}
