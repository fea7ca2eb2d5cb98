import { Command } from "@effect/cli"
import { Console, Effect } from "effect"
import { CommandFailed } from "./ErrorOutput.js"
import { openBeside } from "./Storage.js"
import { storageChoice, storageOptions } from "./StorageOptions.js"

/** `errata migrate`: the schema, apart from serving, for those who give the server a role without that right. */
export const migrate = Command.make("migrate", storageOptions, (flags) =>
  Effect.gen(function* () {
    const choice = yield* storageChoice(flags)
    if (choice.kind === "memory") {
      return yield* new CommandFailed({ message: "Memory has no schema to migrate." })
    }
    const storage = yield* openBeside(choice)
    yield* Effect.provide(Effect.void, storage.layer)
    yield* Console.log("The database is up to date.")
  }).pipe(Effect.scoped),
).pipe(Command.withDescription("Bring the schema of the database up to date"))
