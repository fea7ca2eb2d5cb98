/** Where the data live: the options that every command that touches them shares. */

import { Options } from "@effect/cli"
import type { Services, StorageError } from "@errata/core"
import { Config, Data, Effect, Layer, Option, type Redacted } from "effect"

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
    Options.withFallbackConfig(Config.string("ERRATA_DATA_DIR")),
    Options.withDefault(".errata"),
    Options.withDescription("The folder of the embedded database. Environment: ERRATA_DATA_DIR"),
  ),
  databaseUrl: Options.redacted("database-url").pipe(
    Options.withFallbackConfig(Config.redacted("DATABASE_URL")),
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

/** Opens the storage and brings its schema up to date. Drivers are loaded only where they are used. */
export const layer = (choice: StorageChoice): Layer.Layer<Services.Stores, StorageUnusable> =>
  Layer.unwrapEffect(Effect.map(open(choice), Layer.mapError(toUnusable)))

// internal

const open = (choice: StorageChoice) => {
  switch (kindOf(choice)) {
    case "memory":
      return Effect.map(
        Effect.promise(() => import("@errata/storage-memory")),
        ({ MemoryStorage }) => MemoryStorage.layer,
      )
    case "embedded":
      return Effect.map(
        Effect.promise(() => import("@errata/storage-postgres/embedded")),
        ({ EmbeddedStorage }) => EmbeddedStorage.layer({ dataDir: choice.dataDir }),
      )
    case "postgres":
      return Option.match(choice.databaseUrl, {
        onNone: () =>
          new StorageUnusable({
            message: "The storage postgres needs a database: give --database-url or set DATABASE_URL.",
          }),
        onSome: (url) =>
          Effect.map(
            Effect.promise(() => import("@errata/storage-postgres")),
            ({ PostgresStorage }) => PostgresStorage.layer({ url }),
          ),
      })
  }
}

const toUnusable = (
  error: StorageError | { readonly _tag: string; readonly message: string },
): StorageUnusable =>
  new StorageUnusable({
    message: error._tag === "StorageError" ? storageMessage(error as StorageError) : error.message,
  })

const storageMessage = (error: StorageError): string => {
  const cause =
    error.cause instanceof Error && error.cause.message !== "" ? error.cause.message : String(error.cause)
  return error.reason === "unavailable"
    ? `The database cannot be reached: ${cause}`
    : `The database could not be prepared (${error.operation}): ${cause}`
}
