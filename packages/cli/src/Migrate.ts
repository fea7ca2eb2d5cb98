import { Console, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { CommandFailed } from "./ErrorOutput.js"
import { distribute, openToMigrate, pendingSql } from "./Storage.js"
import { storageChoice, storageOptions } from "./StorageOptions.js"
import { toggle } from "./Toggle.js"

const options = {
  ...storageOptions,
  printSql: toggle(
    "print-sql",
    "Print the SQL of the pending migrations, for psql or a DBA, and change nothing. Requires --storage postgres",
  ),
  distribute: toggle(
    "distribute",
    "Distribute the projects over the nodes of a Citus cluster. Stop all servers first. Requires --storage postgres",
  ),
  buckets: Flag.Int("buckets").pipe(
    Flag.withDefault(32),
    Flag.withDescription(
      "With --distribute, the number of parts that move between nodes as a whole. It cannot change later",
    ),
  ),
}

/** `errata migrate`: creates and migrates the schema, for servers whose database role has no permission to do so. */
export const migrate = Command.make("migrate", options, (flags) =>
  Effect.gen(function* () {
    const choice = yield* storageChoice(flags)
    if (choice.kind === "memory") {
      return yield* new CommandFailed({ message: "Memory storage has no schema to migrate." })
    }
    if (flags.distribute) {
      if (choice.kind === "embedded") {
        return yield* new CommandFailed({
          message: "--distribute requires a Citus cluster. Give --database-url or set DATABASE_URL.",
        })
      }
      yield* distribute(choice, flags.buckets)
      return yield* Console.log("The projects are distributed.")
    }
    if (flags.printSql) {
      if (choice.kind === "embedded") {
        return yield* new CommandFailed({
          message: "--print-sql requires a PostgreSQL database. Give --database-url or set DATABASE_URL.",
        })
      }
      const sql = yield* pendingSql(choice)
      return yield* Console.log(sql === "" ? "-- The database is up to date." : sql.trimEnd())
    }
    const storage = yield* openToMigrate(choice)
    yield* Effect.provide(Effect.void, storage.layer)
    yield* Console.log("The database is up to date.")
  }).pipe(Effect.scoped),
).pipe(Command.withDescription("Create the database if it does not exist, and migrate its schema"))
