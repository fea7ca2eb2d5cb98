/** `errata serve`: what it can be told. The server itself is loaded when it starts: other commands do without. */

import { Command, Options } from "@effect/cli"
import { Effect, Option } from "effect"
import { type Role, roles } from "./Roles.js"
import * as Setting from "./Setting.js"
import { storageChoice, storageOptions } from "./StorageOptions.js"

const options = {
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

export const serve = Command.make("serve", options, (given) =>
  Effect.gen(function* () {
    const storage = yield* storageChoice(given)
    const host = yield* Setting.valueOr(hostSetting, given.host, "127.0.0.1")
    const port = yield* Setting.valueOr(portSetting, given.port, 4000)
    const nodeRoles = yield* Setting.valueOr(rolesSetting, given.roles, roles)
    if (storage.kind === "memory" && nodeRoles.length < roles.length) {
      return yield* Setting.wrong(
        `A node with the roles ${nodeRoles.join(",")} shares its storage with others, and the storage memory is its own: take another storage, or both roles`,
      )
    }
    const server = yield* Effect.promise(() => import("./Server.js"))
    return yield* server.run({ storage, host, port, roles: nodeRoles })
  }),
).pipe(Command.withDescription("Run the server"))

/** What only the environment says, for the command's help. */
export const serveEnvironment: ReadonlyArray<readonly [variable: string, description: string]> = [
  [
    "ERRATA_BASE_URL",
    "The address that users and SDKs reach the server by. Default: the address listened on",
  ],
  ["ERRATA_ADMIN_EMAIL", "At the first start: the admin's e-mail address. Default: admin@localhost"],
  ["ERRATA_ADMIN_API_KEY", "At the first start: the admin's API key. Default: a fresh one, printed once"],
  ["ERRATA_LOG_LEVEL", "As --log-level. Default: info"],
  ["ERRATA_LOG_FORMAT", "As --log-format. Default: pretty on a terminal, else logfmt"],
  ["NO_COLOR", "Anything: no colours in the log"],
  [
    "NODE_OPTIONS",
    "Options of Node. --max-semi-space-size=8, which npm start gives, keeps the server below 300 MB under full load",
  ],
]

// internal

const hostSetting: Setting.Setting<string> = {
  option: "--host",
  variable: "ERRATA_HOST",
  parse: Setting.filled,
  expected: "a host name or an IP address",
}

const portSetting: Setting.Setting<number> = {
  option: "--port",
  variable: "ERRATA_PORT",
  parse: (text) =>
    /^\d{1,5}$/.test(text.trim()) && Number(text) <= 65_535 ? Option.some(Number(text)) : Option.none(),
  expected: "a port from 0 to 65535",
}

const rolesSetting: Setting.Setting<ReadonlyArray<Role>> = {
  option: "--roles",
  variable: "ERRATA_ROLES",
  parse: (text) => {
    const names = text.split(",").map((name) => name.trim())
    return names.every((name) => roles.some((role) => role === name))
      ? Option.some(roles.filter((role) => names.includes(role)))
      : Option.none()
  },
  expected: "web, worker or both",
}
