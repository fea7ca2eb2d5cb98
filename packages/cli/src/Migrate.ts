import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { CommandFailed } from "./ErrorOutput.js"
import { openToMigrate } from "./Storage.js"
import { storageChoice, storageOptions } from "./StorageOptions.js"

/** `errata migrate`: creates and migrates the schema, for servers whose database role has no permission to do so. */
export const migrate = Command.make("migrate", storageOptions, (flags) =>
  Effect.gen(function* () {
    const choice = yield* storageChoice(flags)
    if (choice.kind === "memory") {
      return yield* new CommandFailed({ message: "Memory storage has no schema to migrate." })
    }
    const storage = yield* openToMigrate(choice)
    yield* Effect.provide(Effect.void, storage.layer)
    yield* Console.log("The database is up to date.")
  }).pipe(Effect.scoped),
).pipe(Command.withDescription("Create the database if it does not exist, and migrate its schema"))
