/**
 * Checks the state of an instance. The server is queried first and reports each check to admins. Without that report,
 * the same checks run on the storage beside it.
 */
import { Effect, Option, type Redacted, Result } from "effect"
import { knownKey, normalUrl } from "./api/Connection.js"
import { note, print, printJson, ReaderGone } from "./api/Output.js"
import { CommandFailed, usageError } from "./ErrorOutput.js"
import type { ServerChoice } from "./ServerChoice.js"
import { adviceOn, type StatusCheck, type StatusWarning } from "./StatusAdvice.js"
import { askDetails, askServer, type ServerState } from "./StatusServer.js"
import { readStorage, type StorageState } from "./StatusStorage.js"
import { table } from "./Table.js"

/** The output of `--json`. */
interface Status {
  readonly status: "ok" | "failing" | "stopped"
  readonly up: boolean
  readonly ready: boolean
  readonly checks: ReadonlyArray<StatusCheck>
  readonly warnings: ReadonlyArray<StatusWarning>
}

export interface StatusChoice
  extends Pick<ServerChoice, "host" | "port" | "storage" | "settings" | "encryptionKeys"> {
  readonly url: string | undefined
  readonly apiKey: Option.Option<Redacted.Redacted>
  /** True to read the storage even if the server would report its checks. */
  readonly isLocal: boolean
}

export const run = (choice: StatusChoice, isJson: boolean) =>
  Effect.gen(function* () {
    const address = yield* addressOf(choice)
    const server = yield* askServer(address)
    const others = yield* otherChecks(choice, address, server)
    const checks = [...server.checks, ...others.checks]
    const failed = checks.filter(({ ok }) => !ok).length
    const status: Status = {
      status: server.isStopped ? "stopped" : failed > 0 ? "failing" : "ok",
      up: server.isUp,
      ready: server.isReady,
      checks,
      warnings: others.warnings,
    }
    yield* isJson ? printJson(status) : print(lines(status, address))
    if (others.unchecked !== null) yield* note(`errata: ${others.unchecked}`)
    // For scripts that only read the exit status.
    if (failed > 0) {
      return yield* new CommandFailed({ message: `${failed} of ${checks.length} checks failed.` })
    }
  }).pipe(
    Effect.catchIf(
      (error) => error instanceof ReaderGone,
      () => Effect.void,
    ),
  )

// internal

const addressOf = ({ host, port, url }: Pick<StatusChoice, "host" | "port" | "url">) => {
  if (url !== undefined) {
    return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
      ? Effect.succeed(normalUrl(url))
      : usageError(`--url must be an http or https URL, not "${url}"`)
  }
  if (port === 0) {
    return usageError(
      "Port 0 means that the server selected a port at its start. Give that port with --port, or give --url",
    )
  }
  // A server that listens on all addresses also listens on loopback.
  const name =
    host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "[::1]" : host.includes(":") ? `[${host}]` : host
  return Effect.succeed(`http://${name}:${port}`)
}

/** Returns the checks behind `/ready`, from the server if it reports them, otherwise from the storage. */
const otherChecks = (choice: StatusChoice, address: string, { isUp }: ServerState) =>
  Effect.gen(function* () {
    const key = choice.isLocal || !isUp ? Option.none() : yield* knownKey(choice.apiKey, address)
    const answer = Option.isNone(key)
      ? null
      : yield* askDetails(address, key.value, choice.settings.serviceName)
    if (answer !== null && Result.isSuccess(answer))
      return { ...answer.success, unchecked: null } as StorageState
    const read = yield* readStorage(choice)
    if (read.unchecked === null) return read
    const refusal = answer === null ? "" : `${answer.failure} `
    return { ...read, unchecked: `${refusal}${read.unchecked} ${isUp ? askAsAdmin : askAsOwner}` }
  })

const askAsAdmin =
  "To get all checks from the server, set ERRATA_API_KEY to an admin's key and run errata status."

const askAsOwner = "Run errata status --local as the server's user, with the server's settings."

/** One line per check. Checks that fail for the same reason share a line. */
const lines = ({ checks, warnings }: Status, address: string): string =>
  table(
    ["STATE", "CHECK", ""],
    [
      ...checks
        .filter(({ code }, i) => code === null || checks.findIndex((other) => other.code === code) === i)
        .map(({ code, name, ok }) => [
          ok ? "ok" : "FAILED",
          nameOf(name, checks.filter((other) => code !== null && other.code === code).length),
          code !== null ? advised(code, address) : name === "server" ? address : "",
        ]),
      ...warnings.map(({ code }) => ["warning", warningNames[code] ?? code, advised(code, address)]),
    ],
  )

/** The subjects of warnings. A server of another version may send an unknown code. */
const warningNames: Readonly<Partial<Record<string, string>>> = {
  disk_low: "disk_space",
  deliveries_failed: "deliveries",
  mail_failed: "mail",
}

/** Formats a code with its advice. A server of another version may send an unknown code. */
const advised = (code: keyof typeof adviceOn, address: string): string =>
  code in adviceOn ? `${code}: ${adviceOn[code].replace("this address", address)}` : code

/** Formats the name of a check and the number of other checks that fail with it. */
const nameOf = (name: string, failing: number): string =>
  failing > 1 ? `${name} (and ${failing - 1} more)` : name
