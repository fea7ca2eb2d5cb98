/** Where the data live, as it is told: options that every command which touches them shares, and the environment. */
import { Options } from "@effect/cli"
import { type Duration, Effect, Option, Redacted } from "effect"
import type { CommandFailed } from "./ErrorOutput.js"
import * as ServerSettings from "./ServerSettings.js"
import { type StorageKind, storageKinds } from "./ServerSettings.js"
import * as Setting from "./Setting.js"

const described = (descriptions: Readonly<Record<"storage" | "dataDir" | "databaseUrl", string>>) => ({
  storage: Options.choice("storage", storageKinds).pipe(
    Options.optional,
    Options.withDescription(descriptions.storage),
  ),
  // Not as a directory: the parser's own look at it fails with less than a sentence.
  dataDir: Options.text("data-dir").pipe(
    Options.withPseudoName("directory"),
    Options.optional,
    Options.withDescription(descriptions.dataDir),
  ),
  databaseUrl: Options.redacted("database-url").pipe(
    Options.optional,
    Options.withDescription(descriptions.databaseUrl),
  ),
  // Read before the command runs, as it may say what is logged; see `Configuration.ts`.
  config: Options.text("config").pipe(
    Options.withPseudoName("file"),
    Options.optional,
    Options.withDescription(
      "A JSON file with settings, see docs/configuration.md. Environment: ERRATA_CONFIG",
    ),
  ),
})

export const storageOptions = described({
  storage:
    "Where the data live. Environment: ERRATA_STORAGE. Default: postgres where a database URL is given, else embedded",
  dataDir: "The folder of the embedded database. Environment: ERRATA_DATA_DIR. Default: .errata",
  databaseUrl: "postgres://user:password@host:port/database. Environment: DATABASE_URL",
})

/** Of commands that go over the API, too: to give one of them says that the storage is meant. */
export const directStorageOptions = described({
  storage: "Go straight to a storage of this kind, though a server is known",
  dataDir: "Go straight to the embedded database in this folder",
  databaseUrl: "Go straight to this database",
})

/** As they stand on the command line. */
export interface StorageFlags {
  readonly storage: Option.Option<StorageKind>
  readonly dataDir: Option.Option<string>
  readonly databaseUrl: Option.Option<Redacted.Redacted>
}

/** One storage, with what leads to it. */
export type StorageChoice =
  | { readonly kind: "memory" }
  | { readonly kind: "embedded"; readonly dataDir: string; readonly answerTimeout: Duration.Duration }
  | {
      readonly kind: "postgres"
      readonly answerTimeout: Duration.Duration
      readonly url: Redacted.Redacted
      /** On the file system of the database, if somebody named one. */
      readonly diskPath: string | undefined
    }

/** Whether the command line names a storage. */
export const isStorageNamed = ({ dataDir, databaseUrl, storage }: StorageFlags): boolean =>
  [dataDir, databaseUrl, storage].some((option: Option.Option<unknown>) => Option.isSome(option))

/** What is meant, of options that do not contradict each other. */
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
      return yield* Setting.wrong(
        "--data-dir is for the embedded database, and --database-url for another one: give one of them",
      )
    }
    const kind: StorageKind = Option.match(
      // An option that belongs to one storage says more than the environment.
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
      return yield* Setting.wrong(`--database-url is for --storage postgres, not for --storage ${kind}`)
    }
    if (isFolderOption && kind !== "embedded") {
      return yield* Setting.wrong(`--data-dir is for --storage embedded, not for --storage ${kind}`)
    }
    const answerTimeout = yield* Setting.valueOr(
      ServerSettings.databaseAnswerTimeout,
      Option.none(),
      ServerSettings.databaseAnswerTimeout.default,
    )
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
        const diskPath = yield* Setting.given(ServerSettings.databaseDiskPath, Option.none())
        return yield* Option.match(url, {
          onNone: () =>
            Setting.wrong("The storage postgres needs a database: give --database-url or set DATABASE_URL."),
          onSome: ({ value }) =>
            Effect.succeed({
              kind,
              url: value,
              diskPath: Option.getOrUndefined(diskPath)?.value,
              answerTimeout,
            }),
        })
      }
    }
  })

/** In a few words, for people; without secrets. */
export const describe = (choice: StorageChoice): string => {
  switch (choice.kind) {
    case "memory":
      return "memory (gone when the server stops)"
    case "embedded":
      return `embedded database in ${choice.dataDir}`
    case "postgres":
      return "PostgreSQL"
  }
}
