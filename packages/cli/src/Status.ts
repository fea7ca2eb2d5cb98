/**
 * The state of an instance. The server is queried over its address first. It reports each check to admins.
 * Without that report the same checks are made on the storage beside it.
 */
import { Effect, Either, Option, type Redacted } from "effect"
import { knownKey, normalUrl } from "./api/Connection.js"
import { note, print, printJson, ReaderGone } from "./api/Output.js"
import { CommandFailed } from "./ErrorOutput.js"
import type { ServerChoice } from "./ServerChoice.js"
import * as Setting from "./Setting.js"
import { adviceOn, type StatusCheck, type StatusWarning } from "./StatusAdvice.js"
import { askDetails, askServer, type ServerState } from "./StatusServer.js"
import { readStorage, type StorageState } from "./StatusStorage.js"
import { table } from "./Table.js"

/** As `--json` prints it. */
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
    yield* isJson ? printJson(status) : print(lines(status))
    if (others.unchecked !== null) yield* note(`errata: ${others.unchecked}`)
    // The exit status is for whoever reads nothing.
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
      : Setting.wrong(`--url must be an http or https URL, not "${url}"`)
  }
  if (port === 0) {
    return Setting.wrong(
      "Port 0 is any that was free when the server started: give the one it found, or --url",
    )
  }
  // A server that listens on all addresses listens on this one, too.
  const name =
    host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "[::1]" : host.includes(":") ? `[${host}]` : host
  return Effect.succeed(`http://${name}:${port}`)
}

/** The checks behind `/ready`: from the server if it reports them, else of the storage. */
const otherChecks = (choice: StatusChoice, address: string, { isUp }: ServerState) =>
  Effect.gen(function* () {
    const key = choice.isLocal || !isUp ? Option.none() : yield* knownKey(choice.apiKey, address)
    const told = Option.isNone(key)
      ? null
      : yield* askDetails(address, key.value, choice.settings.serviceName)
    if (told !== null && Either.isRight(told)) return { ...told.right, unchecked: null } as StorageState
    const read = yield* readStorage(choice)
    if (read.unchecked === null) return read
    const refusal = told === null ? "" : `${told.left} `
    return { ...read, unchecked: `${refusal}${read.unchecked} ${isUp ? askAsAdmin : askAsOwner}` }
  })

const askAsAdmin =
  "Set ERRATA_API_KEY to an admin's key and run errata status: the server then reports all checks."

const askAsOwner = "As the server's user, with its settings, run errata status --local."

/** One line for each check, and for checks that fail for the same reason one line in all. */
const lines = ({ checks, warnings }: Status): string =>
  table(
    ["", "CHECK", ""],
    [
      ...checks
        .filter(({ code }, i) => code === null || checks.findIndex((other) => other.code === code) === i)
        .map(({ code, name, ok }) => [
          ok ? "ok" : "FAILED",
          nameOf(name, checks.filter((other) => code !== null && other.code === code).length),
          code === null ? "" : advised(code),
        ]),
      ...warnings.map(({ code }) => [
        "warning",
        code === "disk_low" ? "disk_space" : "deliveries",
        advised(code),
      ]),
    ],
  )

/** A code and what to do. A server of another version may have a code that this one does not know. */
const advised = (code: keyof typeof adviceOn): string =>
  code in adviceOn ? `${code}: ${adviceOn[code]}` : code

/** A check, and how many others fail with it. */
const nameOf = (name: string, failing: number): string =>
  failing > 1 ? `${name} (and ${failing - 1} more)` : name
