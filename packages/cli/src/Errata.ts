/** The `errata` command. */
import { Command } from "@effect/cli"
import { migrate } from "./Migrate.js"
import { payloads } from "./PayloadsCommand.js"
import { serve } from "./Serve.js"
import { users } from "./UsersCommand.js"
import { version } from "./Version.js"

export const errata = Command.make("errata").pipe(
  Command.withDescription("A self-hosted error tracker for the official Sentry SDKs"),
  Command.withSubcommands([serve, migrate, users, payloads]),
)

/** Runs the command line given as in `process.argv`. */
export const run = Command.run(errata, { name: "errata", version })
