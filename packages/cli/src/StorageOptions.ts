/** Where the data live: the options that every command that touches them shares. */

import { Options } from "@effect/cli"
import type { Services, StorageError } from "@errata/core"
import { Config, Data, Effect, Layer, Option, type Redacted, type Scope } from "effect"

export const storageKinds = ["memory", "embedded", "postgres"] as const
export type StorageKind = (typeof storageKinds)[number]

export const storageOptions = {
  storage: Options.choice("storage", storageKinds).pipe(
    Options.withFallbackConfig(Config.literal(...storageKinds)("ERRATA_STORAGE")),
    Options.optional,
    Options.withDescription(
      "Where the data live. Default: postgres where a database URL is given, else embedded. Environment: ERRATA_STORAGE",
    ),
  ),
  dataDir: Options.directory("data-dir").pipe(
    Options.withFallbackConfig(Config.nonEmptyString("ERRATA_DATA_DIR")),
    Options.withDefault(".errata"),
    Options.withDescription("The folder of the embedded database. Environment: ERRATA_DATA_DIR"),
  ),
  databaseUrl: Options.redacted("database-url").pipe(
    Options.withFallbackConfig(Config.redacted(Config.nonEmptyString("DATABASE_URL"))),
    Options.optional,
    Options.withDescription("postgres://user:password@host:port/database. Environment: DATABASE_URL"),
  ),
}

export interface StorageChoice {
  readonly storage: Option.Option<StorageKind>
  readonly dataDir: string
  readonly databaseUrl: Option.Option<Redacted.Redacted>
}

/** The options contradict each other, or the storage cannot be opened; the message says what to do. */
export class StorageUnusable extends Data.TaggedError("StorageUnusable")<{
  readonly message: string
}> {}

/** The storage in a few words, for people; without secrets. */
export const describe = (choice: StorageChoice): string => {
  switch (kindOf(choice)) {
    case "memory":
      return "memory (gone when the server stops)"
    case "embedded":
      return `embedded database in ${choice.dataDir}`
    case "postgres":
      return "PostgreSQL"
  }
}

export const kindOf = ({ storage, databaseUrl }: StorageChoice): StorageKind =>
  Option.getOrElse(storage, () => (Option.isSome(databaseUrl) ? "postgres" : "embedded"))

export interface OpenStorage {
  /** The stores; building them brings the schema up to date. */
  readonly layer: Layer.Layer<Services.Stores, StorageUnusable>
  /** Where the data are in a database: under which URL others can work on it as long as the scope is open. */
  readonly databaseUrl: Option.Option<Redacted.Redacted>
}

/** Opens the storage until the scope closes. Drivers are loaded only where they are used. */
export const open = (choice: StorageChoice): Effect.Effect<OpenStorage, StorageUnusable, Scope.Scope> => {
  switch (kindOf(choice)) {
    case "memory":
      return Effect.map(
        Effect.promise(() => import("@errata/storage-memory")),
        ({ MemoryStorage }) => ({ layer: MemoryStorage.layer, databaseUrl: Option.none() }),
      )
    case "embedded":
      return Effect.promise(() => import("@errata/storage-postgres/embedded")).pipe(
        Effect.flatMap(({ EmbeddedPostgres }) => EmbeddedPostgres.make({ dataDir: choice.dataDir })),
        Effect.mapError((error) => new StorageUnusable({ message: error.message })),
        Effect.flatMap(({ url }) => openDatabase(url, true)),
      )
    case "postgres":
      return Option.match(choice.databaseUrl, {
        onNone: () =>
          new StorageUnusable({
            message: "The storage postgres needs a database: give --database-url or set DATABASE_URL.",
          }),
        onSome: (url) => openDatabase(url, false),
      })
  }
}

/** The stores of a storage that is open as long as they are. */
export const layer = (choice: StorageChoice): Layer.Layer<Services.Stores, StorageUnusable> =>
  Layer.unwrapScoped(Effect.map(open(choice), (storage) => storage.layer))

// internal

const openDatabase = (url: Redacted.Redacted, exclusive: boolean) =>
  Effect.map(
    Effect.promise(() => import("@errata/storage-postgres")),
    ({ PostgresStorage }): OpenStorage => ({
      layer: Layer.mapError(
        PostgresStorage.layer({ url, exclusive }),
        (error) => new StorageUnusable({ message: storageMessage(error) }),
      ),
      databaseUrl: Option.some(url),
    }),
  )

const storageMessage = (error: StorageError): string => {
  const cause =
    error.cause instanceof Error && error.cause.message !== "" ? error.cause.message : String(error.cause)
  return error.reason === "unavailable"
    ? `The database cannot be reached: ${cause}`
    : `The database could not be prepared (${error.operation}): ${cause}`
}
