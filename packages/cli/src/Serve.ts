/** `errata serve`: what it can be told. The server itself is loaded when it starts: other commands do without. */

import { Command, Options } from "@effect/cli"
import { Config, Effect } from "effect"
import { storageOptions } from "./StorageOptions.js"

const options = {
  host: Options.text("host").pipe(
    Options.withFallbackConfig(Config.nonEmptyString("ERRATA_HOST")),
    Options.withDefault("127.0.0.1"),
    Options.withDescription("The address to listen on; 0.0.0.0 for all. Environment: ERRATA_HOST"),
  ),
  port: Options.integer("port").pipe(
    Options.withFallbackConfig(Config.integer("ERRATA_PORT")),
    Options.withDefault(4000),
    Options.withDescription("The port to listen on; 0 for any that is free. Environment: ERRATA_PORT"),
  ),
  ...storageOptions,
  roles: Options.text("roles").pipe(
    Options.withFallbackConfig(Config.nonEmptyString("ERRATA_ROLES")),
    Options.withDefault("web,worker"),
    Options.withDescription(
      "What this node does: web takes requests, worker records what was accepted. Environment: ERRATA_ROLES",
    ),
  ),
}

export const serve = Command.make("serve", options, (choice) =>
  Effect.flatMap(
    Effect.promise(() => import("./Server.js")),
    (server) => server.run(choice),
  ),
).pipe(Command.withDescription("Run the server"))
