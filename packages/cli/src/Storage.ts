/** Opens the chosen storage. Drivers are loaded on demand. */
import { access } from "node:fs/promises"
import { resolve } from "node:path"
import { type Health, Services, type StorageError } from "@errata/core"
import {
  Data,
  type Duration,
  Effect,
  Layer,
  Option,
  type Redacted,
  Result,
  Schedule,
  type Scope,
} from "effect"
import type { StorageChoice } from "./StorageOptions.js"

/** The storage cannot be opened. The message says what to do. */
export class StorageUnusable extends Data.TaggedError("StorageUnusable")<{
  readonly message: string
}> {}

/** Access to a database. */
export interface Database {
  readonly url: Redacted.Redacted
  readonly workerUrls?: ReadonlyArray<Redacted.Redacted> | undefined
  /** The default of an embedded one if undefined. */
  readonly schema?: string | undefined
  readonly answerTimeout: Duration.Duration
}

export interface OpenStorage {
  /** The stores. Building them migrates the schema. */
  readonly layer: Layer.Layer<Services.Stores, StorageUnusable>
  /** How other threads can use the database while the scope is open, if the storage is a database. */
  readonly database: Option.Option<Database>
  /** Explains a failure of the storage to the user who ran the command. */
  readonly explain: (error: StorageError) => string
}

/** Opens the storage of a server until the scope closes. If it `migrates`, it creates and migrates it. */
export const open = (
  choice: StorageChoice,
  migrates: boolean,
): Effect.Effect<OpenStorage, StorageUnusable, Scope.Scope> => {
  switch (choice.kind) {
    case "memory":
      return Effect.map(
        Effect.promise(() => import("@errata/storage-memory")),
        ({ MemoryStorage }) => ({ layer: MemoryStorage.layer, database: Option.none(), explain }),
      )
    case "embedded":
      return Effect.mapError(own(choice, true), unusable)
    case "postgres":
      return openDatabase({ ...choice, migrates }, explain)
  }
}

/** A storage that other processes can open. Memory storage exists only inside its server. */
type DatabaseChoice = Exclude<StorageChoice, { readonly kind: "memory" }>

/**
 * Opens a database that exists and has the schema of this version. If a server of the same user runs the embedded
 * database, this process connects to it as a client.
 */
export const openExisting = (choice: DatabaseChoice) => openBeside(choice, false)

/** Opens a database in the same way, creates it if necessary, and migrates it. */
export const openToMigrate = (choice: DatabaseChoice) => openBeside(choice, true)

/**
 * Runs the same health checks as a server, without creating or migrating the storage. If no process runs an embedded
 * database, this one runs it until the scope closes. Fails if this process cannot open the storage.
 */
export const openHealth = (
  choice: DatabaseChoice,
): Effect.Effect<Layer.Layer<Health>, StorageUnusable, Scope.Scope> =>
  choice.kind === "postgres"
    ? healthOf(choice)
    : runningOrRun(choice.dataDir).pipe(
        Effect.flatMap((url) => healthOf({ url, diskPath: choice.dataDir })),
        Effect.mapError(unusable),
      )

/** Returns the statements of the migrations that a database lacks, and changes nothing. */
export const pendingSql = ({
  answerTimeout,
  schema,
  url,
}: Extract<StorageChoice, { readonly kind: "postgres" }>): Effect.Effect<string, StorageUnusable> =>
  Effect.promise(() => import("@errata/storage-postgres")).pipe(
    Effect.flatMap(({ PostgresClient }) =>
      Effect.provide(PostgresClient.pendingSql, PostgresClient.layer({ url, schema, answerTimeout })),
    ),
    Effect.mapError((error) => new StorageUnusable({ message: explain(error) })),
  )

/** Migrates a database and distributes its projects over the nodes of its cluster. */
export const distribute = (
  { answerTimeout, schema, url }: Extract<StorageChoice, { readonly kind: "postgres" }>,
  buckets: number,
): Effect.Effect<void, StorageUnusable> =>
  Effect.promise(() => import("@errata/storage-postgres")).pipe(
    Effect.flatMap(({ PostgresClient }) =>
      Effect.provide(
        PostgresClient.distribute({ buckets }),
        PostgresClient.layerMigration({ url, schema, answerTimeout }),
      ),
    ),
    Effect.mapError((error) => new StorageUnusable({ message: explain(error) })),
  )

// internal

const openBeside = (
  choice: DatabaseChoice,
  migrates: boolean,
): Effect.Effect<OpenStorage, StorageUnusable, Scope.Scope> =>
  choice.kind === "postgres"
    ? openDatabase({ ...choice, migrates }, explain)
    : own(choice, migrates).pipe(
        Effect.catchTag("DataFolderInUse", () => attach(choice)),
        Effect.retry({
          // Between the two attempts, the server stopped or another one started.
          while: (error) => error._tag === "NothingRuns",
          times: 20,
          schedule: Schedule.spaced("100 millis"),
        }),
        Effect.mapError(unusable),
      )

const healthOf = (
  options: Pick<Database, "schema" | "url"> & { readonly diskPath: string | undefined },
): Effect.Effect<Layer.Layer<Health>> =>
  Effect.map(
    Effect.promise(() => import("@errata/storage-postgres")),
    ({ PostgresStorage }) => Layer.provide(Services.layerHealth, PostgresStorage.layerProbe(options)),
  )

const runningOrRun = Effect.fnUntraced(function* (dataDir: string) {
  const { EmbeddedPostgres } = yield* embedded
  const running = yield* Effect.result(EmbeddedPostgres.attach(dataDir))
  if (Result.isSuccess(running)) return running.success
  if (running.failure._tag !== "NothingRuns") return yield* running.failure
  if (yield* EmbeddedPostgres.exists(dataDir)) return (yield* EmbeddedPostgres.make({ dataDir })).url
  return yield* new StorageUnusable({
    message: `The current user cannot read a database in ${resolve(dataDir)}.`,
  })
})

const embedded = Effect.promise(() => import("@errata/storage-postgres/embedded"))

type Embedded = Extract<StorageChoice, { readonly kind: "embedded" }>

/** Runs the database in a folder. Commands that do not migrate require an existing database. */
const own = Effect.fnUntraced(function* (choice: Embedded, migrates: boolean) {
  const { answerTimeout, dataDir } = choice
  const { EmbeddedPostgres } = yield* embedded
  if (!migrates && !(yield* EmbeddedPostgres.exists(dataDir))) {
    // A server may be creating it.
    return yield* Effect.catchTag(attach(choice), "NothingRuns", () => noDatabaseIn(dataDir))
  }
  const { url } = yield* EmbeddedPostgres.make({ dataDir })
  return yield* openDatabase({ url, exclusive: true, diskPath: dataDir, answerTimeout, migrates }, explain)
})

const noDatabaseIn = (dataDir: string) =>
  Effect.tryPromise({
    // The dot needs permission to search the folder, and fails with another code if the path is a file.
    try: () => access(`${dataDir}/.`),
    catch: (error) => (error as NodeJS.ErrnoException).code === "EACCES",
  }).pipe(
    Effect.result,
    Effect.flatMap(
      (found) =>
        new StorageUnusable({
          message:
            Result.isFailure(found) && found.failure
              ? `The current user cannot read the folder ${dataDir}. Run this as the server's user, or log in: errata login.`
              : `The folder ${dataDir} has no database. Set --data-dir or ERRATA_DATA_DIR to the server's folder, ` +
                "or create a database with errata serve.",
        }),
    ),
  )

/** Connects to the database of a running server. That server may be about to migrate it. */
const attach = ({ answerTimeout, dataDir }: Embedded) =>
  embedded.pipe(
    Effect.flatMap(({ EmbeddedPostgres }) => EmbeddedPostgres.attach(dataDir)),
    // The server uses most of the available connections.
    Effect.flatMap((url) =>
      openDatabase({ url, maxConnections: 2, diskPath: dataDir, answerTimeout, migrates: true }, (error) =>
        error.reason === "unavailable"
          ? `The server that ran the database in ${dataDir} stopped during the command. Run the command again.`
          : explain(error),
      ),
    ),
  )

const unusable = (error: { readonly message: string }) => new StorageUnusable({ message: error.message })

const openDatabase = (
  options: Database & {
    readonly exclusive?: boolean
    readonly maxConnections?: number
    readonly migrates: boolean
    readonly diskPath: string | undefined
  },
  explainError: (error: StorageError) => string,
) =>
  Effect.map(
    Effect.promise(() => import("@errata/storage-postgres")),
    ({ PostgresStorage }): OpenStorage => ({
      layer: Layer.effectContext(
        Effect.mapError(
          Layer.build(PostgresStorage.layer(options)),
          (error) => new StorageUnusable({ message: explainError(error) }),
        ),
      ),
      database: Option.some({
        url: options.url,
        workerUrls: options.workerUrls,
        schema: options.schema,
        answerTimeout: options.answerTimeout,
      }),
      explain: explainError,
    }),
  )

const explain = ({ cause, operation, reason }: StorageError): string => {
  const said = cause instanceof Error && cause.message !== "" ? cause.message : String(cause)
  const code = typeof cause === "object" && cause !== null && "code" in cause ? cause.code : null
  if (code === "42501") {
    return `The role of the database lacks rights, which docs/postgresql.md lists: ${said}`
  }
  if (reason === "unavailable") {
    // Only a server that was reached has a severity for what went wrong.
    const isReached = typeof cause === "object" && cause !== null && "severity" in cause
    const isFull = isReached && code === "53300"
    if (operation !== "connect") return `The database is unavailable (${operation}): ${said}`
    const what = isFull
      ? "has no free connection"
      : isReached
        ? "rejected the connection"
        : "cannot be reached"
    return `The database ${what}: ${said}${isReached ? "" : ". Check its address, and whether it runs"}`
  }
  if (operation === "open") return `The database cannot be used: ${said}.`
  if (operation === "distribute") return `The projects cannot be distributed: ${said}.`
  return operation === "migrate"
    ? `The schema could not be migrated: ${said}`
    : `The database rejected the operation ${operation}: ${said}`
}
