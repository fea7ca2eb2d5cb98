import { Command } from "@effect/cli"
import { Console, Effect } from "effect"
import { CommandFailed } from "./ErrorOutput.js"
import { kindOf, layer, storageOptions } from "./StorageOptions.js"

/** `errata migrate`: the schema, apart from serving, for those who give the server a role without that right. */
export const migrate = Command.make("migrate", storageOptions, (choice) =>
  Effect.gen(function* () {
    const kind = kindOf(choice)
    if (kind === "memory") return yield* new CommandFailed({ message: "Memory has no schema to migrate." })
    yield* Effect.provide(Effect.void, layer(choice))
    yield* Console.log("The database is up to date.")
  }),
).pipe(Command.withDescription("Bring the schema of the database up to date"))
