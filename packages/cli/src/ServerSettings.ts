/** Settings of a server that are not settings of the instance: its address, storage and log. */
import { fileURLToPath } from "node:url"
import { formatDuration, isEmailAddress, parseDuration, Secrets } from "@errata/core/internal"
import { Keyring } from "@errata/core/ports"
import { Duration, Option, Redacted } from "effect"
import { type LogFormat, logFormats } from "./LogFormat.js"
import { type LevelName, levelNames } from "./Logging.js"
import { type Role, roles } from "./Roles.js"
import * as Setting from "./Setting.js"

/** Processes that one server can have. */
const maxProcesses = 64

export const storageKinds = ["memory", "embedded", "postgres"] as const
export type StorageKind = (typeof storageKinds)[number]

/** A setting with its documentation. */
export interface ServerSetting<A> extends Setting.Setting<A> {
  readonly description: string
  /** The default, unless it depends on other settings. */
  readonly default?: A
  /** The default in the documentation. */
  readonly fallback: string
  /** A method, so that settings of different types fit in one list. */
  format(value: A): string
}

interface WithDefault<A> extends ServerSetting<A> {
  readonly default: A
}

/** Parts that most settings leave out. */
type Optional = "option" | "format"

type Given<Setting, Key extends keyof Setting> = Omit<Setting, Key> & Partial<Pick<Setting, Key>>

const setting = <A>(given: Given<ServerSetting<A>, Optional>): ServerSetting<A> => ({
  option: null,
  format: String,
  ...given,
})

const withDefault = <A>(given: Given<WithDefault<A>, Optional | "fallback">): WithDefault<A> => {
  const { format = String } = given
  return { option: null, format, fallback: format(given.default), ...given }
}

/** Reads a setting, or its default. */
export const valueOf = <A>(setting: WithDefault<A>, option: Option.Option<string> = Option.none()) =>
  Setting.valueOr(setting, option, setting.default)

export const host = withDefault<string>({
  path: "host",
  option: "--host",
  variable: "ERRATA_HOST",
  parse: Setting.filled,
  expected: "a host name or an IP address",
  description: "Address to listen on. Set `0.0.0.0` to accept connections from other machines.",
  default: "127.0.0.1",
})

export const port = withDefault<number>({
  path: "port",
  option: "--port",
  variable: "ERRATA_PORT",
  parse: (text) =>
    /^\d{1,5}$/.test(text.trim()) && Number(text) <= 65_535 ? Option.some(Number(text)) : Option.none(),
  expected: "a port from 0 to 65535",
  description: "Port to listen on. 0 chooses a free port.",
  default: 4000,
})

export const blobs = withDefault<string>({
  path: "blobs",
  variable: "ERRATA_BLOBS",
  parse: (text) => Option.filter(Option.some(text.trim()), isPlaceForBlobs),
  expected: "database, file:///an/absolute/path or s3://bucket/prefix/",
  description:
    "Store for uploaded files, and for old bodies of reports with `archiveAfterWeeks`. All nodes need the same store. S3 needs the package `@aws-sdk/client-s3` and its credentials, such as `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`.",
  default: "database",
})

export const blobsS3Endpoint = setting<string>({
  path: "blobsS3.endpoint",
  variable: "ERRATA_BLOBS_S3_ENDPOINT",
  parse: (text) => Option.filter(Option.some(text.trim()), isHttpUrl),
  expected: "an http or https URL",
  description: "Address of an S3-compatible store that is not Amazon's.",
  fallback: "Amazon S3",
})

export const blobsS3Region = setting<string>({
  path: "blobsS3.region",
  variable: "ERRATA_BLOBS_S3_REGION",
  parse: Setting.filled,
  expected: "a region",
  description: "Region of the bucket.",
  fallback: "us-east-1",
})

export const baseUrl = setting<string>({
  path: "baseUrl",
  variable: "ERRATA_BASE_URL",
  parse: (text) => Option.filter(Option.some(text.trim()), isHttpUrl),
  expected: "an http or https URL",
  description:
    "Public address of the server for users and SDKs. Set it if the server is behind a proxy. It may have a path.",
  fallback: "the address that the server listens on",
})

export const dsnPrefixes = withDefault<ReadonlyArray<string>>({
  path: "dsnPrefixes",
  variable: "ERRATA_DSN_PREFIXES",
  parse: list((prefix) => /^\/?[\w.~-]+(\/[\w.~-]+)*\/?$/.test(prefix)),
  expected: "paths separated by commas, such as /sentry",
  description:
    "Additional paths that DSNs may have before the project's id. Set it to keep the DSNs of a server under such a path.",
  default: [],
  fallback: "none",
  format: (prefixes) => prefixes.join(","),
})

export const corsOrigins = withDefault<ReadonlyArray<string>>({
  path: "corsOrigins",
  variable: "ERRATA_CORS_ORIGINS",
  parse: list((origin) => origin === "*" || (isHttpUrl(origin) && new URL(origin).origin === origin)),
  expected: "origins separated by commas, such as https://app.example.com, or *",
  description: "Origins whose pages may call the REST API from a browser. `*` allows all.",
  default: [],
  fallback: "none",
  format: (origins) => origins.join(","),
})

export const drainTime = withDefault<Duration.Duration>({
  path: "drainTime",
  variable: "ERRATA_DRAIN_TIME",
  parse: (text) =>
    Option.filter(parseDuration(text.trim()), Duration.isLessThanOrEqualTo(Duration.minutes(5))),
  expected: "a duration from 0 millis to 5 minutes",
  description:
    "Time that a stopping server keeps working while `/ready` returns 503. Set it longer than your load balancer needs to notice.",
  default: Duration.zero,
  format: formatDuration,
})

export const trustedProxies = withDefault<number>({
  path: "trustedProxies",
  variable: "ERRATA_TRUSTED_PROXIES",
  parse: (text) => (/^\d$/.test(text.trim()) ? Option.some(Number(text)) : Option.none()),
  expected: "a number from 0 to 9",
  description:
    "Number of proxies in front of the server that append to `X-Forwarded-For`. Errata limits sign-in attempts by the client address from this header.",
  default: 0,
})

export const nodeRoles = withDefault<ReadonlyArray<Role>>({
  path: "roles",
  option: "--roles",
  variable: "ERRATA_ROLES",
  parse: (text) => {
    const names = text.split(",").map((name) => name.trim())
    return names.every((name) => roles.some((role) => role === name))
      ? Option.some(roles.filter((role) => names.includes(role)))
      : Option.none()
  },
  expected: "web, worker or both",
  description:
    "Roles of this node. `web` serves requests, `worker` records events and sends webhooks. Set it to run them on separate nodes.",
  default: roles,
  format: (names) => names.join(","),
})

export const processes = setting<number>({
  path: "processes",
  option: "--processes",
  variable: "ERRATA_PROCESSES",
  parse: (text) =>
    /^\d{1,2}$/.test(text.trim()) && Number(text) >= 1 && Number(text) <= maxProcesses
      ? Option.some(Number(text))
      : Option.none(),
  expected: `a number from 1 to ${maxProcesses}`,
  description:
    "Number of processes of this node, which accept on the same port. More than one requires PostgreSQL, and about 20 of its connections for each process. Set it to use more or fewer processors.",
  fallback:
    "With PostgreSQL and at least 4 cores, half of them, at most 4, and one for each 512 MiB of memory. Otherwise 1",
})

export const storage = setting<StorageKind>({
  path: "storage",
  option: "--storage",
  variable: "ERRATA_STORAGE",
  parse: Setting.oneOf(storageKinds),
  expected: Setting.listed(storageKinds),
  description:
    "Storage of the instance. Data in `memory` is lost when the server stops. Use `memory` for tests only.",
  fallback: "postgres if databaseUrl is set, otherwise embedded",
})

export const dataDir = withDefault<string>({
  path: "dataDir",
  option: "--data-dir",
  variable: "ERRATA_DATA_DIR",
  parse: Setting.filled,
  expected: "the path of a folder",
  description: "Folder of the embedded database. A relative path starts at the current folder.",
  default: ".errata",
})

export const databaseUrl = setting<Redacted.Redacted>({
  path: "databaseUrl",
  option: "--database-url",
  variable: "DATABASE_URL",
  parse: (text) => (isDatabaseUrl(text) ? Option.some(Redacted.make(text)) : Option.none()),
  expected: "the URL of a PostgreSQL database: postgres://user:password@host:port/database",
  // It contains a password.
  isSecret: true,
  description:
    "Your PostgreSQL database. Without it, Errata starts an embedded one. It may have several hosts: `postgres://user@a,b/errata`.",
  fallback: "none",
})

export const databaseWorkerUrls = withDefault<ReadonlyArray<Redacted.Redacted>>({
  path: "databaseWorkerUrls",
  variable: "ERRATA_DATABASE_WORKER_URLS",
  // A URL with several hosts has commas, too.
  parse: (text) => {
    const urls = text.trim().split(/[\s,]+(?=postgres(?:ql)?:)/)
    return urls.every(isDatabaseUrl) ? Option.some(urls.map((url) => Redacted.make(url))) : Option.none()
  },
  expected: "URLs of PostgreSQL databases, separated by commas",
  // They contain a password.
  isSecret: true,
  description:
    "The database of `databaseUrl` on the workers of its Citus cluster. The server then sends statements on the data of a project to the worker that has it, and the coordinator has less to do.",
  default: [],
  fallback: "none",
})

export const databaseSchema = withDefault<string>({
  path: "databaseSchema",
  variable: "ERRATA_DATABASE_SCHEMA",
  parse: (text) => (/^[a-z_][a-z0-9_]{0,62}$/.test(text.trim()) ? Option.some(text.trim()) : Option.none()),
  expected: "at most 63 lower-case letters, digits and underscores",
  description:
    "Schema of the tables in your PostgreSQL database. Instances with different schemas share a database and nothing else.",
  default: "errata",
})

export const databaseDiskPath = setting<string>({
  path: "databaseDiskPath",
  variable: "ERRATA_DATABASE_DISK_PATH",
  parse: Setting.filled,
  expected: "a path",
  description:
    "Path on the file system of your PostgreSQL database, to measure its free space. Needed only if the server cannot read the database's data folder.",
  fallback: "none",
})

export const databaseAnswerTimeout = withDefault<Duration.Duration>({
  path: "databaseAnswerTimeout",
  variable: "ERRATA_DATABASE_ANSWER_TIMEOUT",
  parse: (text) =>
    Option.filter(
      parseDuration(text.trim()),
      Duration.between({ minimum: Duration.seconds(1), maximum: Duration.minutes(5) }),
    ),
  expected: "a duration from 1 second to 5 minutes",
  description:
    "Time limit of a database statement. After that, requests get 503 and workers retry. Raise it for a slow database.",
  default: Duration.seconds(15),
  format: formatDuration,
})

export const encryptionKey = setting<ReadonlyArray<Keyring.EncryptionKey>>({
  path: "encryptionKey",
  variable: "ERRATA_ENCRYPTION_KEY",
  parse: Keyring.parseKeys,
  expected:
    "keys of 32 bytes in base64 or hexadecimal, separated by commas. Create one with openssl rand -base64 32",
  isSecret: true,
  description:
    "Encrypts stored secrets, such as those of webhooks. Webhooks on your own PostgreSQL need it. To rotate, put the new key before the old one.",
  fallback: "created in dataDir; none with databaseUrl",
})

export const smtpUrl = setting<Redacted.Redacted>({
  path: "smtpUrl",
  variable: "ERRATA_SMTP_URL",
  parse: (text) =>
    /^smtps?:\/\//i.test(text.trim()) && URL.canParse(text.trim())
      ? Option.some(Redacted.make(text.trim()))
      : Option.none(),
  expected: "the URL of a mail server: smtp://user:password@host:587, or smtps:// for TLS from the start",
  // It contains a password.
  isSecret: true,
  description:
    "Mail server of notifications, invitations and lost passwords. Set it, with `mailFrom` and `baseUrl`, if Errata should send mail. `smtp://` uses TLS if the server offers it, and sends a password over TLS only. For a private certificate authority, set `NODE_EXTRA_CA_CERTS`.",
  fallback: "none: no mail",
})

export const mailFrom = setting<string>({
  path: "mailFrom",
  variable: "ERRATA_MAIL_FROM",
  parse: (text) =>
    Option.filter(Option.some(text.trim()), (sender) => /^[^\p{Cc}]*@[^\p{Cc}]+$/u.test(sender)),
  expected: "a sender such as errata@example.com, or Errata <errata@example.com>",
  description: "Sender of mail. Set it to an address that your mail server may send from.",
  fallback: "none. Required with `smtpUrl`",
})

export const adminEmail = withDefault<string>({
  path: "admin.email",
  variable: "ERRATA_ADMIN_EMAIL",
  parse: (text) => Option.filter(Option.some(text.trim()), isEmailAddress),
  expected: "an email address",
  description: "Email address of the first admin. Read at the first start only.",
  default: "admin@localhost",
})

export const adminApiKey = setting<Redacted.Redacted>({
  path: "admin.apiKey",
  variable: "ERRATA_ADMIN_API_KEY",
  parse: (text) => (Secrets.isApiKey(text) ? Option.some(Redacted.make(text)) : Option.none()),
  expected: "an API key: errata_ and 16 to 200 more ASCII characters without spaces",
  isSecret: true,
  description: "API key of the first admin. Read at the first start only. Set it if a script needs the key.",
  fallback: "generated and printed once",
})

export const dashboardEnabled = withDefault<boolean>({
  path: "dashboard.enabled",
  option: "--no-dashboard",
  variable: "ERRATA_DASHBOARD_ENABLED",
  parse: yesOrNo,
  expected: "true or false",
  description:
    "Serves the dashboard in the browser at the base URL. The option `--no-dashboard` sets it to false.",
  default: true,
})

export const metricsEnabled = withDefault<boolean>({
  path: "metrics.enabled",
  variable: "ERRATA_METRICS_ENABLED",
  parse: yesOrNo,
  expected: "true or false",
  description: "Serves Prometheus metrics at `GET /metrics`.",
  default: false,
})

export const metricsToken = setting<Redacted.Redacted>({
  path: "metrics.token",
  variable: "ERRATA_METRICS_TOKEN",
  parse: (text) =>
    /^[\x21-\x7e]{16,}$/.test(text.trim()) ? Option.some(Redacted.make(text.trim())) : Option.none(),
  expected: "at least 16 ASCII characters without spaces",
  isSecret: true,
  description: "Bearer token that `GET /metrics` requires. Set it if strangers can reach the server.",
  fallback: "none: no token required",
})

export const logLevel = withDefault<LevelName>({
  path: "log.level",
  option: "--log-level",
  variable: "ERRATA_LOG_LEVEL",
  parse: Setting.oneOf(levelNames),
  expected: Setting.listed(levelNames),
  description:
    "Lowest level that is logged to standard error. Commands other than `serve` use `warning` by default.",
  default: "info",
})

export const logFormat = setting<LogFormat>({
  path: "log.format",
  option: "--log-format",
  variable: "ERRATA_LOG_FORMAT",
  parse: Setting.oneOf(logFormats),
  expected: Setting.listed(logFormats),
  description: "Format of the log. Use `json` for a log collector.",
  fallback: "pretty in a terminal, otherwise logfmt",
})

/** Every setting, in the order of the documentation. */
export const serverSettings: ReadonlyArray<ServerSetting<unknown>> = [
  host,
  port,
  baseUrl,
  dsnPrefixes,
  corsOrigins,
  drainTime,
  trustedProxies,
  nodeRoles,
  processes,
  storage,
  dataDir,
  databaseUrl,
  databaseWorkerUrls,
  databaseSchema,
  databaseDiskPath,
  databaseAnswerTimeout,
  blobs,
  blobsS3Endpoint,
  blobsS3Region,
  encryptionKey,
  smtpUrl,
  mailFrom,
  adminEmail,
  adminApiKey,
  dashboardEnabled,
  metricsEnabled,
  metricsToken,
  logLevel,
  logFormat,
]

// internal

function yesOrNo(text: string): Option.Option<boolean> {
  return Option.map(Setting.oneOf(["true", "false"])(text), (word) => word === "true")
}

function isPlaceForBlobs(text: string): boolean {
  if (text === "database") return true
  if (!URL.canParse(text)) return false
  const { host, pathname, protocol, search } = new URL(text)
  if (search !== "") return false
  // A URL can contain characters that a path cannot, such as an encoded slash.
  if (protocol === "file:") return host === "" && pathname !== "/" && Option.isSome(pathOf(text))
  return protocol === "s3:" && host !== ""
}

const pathOf = Option.liftThrowable((url: string) => fileURLToPath(url))

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
}

/** `URL` accepts one host only. */
function isDatabaseUrl(text: string): boolean {
  const parts = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/is.exec(text)
  if (parts === null) return false
  const [, start, hosts, end] = parts
  return hosts!.split(",").every((host) => URL.canParse(`${start}${host}${end}`))
}

function list(isItem: (text: string) => boolean) {
  return (text: string): Option.Option<ReadonlyArray<string>> =>
    Option.filter(Option.some(Setting.separated(text)), (items) => items.every(isItem))
}
