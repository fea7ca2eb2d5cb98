/** Reads the project's key from a header or the query, where Sentry clients put it. */
import { Result } from "effect"
import { SentryRejection } from "./SentryRejection.js"

/** The key of a request, and the client that sent it. */
export interface SentryCredentials {
  /** The project's token, not yet looked up. */
  readonly key: string
  /** Name and version of the client, e.g. `sentry.python/2.0`, or empty. */
  readonly client: string
}

/** The parts of a request that may contain the key. */
export interface SentryAuthInput {
  /** Returns a header by its lower-case name. */
  readonly header: (name: string) => string | undefined
  /** The query string without `?`; may be empty. */
  readonly query: string
  /** The key in the path, if any. */
  readonly pathKey?: string
}

/** The parts of the `dsn` in an envelope's header. */
export interface SentryDsn {
  readonly key: string
  readonly projectId: string
}

/**
 * Returns the credentials of a request, or null without any (an envelope may still have a `dsn`). Reads all places:
 * clients behind proxies may send the key twice, and both must be equal.
 */
export const readCredentials = (
  input: SentryAuthInput,
): Result.Result<SentryCredentials | null, SentryRejection> => {
  const found: Found = { key: "", client: "", version: "", conflict: false }
  const auth = input.header("x-sentry-auth")
  if (auth !== undefined) readPairs(auth, found)
  const authorization = input.header("authorization")
  if (authorization !== undefined) readAuthorization(authorization, found)
  // Most requests have no key in the query, and parsing it costs more than all the rest.
  if (input.query.includes("sentry_")) {
    for (const [name, value] of new URLSearchParams(input.query)) readPair(name.toLowerCase(), value, found)
  }
  if (input.pathKey !== undefined) addKey(input.pathKey, found)

  if (found.conflict) {
    return reject("conflicting_keys", "The request has conflicting keys")
  }
  if (found.version !== "" && !isSupported(found.version)) {
    return reject("unsupported_version", "Unsupported protocol version")
  }
  if (found.key === "") return Result.succeed(null)
  if (!wellFormed.test(found.key)) return reject("invalid_key", "Invalid key")
  return Result.succeed({ key: found.key, client: found.client })
}

/** Returns the key and the project of a DSN, or null if it is invalid. */
export const parseDsn = (dsn: string): SentryDsn | null => {
  if (dsn.length > 2048 || !URL.canParse(dsn)) return null
  const url = new URL(dsn)
  const projectId = url.pathname.slice(url.pathname.lastIndexOf("/") + 1)
  return wellFormed.test(url.username) && projectId !== "" ? { key: url.username, projectId } : null
}

// internal

interface Found {
  key: string
  client: string
  version: string
  conflict: boolean
}

const wellFormed = /^[\w-]{1,128}$/

// Old clients write `2.0`.
const versionPattern = /^(\d{1,3})(?:\.\d{1,3})?$/

const isSupported = (version: string): boolean => {
  const match = versionPattern.exec(version)
  if (match === null) return false
  const major = Number(match[1])
  return major >= 2 && major <= 8
}

const reject = (reason: SentryRejection["reason"], detail: string): Result.Result<never, SentryRejection> =>
  Result.fail(new SentryRejection({ reason, detail }))

const addKey = (key: string, found: Found): void => {
  if (key === "") return
  if (found.key !== "" && found.key !== key) found.conflict = true
  found.key = key
}

const readPair = (name: string, value: string, found: Found): void => {
  if (name === "sentry_key") addKey(value, found)
  else if (name === "sentry_version") found.version = value
  else if (name === "sentry_client") found.client = value.slice(0, 200)
}

// `Sentry sentry_version=7, sentry_key=K`: the scheme, spaces and the case of names vary.
const readPairs = (header: string, found: Found): void => {
  for (const part of header.split(/[,\s]+/)) {
    const equals = part.indexOf("=")
    if (equals > 0) readPair(part.slice(0, equals).toLowerCase(), part.slice(equals + 1), found)
  }
}

const readAuthorization = (header: string, found: Found): void => {
  const scheme = header.slice(0, 7).toLowerCase()
  if (scheme === "sentry ") readPairs(header.slice(7), found)
  else if (scheme.startsWith("basic ")) {
    const credentials = Buffer.from(header.slice(6).trim(), "base64").toString("latin1")
    const colon = credentials.indexOf(":")
    addKey(colon === -1 ? credentials : credentials.slice(0, colon), found)
  }
}
