/** `errata serve`: what it can be told. The server itself is loaded when it starts: other commands do without. */

import { setFlagsFromString } from "node:v8"
import { Command, Options } from "@effect/cli"
import { Effect } from "effect"
import { warnOfUnknownVariables } from "./Configuration.js"
import { serverChoice } from "./ServerChoice.js"
import { storageOptions } from "./StorageOptions.js"

/** Of every command that takes what the server takes. */
export const serverOptions = {
  host: Options.text("host").pipe(
    Options.optional,
    Options.withDescription(
      "The address to listen on; 0.0.0.0 for all. Environment: ERRATA_HOST. Default: 127.0.0.1",
    ),
  ),
  port: Options.text("port").pipe(
    Options.withPseudoName("integer"),
    Options.optional,
    Options.withDescription(
      "The port to listen on; 0 for any that is free. Environment: ERRATA_PORT. Default: 4000",
    ),
  ),
  ...storageOptions,
  roles: Options.text("roles").pipe(
    Options.optional,
    Options.withDescription(
      "What this node does: web takes requests, worker records what was accepted. Environment: ERRATA_ROLES. Default: web,worker",
    ),
  ),
}

export const serve = Command.make("serve", serverOptions, (flags) =>
  Effect.gen(function* () {
    const choice = yield* serverChoice(flags)
    yield* warnOfUnknownVariables
    yield* boundHeapGrowth
    const server = yield* Effect.promise(() => import("./Server.js"))
    return yield* server.run(choice)
  }),
).pipe(Command.withDescription("Run the server"))

/**
 * How far a heap grows until all of it is collected, of both threads. Left to itself the collector lets it grow fourfold
 * where there is memory: that of the server's thread came to 100 MB of which 30 were in use.
 */
const boundHeapGrowth = Effect.sync(() => setFlagsFromString("--heap-growing-percent=80"))

/** What only the environment and the configuration file say, as far as it is important, for the command's help. */
export const serveEnvironment: ReadonlyArray<readonly [variable: string, description: string]> = [
  [
    "ERRATA_BASE_URL",
    "The address that users and SDKs reach the server by. Default: the address listened on",
  ],
  [
    "ERRATA_ENCRYPTION_KEY",
    "Encrypts stored secrets, such as those of webhooks. Default: made in the data folder of an embedded database",
  ],
  ["ERRATA_ADMIN_EMAIL", "At the first start: the admin's e-mail address. Default: admin@localhost"],
  ["ERRATA_ADMIN_API_KEY", "At the first start: the admin's API key. Default: a fresh one, printed once"],
  ["ERRATA_LOG_LEVEL", "As --log-level. Default: info"],
  ["ERRATA_LOG_FORMAT", "As --log-format. Default: pretty on a terminal, else logfmt"],
  [
    "ERRATA_...",
    "Every other setting, say ERRATA_INGEST_LIMITS_MAX_TAGS: docs/configuration.md has them, and errata config " +
      "tells what is in force",
  ],
  ["NO_COLOR", "Anything: no colours in the log"],
  [
    "NODE_OPTIONS",
    "Options of Node. --max-semi-space-size=8, which npm start gives, keeps the server below 300 MB under full load",
  ],
]
