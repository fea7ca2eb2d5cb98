/** The settings of a server, checked for conflicts. */
import { availableParallelism, totalmem } from "node:os"
import type { ErrataSettings } from "@errata/core"
import type { Keyring } from "@errata/core/ports"
import { type Duration, Effect, Option, type Redacted } from "effect"
import type { BlobsChoice } from "./Blobs.js"
import { blobsChoice } from "./BlobsChoice.js"
import { type CommandFailed, usageError } from "./ErrorOutput.js"
import { instanceSettings } from "./InstanceSettings.js"
import { type Role, roles } from "./Roles.js"
import * as ServerSettings from "./ServerSettings.js"
import * as Setting from "./Setting.js"
import { type StorageChoice, type StorageFlags, storageChoice } from "./StorageOptions.js"

export interface ServerFlags extends StorageFlags {
  /** False by default. */
  readonly noMigrate?: boolean
  readonly host: Option.Option<string>
  readonly port: Option.Option<string>
  readonly roles: Option.Option<string>
  readonly processes: Option.Option<string>
  readonly noDashboard: boolean
}

export interface ServerChoice {
  readonly storage: StorageChoice
  /** True to create and migrate the database. */
  readonly migrates: boolean
  readonly blobs: BlobsChoice
  readonly host: string
  readonly port: number
  readonly roles: ReadonlyArray<Role>
  /** Processes that accept on the port. */
  readonly processes: number
  readonly baseUrl: string | undefined
  readonly dsnPrefixes: ReadonlyArray<string>
  readonly corsOrigins: ReadonlyArray<string>
  readonly drainTime: Duration.Duration
  readonly hasDashboard: boolean
  /** Null if metrics are disabled. */
  readonly metrics: { readonly token: Redacted.Redacted | undefined } | null
  /** The keys from the settings. */
  readonly encryptionKeys: ReadonlyArray<Keyring.EncryptionKey>
  readonly trustedProxies: number
  /** Null if the server sends no mail. */
  readonly mail: MailChoice | null
  /** Credentials of the first admin. */
  readonly admin: {
    readonly emailAddress: string
    readonly apiKey: Redacted.Redacted | undefined
    /** Names of these two settings in error messages. */
    readonly names: { readonly emailAddress: string; readonly apiKey: string }
  }
  readonly settings: ErrataSettings
}

/** The mail server and the sender, with the names of these settings in error messages. */
export interface MailChoice {
  readonly url: Redacted.Redacted
  readonly from: string
  readonly names: { readonly url: string; readonly from: string }
}

export const serverChoice = (flags: ServerFlags): Effect.Effect<ServerChoice, CommandFailed> =>
  Effect.gen(function* () {
    const storage = yield* storageChoice(flags)
    if (flags.noMigrate === true && storage.kind !== "postgres") {
      return yield* usageError(`--no-migrate requires --storage postgres, not --storage ${storage.kind}`)
    }
    const host = yield* ServerSettings.valueOf(ServerSettings.host, flags.host)
    const port = yield* ServerSettings.valueOf(ServerSettings.port, flags.port)
    const nodeRoles = yield* ServerSettings.valueOf(ServerSettings.nodeRoles, flags.roles)
    if (storage.kind === "memory" && nodeRoles.length < roles.length) {
      return yield* usageError(
        `Memory storage cannot be shared with other nodes, so it requires both roles, not only ${nodeRoles.join(",")}. Use another storage, or the roles web,worker`,
      )
    }
    const processes = yield* processesOf(storage, flags.processes)
    const emailAddress = yield* Setting.given(ServerSettings.adminEmail)
    const apiKey = yield* Setting.given(ServerSettings.adminApiKey)
    const hasMetrics = yield* ServerSettings.valueOf(ServerSettings.metricsEnabled)
    const baseUrl = yield* Setting.given(ServerSettings.baseUrl)
    const metricsToken = yield* Setting.given(ServerSettings.metricsToken)
    const blobs = yield* blobsChoice
    const settings = yield* instanceSettings
    if (blobs.kind === "database" && settings.archiveAfterWeeks > 0) {
      return yield* usageError(
        `ERRATA_ARCHIVE_AFTER_WEEKS requires a store outside the database. Set ${ServerSettings.blobs.variable} to a folder or S3`,
      )
    }
    return {
      storage,
      migrates: flags.noMigrate !== true,
      blobs,
      host,
      port,
      roles: nodeRoles,
      processes,
      baseUrl: Option.getOrUndefined(baseUrl)?.value,
      dsnPrefixes: yield* ServerSettings.valueOf(ServerSettings.dsnPrefixes),
      corsOrigins: yield* ServerSettings.valueOf(ServerSettings.corsOrigins),
      hasDashboard: yield* ServerSettings.valueOf(
        ServerSettings.dashboardEnabled,
        flags.noDashboard ? Option.some("false") : Option.none(),
      ),
      metrics: hasMetrics ? { token: Option.getOrUndefined(metricsToken)?.value } : null,
      drainTime: yield* ServerSettings.valueOf(ServerSettings.drainTime),
      encryptionKeys: yield* Setting.valueOr(ServerSettings.encryptionKey, Option.none(), []),
      trustedProxies: yield* ServerSettings.valueOf(ServerSettings.trustedProxies),
      mail: yield* mailChoice(Option.isSome(baseUrl)),
      admin: {
        emailAddress: Option.getOrUndefined(emailAddress)?.value ?? ServerSettings.adminEmail.default,
        apiKey: Option.getOrUndefined(apiKey)?.value,
        names: {
          emailAddress: Option.getOrUndefined(emailAddress)?.name ?? ServerSettings.adminEmail.variable,
          apiKey: Option.getOrUndefined(apiKey)?.name ?? ServerSettings.adminApiKey.variable,
        },
      },
      settings,
    }
  })

/** Each process keeps two cores busy, with its own thread and that of its recorder, and may need 512 MiB. */
export const defaultProcesses = (storage: StorageChoice["kind"], cores: number, memory: number): number =>
  storage === "postgres" && cores >= 4
    ? Math.max(1, Math.min(4, Math.floor(cores / 2), Math.floor(memory / 2 ** 29)))
    : 1

// internal

const processesOf = Effect.fnUntraced(function* (storage: StorageChoice, flag: Option.Option<string>) {
  // The limit of the container, if it has one.
  const memory = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)
  const fitting = defaultProcesses(storage.kind, availableParallelism(), memory)
  const processes = yield* Setting.valueOr(ServerSettings.processes, flag, fitting)
  return processes > 1 && storage.kind !== "postgres"
    ? yield* usageError(
        `Only a server on PostgreSQL can have ${processes} processes. Set --database-url or DATABASE_URL, or --processes 1`,
      )
    : processes
})

/** Mail contains links, which need an address that does not depend on a request. */
const mailChoice = Effect.fnUntraced(function* (hasBaseUrl: boolean) {
  const url = Option.getOrNull(yield* Setting.given(ServerSettings.smtpUrl))
  const from = Option.getOrNull(yield* Setting.given(ServerSettings.mailFrom))
  if (url === null) return null
  if (from === null) {
    return yield* usageError(
      `${url.name} requires a sender. Set ${ServerSettings.mailFrom.variable}, such as errata@example.com`,
    )
  }
  if (!hasBaseUrl) {
    return yield* usageError(
      `${url.name} requires the public address of the server for the links in mail. Set ${ServerSettings.baseUrl.variable}`,
    )
  }
  const choice: MailChoice = { url: url.value, from: from.value, names: { url: url.name, from: from.name } }
  return choice
})
