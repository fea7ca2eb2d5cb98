/** `errata serve` and its options. The server is loaded when it starts, because other commands do not need it. */
import cluster from "node:cluster"
import { setFlagsFromString } from "node:v8"
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { HelpEnd } from "./CommandLine.js"
import { warnOfUnknownVariables } from "./Configuration.js"
import { serverChoice } from "./ServerChoice.js"
import { storageOptions } from "./StorageOptions.js"
import { toggle } from "./Toggle.js"

/** Options of every command that needs the settings of a server. */
export const serverOptions = {
  host: Flag.String("host").pipe(
    Flag.optional,
    Flag.withDescription(
      "Address to listen on. 0.0.0.0 listens on all interfaces. Environment: ERRATA_HOST. Default: 127.0.0.1",
    ),
  ),
  port: Flag.String("port").pipe(
    Flag.withMetavar("integer"),
    Flag.optional,
    Flag.withDescription("Port to listen on. 0 selects a free port. Environment: ERRATA_PORT. Default: 4000"),
  ),
  ...storageOptions,
  roles: Flag.String("roles").pipe(
    Flag.optional,
    Flag.withDescription(
      "Roles of this node: web serves requests, worker records events and sends webhooks. Environment: ERRATA_ROLES. Default: web,worker",
    ),
  ),
  processes: Flag.String("processes").pipe(
    Flag.withMetavar("integer"),
    Flag.optional,
    Flag.withDescription(
      "Processes that accept on the port. Environment: ERRATA_PROCESSES. Default: with PostgreSQL and at least 4 cores, half of them, at most 4; otherwise 1",
    ),
  ),
  noDashboard: toggle(
    "no-dashboard",
    "Serve no dashboard, only the API and the pages of accounts. Environment: ERRATA_DASHBOARD_ENABLED=false",
  ),
}

/** The main settings that have no option, for the help of the command. */
const environment = {
  title: "ENVIRONMENT",
  rows: [
    ["ERRATA_BASE_URL", "URL at which users and SDKs reach the server. Default: the address it listens on"],
    [
      "ERRATA_ENCRYPTION_KEY",
      "Key that encrypts stored secrets, such as those of webhooks. Default: a key file in the data folder of the embedded database",
    ],
    [
      "ERRATA_SMTP_URL",
      "Mail server: smtp://user:password@host:587. Requires ERRATA_MAIL_FROM and ERRATA_BASE_URL. Default: no mail",
    ],
    ["ERRATA_MAIL_FROM", "Sender of mail, e.g. Errata <errata@example.com>"],
    [
      "ERRATA_ADMIN_EMAIL",
      "Email address of the admin that the first start creates. Default: admin@localhost",
    ],
    [
      "ERRATA_ADMIN_API_KEY",
      "API key of the admin that the first start creates. Default: a generated key, printed once",
    ],
    ["ERRATA_LOG_LEVEL", "Same as --log-level. Default: info"],
    ["ERRATA_LOG_FORMAT", "Same as --log-format. Default: pretty on a terminal, otherwise logfmt"],
    [
      "ERRATA_...",
      "Any other setting, e.g. ERRATA_INGEST_LIMITS_MAX_TAGS. docs/configuration.md lists them, and errata config " +
        "shows their values",
    ],
    ["NO_COLOR", "Any value disables colors in the log"],
    [
      "NODE_OPTIONS",
      "Options of Node. --max-semi-space-size=8, which npm start sets, keeps the server below 300 MB under full load",
    ],
  ] as const,
}

const serveOptions = {
  ...serverOptions,
  noMigrate: toggle(
    "no-migrate",
    "Start only if errata migrate has migrated the database. For a database role that may not change the schema",
  ),
}

export const serve = Command.make("serve", serveOptions, (flags) =>
  Effect.gen(function* () {
    const choice = yield* serverChoice(flags)
    if (cluster.isPrimary) yield* warnOfUnknownVariables
    if (cluster.isPrimary && choice.processes > 1) {
      const supervisor = yield* Effect.promise(() => import("./Supervisor.js"))
      return yield* supervisor.run(choice.processes, choice.drainTime)
    }
    yield* boundHeapGrowth
    const [server, process] = yield* Effect.promise(() =>
      Promise.all([import("./Server.js"), import("./ServerProcess.js")]),
    )
    return yield* Effect.ensuring(server.run(choice), process.release)
  }),
).pipe(Command.withDescription("Run the server"), Command.annotate(HelpEnd, environment))

/**
 * Bounds the growth of the heap before a full garbage collection, for both threads. By default, V8 lets the heap grow
 * fourfold if memory is available: the server's heap reached 100 MB with 30 MB in use.
 */
const boundHeapGrowth = Effect.sync(() => setFlagsFromString("--heap-growing-percent=80"))
