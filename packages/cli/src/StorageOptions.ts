/** Options and settings that select the storage. */
import { type Duration, Effect, Option, Redacted } from "effect"
import { Flag } from "effect/cli"
import { type CommandFailed, usageError } from "./ErrorOutput.js"
import * as ServerSettings from "./ServerSettings.js"
import { type StorageKind, storageKinds } from "./ServerSettings.js"
import * as Setting from "./Setting.js"

const described = (descriptions: Readonly<Record<"storage" | "dataDir" | "databaseUrl", string>>) => ({
  storage: Flag.Literals("storage", storageKinds).pipe(
    Flag.optional,
    Flag.withDescription(descriptions.storage),
  ),
  // Not `Flag.Directory`: the error message of its check is not a sentence.
  dataDir: Flag.String("data-dir").pipe(
    Flag.withMetavar("directory"),
    Flag.optional,
    Flag.withDescription(descriptions.dataDir),
  ),
  databaseUrl: Flag.Redacted("database-url").pipe(
    Flag.optional,
    Flag.withDescription(descriptions.databaseUrl),
  ),
})

export const storageOptions = described({
  storage:
    "Kind of storage. Environment: ERRATA_STORAGE. Default: postgres if a database URL is set, otherwise embedded",
  dataDir: "Data folder of the embedded database. Environment: ERRATA_DATA_DIR. Default: .errata",
  databaseUrl: "postgres://user:password@host:port/database. Environment: DATABASE_URL",
})

/** Options of commands that also use the API. Giving one of them selects the storage. */
export const directStorageOptions = described({
  storage: "Use this kind of storage directly, even if a server is known",
  dataDir: "Use the embedded database in this folder directly",
  databaseUrl: "Use this database directly",
})

/** The options as given on the command line. */
export interface StorageFlags {
  readonly storage: Option.Option<StorageKind>
  readonly dataDir: Option.Option<string>
  readonly databaseUrl: Option.Option<Redacted.Redacted>
}

/** A storage and the values that open it. */
export type StorageChoice =
  | { readonly kind: "memory" }
  | { readonly kind: "embedded"; readonly dataDir: string; readonly answerTimeout: Duration.Duration }
  | {
      readonly kind: "postgres"
      readonly answerTimeout: Duration.Duration
      readonly url: Redacted.Redacted
      readonly workerUrls: ReadonlyArray<Redacted.Redacted>
      readonly schema: string
      /** A path on the database's file system, if configured. */
      readonly diskPath: string | undefined
    }

/** True if the command line selects a storage. */
export const isStorageNamed = ({ dataDir, databaseUrl, storage }: StorageFlags): boolean =>
  [dataDir, databaseUrl, storage].some((option: Option.Option<unknown>) => Option.isSome(option))

/** Returns the selected storage, or fails if the options conflict. */
export const storageChoice = (flags: StorageFlags): Effect.Effect<StorageChoice, CommandFailed> =>
  Effect.gen(function* () {
    const named = yield* Setting.given(ServerSettings.storage, flags.storage)
    const dataDir = yield* Setting.given(ServerSettings.dataDir, flags.dataDir)
    const url = yield* Setting.given(
      ServerSettings.databaseUrl,
      Option.map(flags.databaseUrl, Redacted.value),
    )

    const isUrlOption = Option.isSome(flags.databaseUrl)
    const isFolderOption = Option.isSome(flags.dataDir)
    if (isUrlOption && isFolderOption) {
      return yield* usageError(
        "--data-dir selects an embedded database and --database-url another one. Give only one of them",
      )
    }
    const kind: StorageKind = Option.match(
      // An option of one storage takes precedence over the environment.
      Option.filter(named, ({ isOption }) => isOption || !(isUrlOption || isFolderOption)),
      {
        onNone: () =>
          isUrlOption || (!isFolderOption && Option.isSome(url))
            ? ("postgres" as const)
            : ("embedded" as const),
        onSome: ({ value }) => value,
      },
    )
    if (isUrlOption && kind !== "postgres") {
      return yield* usageError(`--database-url requires --storage postgres, not --storage ${kind}`)
    }
    if (isFolderOption && kind !== "embedded") {
      return yield* usageError(`--data-dir requires --storage embedded, not --storage ${kind}`)
    }
    const answerTimeout = yield* ServerSettings.valueOf(ServerSettings.databaseAnswerTimeout)
    switch (kind) {
      case "memory":
        return { kind }
      case "embedded":
        return {
          kind,
          dataDir: Option.match(dataDir, {
            onNone: () => ServerSettings.dataDir.default,
            onSome: ({ value }) => value,
          }),
          answerTimeout,
        }
      case "postgres": {
        const diskPath = yield* Setting.given(ServerSettings.databaseDiskPath)
        const workerUrls = yield* ServerSettings.valueOf(ServerSettings.databaseWorkerUrls)
        const schema = yield* ServerSettings.valueOf(ServerSettings.databaseSchema)
        return yield* Option.match(url, {
          onNone: () =>
            usageError("--storage postgres requires a database. Give --database-url or set DATABASE_URL."),
          onSome: ({ value }) =>
            Effect.succeed({
              kind,
              url: value,
              workerUrls,
              schema,
              diskPath: Option.getOrUndefined(diskPath)?.value,
              answerTimeout,
            }),
        })
      }
    }
  })

/** Describes the storage in a few words, without secrets. */
export const describe = (choice: StorageChoice): string => {
  switch (choice.kind) {
    case "memory":
      return "memory (lost when the server stops)"
    case "embedded":
      return `embedded database in ${choice.dataDir}`
    case "postgres":
      return "PostgreSQL"
  }
}
