/** The storage that was chosen, opened. Drivers are loaded only where they are used. */
import { Health, HealthStore, Services, StorageError } from "@errata/core"
import { Data, type Duration, Effect, Layer, Option, type Redacted, Schedule, type Scope } from "effect"
import type { StorageChoice } from "./StorageOptions.js"

/** The storage cannot be opened; the message says what to do. */
export class StorageUnusable extends Data.TaggedError("StorageUnusable")<{
  readonly message: string
}> {}

/** A way to a database. */
export interface Database {
  readonly url: Redacted.Redacted
  readonly answerTimeout: Duration.Duration
}

export interface OpenStorage {
  /** The stores; building them brings the schema up to date. */
  readonly layer: Layer.Layer<Services.Stores, StorageUnusable>
  /** Where the data are in a database: how others can work on it as long as the scope is open. */
  readonly database: Option.Option<Database>
  /** What its failures mean to the person who ran the command. */
  readonly explain: (error: StorageError) => string
}

/** Opens the storage until the scope closes. An embedded database has one owner: this process. */
export const open = (choice: StorageChoice): Effect.Effect<OpenStorage, StorageUnusable, Scope.Scope> => {
  switch (choice.kind) {
    case "memory":
      return Effect.map(
        Effect.promise(() => import("@errata/storage-memory")),
        ({ MemoryStorage }) => ({ layer: MemoryStorage.layer, database: Option.none(), explain }),
      )
    case "embedded":
      return Effect.mapError(own(choice), unusable)
    case "postgres":
      return openDatabase(choice, explain)
  }
}

/**
 * Opens the storage for a command that works beside a server: an embedded database that a server of the same user runs
 * is used as its client.
 */
export const openBeside = (
  choice: StorageChoice,
): Effect.Effect<OpenStorage, StorageUnusable, Scope.Scope> =>
  choice.kind === "embedded"
    ? own(choice).pipe(
        Effect.catchTag("DataFolderInUse", () => attach(choice)),
        Effect.retry({
          // Between the two attempts the server has stopped, or another one has started.
          while: (error) => error._tag === "NothingRuns",
          schedule: Schedule.intersect(Schedule.recurs(20), Schedule.spaced("100 millis")),
        }),
        Effect.mapError(unusable),
      )
    : open(choice)

/**
 * Health by the same checks as a server's; the storage is neither made nor brought up to date for that. An embedded
 * database that nobody runs is run as long as somebody asks. Where it cannot be opened all answers fail.
 */
export const layerHealth = (choice: StorageChoice): Layer.Layer<Health | HealthStore> => {
  switch (choice.kind) {
    case "memory":
      return unopened("the storage is inside its server")
    case "postgres":
      return Layer.unwrapEffect(healthOf(choice.url, choice.diskPath))
    case "embedded":
      return Layer.unwrapScoped(
        Effect.flatMap(embedded, ({ EmbeddedPostgres }) =>
          EmbeddedPostgres.attach(choice.dataDir).pipe(
            Effect.catchTag("NothingRuns", (error) =>
              Effect.if(EmbeddedPostgres.exists(choice.dataDir), {
                onTrue: () =>
                  Effect.map(EmbeddedPostgres.make({ dataDir: choice.dataDir }), ({ url }) => url),
                onFalse: () => Effect.fail(error),
              }),
            ),
          ),
        ).pipe(
          Effect.flatMap((url) => healthOf(url, choice.dataDir)),
          Effect.catchAll((error) => Effect.succeed(unopened(error.message))),
        ),
      )
  }
}

// internal

const healthOf = (
  url: Redacted.Redacted,
  diskPath: string | undefined,
): Effect.Effect<Layer.Layer<Health | HealthStore>> =>
  Effect.map(
    Effect.promise(() => import("@errata/storage-postgres")),
    ({ PostgresStorage }) =>
      Layer.provideMerge(Services.layerHealth, PostgresStorage.layerProbe({ url, diskPath })),
  )

const unopened = (reason: string): Layer.Layer<Health | HealthStore> => {
  const error = new StorageError({ operation: "open", reason: "unavailable", cause: new Error(reason) })
  const failing = Layer.succeed(HealthStore, {
    hasPendingMigrations: error,
    work: error,
    write: error,
    amounts: error,
  })
  return Layer.provideMerge(Health.Default, failing)
}

const embedded = Effect.promise(() => import("@errata/storage-postgres/embedded"))

type Embedded = Extract<StorageChoice, { readonly kind: "embedded" }>

const own = ({ answerTimeout, dataDir }: Embedded) =>
  embedded.pipe(
    Effect.flatMap(({ EmbeddedPostgres }) => EmbeddedPostgres.make({ dataDir })),
    Effect.flatMap(({ url }) =>
      openDatabase({ url, exclusive: true, diskPath: dataDir, answerTimeout }, explain),
    ),
  )

const attach = ({ answerTimeout, dataDir }: Embedded) =>
  embedded.pipe(
    Effect.flatMap(({ EmbeddedPostgres }) => EmbeddedPostgres.attach(dataDir)),
    // The server has most of the connections that there are.
    Effect.flatMap((url) =>
      openDatabase({ url, maxConnections: 2, diskPath: dataDir, answerTimeout }, (error) =>
        error.reason === "unavailable"
          ? `The server that runs the database in ${dataDir} stopped meanwhile. Run this again; it needs no server.`
          : explain(error),
      ),
    ),
  )

const unusable = (error: { readonly message: string }) => new StorageUnusable({ message: error.message })

const openDatabase = (
  options: Database & {
    readonly exclusive?: boolean
    readonly maxConnections?: number
    readonly diskPath: string | undefined
  },
  explainError: (error: StorageError) => string,
) =>
  Effect.map(
    Effect.promise(() => import("@errata/storage-postgres")),
    ({ PostgresStorage }): OpenStorage => ({
      layer: Layer.mapError(
        PostgresStorage.layer(options),
        (error) => new StorageUnusable({ message: explainError(error) }),
      ),
      database: Option.some({ url: options.url, answerTimeout: options.answerTimeout }),
      explain: explainError,
    }),
  )

const explain = ({ cause, operation, reason }: StorageError): string => {
  const said = cause instanceof Error && cause.message !== "" ? cause.message : String(cause)
  if (reason === "unavailable") {
    return operation === "connect"
      ? `The database cannot be reached: ${said}`
      : `The database cannot be used now (${operation}): ${said}`
  }
  return operation === "migrate"
    ? `The database could not be prepared: ${said}`
    : `The database refuses this (${operation}): ${said}`
}
