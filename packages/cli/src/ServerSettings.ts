/** The settings of a server that are not the instance's own: where it listens, what it works on, what it logs. */
import { fileURLToPath } from "node:url"
import { formatDuration, Keyring, parseDuration } from "@errata/core"
import { Duration, Option, Redacted } from "effect"
import { type LogFormat, logFormats } from "./LogFormat.js"
import { type LevelName, levelNames } from "./Logging.js"
import { type Role, roles } from "./Roles.js"
import * as Setting from "./Setting.js"

export const storageKinds = ["memory", "embedded", "postgres"] as const
export type StorageKind = (typeof storageKinds)[number]

/** A setting with what documentation says of it. */
export interface ServerSetting<A> extends Setting.Setting<A> {
  readonly description: string
  /** Where nobody gives one, unless that depends on something else. */
  readonly default?: A
  /** The same in the words of the documentation. */
  readonly fallback: string
  /** A method, so that settings of different values can stand in one list. */
  format(value: A): string
}

interface WithDefault<A> extends ServerSetting<A> {
  readonly default: A
}

export const host: WithDefault<string> = {
  path: "host",
  option: "--host",
  variable: "ERRATA_HOST",
  parse: Setting.filled,
  expected: "a host name or an IP address",
  description: "The address to listen on; `0.0.0.0` for all.",
  default: "127.0.0.1",
  fallback: "127.0.0.1",
  format: String,
}

export const port: WithDefault<number> = {
  path: "port",
  option: "--port",
  variable: "ERRATA_PORT",
  parse: (text) =>
    /^\d{1,5}$/.test(text.trim()) && Number(text) <= 65_535 ? Option.some(Number(text)) : Option.none(),
  expected: "a port from 0 to 65535",
  description: "The port to listen on; 0 for any that is free.",
  default: 4000,
  fallback: "4000",
  format: String,
}

export const blobs: WithDefault<string> = {
  path: "blobs",
  option: null,
  variable: "ERRATA_BLOBS",
  parse: (text) => Option.filter(Option.some(text.trim()), isPlaceForBlobs),
  expected: "database, file:///an/absolute/path or s3://bucket/prefix/",
  description:
    "Where the contents of uploads are kept. All nodes need the same place. For S3 install `@aws-sdk/client-s3`; keys come from where Amazon's client looks for them, such as `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`.",
  default: "database",
  fallback: "database",
  format: String,
}

export const blobsS3Endpoint: ServerSetting<string> = {
  path: "blobsS3.endpoint",
  option: null,
  variable: "ERRATA_BLOBS_S3_ENDPOINT",
  parse: (text) => Option.filter(Option.some(text.trim()), isHttpUrl),
  expected: "an http or https URL",
  description: "The address of a store that speaks S3 and is not Amazon's.",
  fallback: "Amazon's",
  format: String,
}

export const blobsS3Region: ServerSetting<string> = {
  path: "blobsS3.region",
  option: null,
  variable: "ERRATA_BLOBS_S3_REGION",
  parse: Setting.filled,
  expected: "a region",
  description: "The region of the bucket.",
  fallback: "us-east-1",
  format: String,
}

export const baseUrl: ServerSetting<string> = {
  path: "baseUrl",
  option: null,
  variable: "ERRATA_BASE_URL",
  parse: (text) => Option.filter(Option.some(text.trim()), isHttpUrl),
  expected: "an http or https URL",
  description:
    "The address that users and SDKs reach the server by; with a path everything is served below it, too.",
  fallback: "the address listened on",
  format: String,
}

export const dsnPrefixes: WithDefault<ReadonlyArray<string>> = {
  path: "dsnPrefixes",
  option: null,
  variable: "ERRATA_DSN_PREFIXES",
  parse: list((prefix) => /^\/?[\w.~-]+(\/[\w.~-]+)*\/?$/.test(prefix)),
  expected: "paths with commas between, e.g. /sentry",
  description: "Paths that DSNs may have before the project's id.",
  default: [],
  fallback: "none",
  format: (prefixes) => prefixes.join(","),
}

export const corsOrigins: WithDefault<ReadonlyArray<string>> = {
  path: "corsOrigins",
  option: null,
  variable: "ERRATA_CORS_ORIGINS",
  parse: list((origin) => origin === "*" || (isHttpUrl(origin) && new URL(origin).origin === origin)),
  expected: "origins with commas between, e.g. https://app.example.com, or *",
  description: "Origins from which browsers may call the REST API; `*` for any.",
  default: [],
  fallback: "none",
  format: (origins) => origins.join(","),
}

export const drainTime: WithDefault<Duration.Duration> = {
  path: "drainTime",
  option: null,
  variable: "ERRATA_DRAIN_TIME",
  parse: (text) => Option.filter(parseDuration(text.trim()), Duration.lessThanOrEqualTo(Duration.minutes(5))),
  expected: "a duration from 0 millis to 5 minutes",
  description:
    "How long a server that is told to end goes on while `/ready` says no, for load balancers to turn to others.",
  default: Duration.zero,
  fallback: "0 millis",
  format: formatDuration,
}

export const trustedProxies: WithDefault<number> = {
  path: "trustedProxies",
  option: null,
  variable: "ERRATA_TRUSTED_PROXIES",
  parse: (text) => (/^\d$/.test(text.trim()) ? Option.some(Number(text)) : Option.none()),
  expected: "a number from 0 to 9",
  description:
    "How many proxies stand before the server and append to `X-Forwarded-For`; attempts at signing in are counted by the address that they tell.",
  default: 0,
  fallback: "0",
  format: String,
}

export const nodeRoles: WithDefault<ReadonlyArray<Role>> = {
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
  description: "What this node does: web takes requests, worker records what was accepted.",
  default: roles,
  fallback: "web,worker",
  format: (names) => names.join(","),
}

export const storage: ServerSetting<StorageKind> = {
  path: "storage",
  option: "--storage",
  variable: "ERRATA_STORAGE",
  parse: Setting.oneOf(storageKinds),
  expected: Setting.listed(storageKinds),
  description: "Where the data live: memory, embedded or postgres.",
  fallback: "postgres where a database URL is given, else embedded",
  format: String,
}

export const dataDir: WithDefault<string> = {
  path: "dataDir",
  option: "--data-dir",
  variable: "ERRATA_DATA_DIR",
  parse: Setting.filled,
  expected: "the path of a folder",
  description:
    "The folder of the embedded database; a relative one is below the folder that the command runs in.",
  default: ".errata",
  fallback: ".errata",
  format: String,
}

export const databaseUrl: ServerSetting<Redacted.Redacted> = {
  path: "databaseUrl",
  option: "--database-url",
  variable: "DATABASE_URL",
  parse: (text) =>
    /^postgres(ql)?:\/\//i.test(text) && URL.canParse(text)
      ? Option.some(Redacted.make(text))
      : Option.none(),
  expected: "the URL of a PostgreSQL database: postgres://user:password@host:port/database",
  // It holds a password.
  isSecret: true,
  description: "The database of the storage postgres: `postgres://user:password@host:port/database`.",
  fallback: "none",
  format: String,
}

export const databaseDiskPath: ServerSetting<string> = {
  path: "databaseDiskPath",
  option: null,
  variable: "ERRATA_DATABASE_DISK_PATH",
  parse: Setting.filled,
  expected: "a path",
  description:
    "A path on the file system that holds the database of the storage postgres, for what depends on its free space. Not needed where the database's own folder is on this host and may be read.",
  fallback: "none",
  format: String,
}

export const databaseAnswerTimeout: WithDefault<Duration.Duration> = {
  path: "databaseAnswerTimeout",
  option: null,
  variable: "ERRATA_DATABASE_ANSWER_TIMEOUT",
  parse: (text) =>
    Option.filter(
      parseDuration(text.trim()),
      Duration.between({ minimum: Duration.seconds(1), maximum: Duration.minutes(5) }),
    ),
  expected: "a duration from 1 second to 5 minutes",
  description:
    "How long a statement may take before the database, or the way to it, is given up as dead: requests are answered 503 then, and workers try again.",
  default: Duration.seconds(15),
  fallback: "15 seconds",
  format: formatDuration,
}

export const encryptionKey: ServerSetting<ReadonlyArray<Keyring.EncryptionKey>> = {
  path: "encryptionKey",
  option: null,
  variable: "ERRATA_ENCRYPTION_KEY",
  parse: Keyring.parseKeys,
  expected:
    "keys of 32 bytes in base64 or hexadecimal with commas between, such as openssl rand -base64 32 writes",
  isSecret: true,
  description:
    "Encrypts stored secrets, such as those of webhooks. Of several keys the first one encrypts, and the others still decrypt what is not encrypted anew yet.",
  fallback: "made in the data folder of an embedded database; none for another",
  format: String,
}

export const adminEmail: WithDefault<string> = {
  path: "admin.email",
  option: null,
  variable: "ERRATA_ADMIN_EMAIL",
  parse: Setting.filled,
  expected: "an e-mail address",
  description: "At the first start: the admin's e-mail address.",
  default: "admin@localhost",
  fallback: "admin@localhost",
  format: String,
}

export const adminApiKey: ServerSetting<Redacted.Redacted> = {
  path: "admin.apiKey",
  option: null,
  variable: "ERRATA_ADMIN_API_KEY",
  parse: (text) => Option.map(Setting.filled(text), (key) => Redacted.make(key)),
  expected: "an API key",
  isSecret: true,
  description: "At the first start: the admin's API key.",
  fallback: "a fresh one, printed once",
  format: String,
}

export const metricsEnabled: WithDefault<boolean> = {
  path: "metrics.enabled",
  option: null,
  variable: "ERRATA_METRICS_ENABLED",
  parse: (text) => Option.map(Setting.oneOf(["true", "false"])(text), (word) => word === "true"),
  expected: "true or false",
  description: "Whether figures for Prometheus are served at `GET /metrics`.",
  default: false,
  fallback: "false",
  format: String,
}

export const metricsToken: ServerSetting<Redacted.Redacted> = {
  path: "metrics.token",
  option: null,
  variable: "ERRATA_METRICS_TOKEN",
  parse: (text) =>
    /^[\x21-\x7e]{16,}$/.test(text.trim()) ? Option.some(Redacted.make(text.trim())) : Option.none(),
  expected: "at least 16 letters, digits and signs without blanks",
  isSecret: true,
  description: "What a request for the figures has to carry as `Authorization: Bearer`.",
  fallback: "none: everybody who reaches the server may read them",
  format: String,
}

export const logLevel: WithDefault<LevelName> = {
  path: "log.level",
  option: "--log-level",
  variable: "ERRATA_LOG_LEVEL",
  parse: Setting.oneOf(levelNames),
  expected: Setting.listed(levelNames),
  description: `What is logged on standard error: ${Setting.listed(levelNames)}. Other commands than serve: warning by default.`,
  default: "info",
  fallback: "info",
  format: String,
}

export const logFormat: ServerSetting<LogFormat> = {
  path: "log.format",
  option: "--log-format",
  variable: "ERRATA_LOG_FORMAT",
  parse: Setting.oneOf(logFormats),
  expected: Setting.listed(logFormats),
  description: `How: ${Setting.listed(logFormats)}.`,
  fallback: "pretty on a terminal, else logfmt",
  format: String,
}

/** All of them, in the order of the documentation. */
export const serverSettings: ReadonlyArray<ServerSetting<unknown>> = [
  host,
  port,
  baseUrl,
  dsnPrefixes,
  corsOrigins,
  drainTime,
  trustedProxies,
  nodeRoles,
  storage,
  dataDir,
  databaseUrl,
  databaseDiskPath,
  databaseAnswerTimeout,
  blobs,
  blobsS3Endpoint,
  blobsS3Region,
  encryptionKey,
  adminEmail,
  adminApiKey,
  metricsEnabled,
  metricsToken,
  logLevel,
  logFormat,
]

// internal

function isPlaceForBlobs(text: string): boolean {
  if (text === "database") return true
  if (!URL.canParse(text)) return false
  const { host, pathname, protocol, search } = new URL(text)
  if (search !== "") return false
  // A URL can hold what is no path, such as a slash that is no separator.
  if (protocol === "file:") return host === "" && pathname !== "/" && Option.isSome(pathOf(text))
  return protocol === "s3:" && host !== ""
}

const pathOf = Option.liftThrowable((url: string) => fileURLToPath(url))

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
}

function list(isItem: (text: string) => boolean) {
  return (text: string): Option.Option<ReadonlyArray<string>> =>
    Option.filter(Option.some(Setting.separated(text)), (items) => items.every(isItem))
}
