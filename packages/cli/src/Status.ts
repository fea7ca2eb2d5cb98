/**
 * The state of an instance, for who is on its host: the server is asked over its address as a load balancer asks it, and
 * the storage is read beside it, because a server says nothing of its reasons.
 */
import {
  ErrataConfig,
  Health,
  type HealthFinding,
  HealthStore,
  type HealthWarningCode,
  Keyring,
} from "@errata/core"
import { Effect, Logger, LogLevel } from "effect"
import { print, printJson, ReaderGone } from "./api/Output.js"
import * as EncryptionKeys from "./EncryptionKeys.js"
import { CommandFailed } from "./ErrorOutput.js"
import type { ServerChoice } from "./ServerChoice.js"
import * as Setting from "./Setting.js"
import { adviceOn, type StatusCode } from "./StatusAdvice.js"
import * as Storage from "./Storage.js"
import { table } from "./Table.js"

/** As `--json` prints it. */
interface Status {
  readonly status: "ok" | "failing" | "stopped"
  readonly up: boolean
  readonly ready: boolean
  readonly checks: ReadonlyArray<StatusCheck>
  readonly warnings: ReadonlyArray<{ readonly code: HealthWarningCode }>
}

interface StatusCheck {
  readonly name: string
  readonly ok: boolean
  /** Null where it is in order. */
  readonly code: StatusCode | null
}

export const run = (
  choice: Pick<ServerChoice, "host" | "port" | "storage" | "settings" | "encryptionKeys"> & {
    readonly url: string | undefined
  },
  isJson: boolean,
) =>
  Effect.gen(function* () {
    const address = yield* addressOf(choice)
    // A file that is no key opens nothing: the check of the keys says so.
    const keyring = yield* Effect.orElseSucceed(
      EncryptionKeys.besideServer(choice),
      () => choice.encryptionKeys,
    )
    const [server, storage] = yield* Effect.all(
      [askServer(address), Effect.provideService(readStorage(choice), Keyring.Keyring, keyring)],
      { concurrency: 2 },
    )
    const checks = [...server.checks, ...storage.findings]
    const failed = checks.filter(({ ok }) => !ok).length
    const status: Status = {
      status: server.isStopped ? "stopped" : failed > 0 ? "failing" : "ok",
      up: server.isUp,
      ready: server.isReady,
      checks,
      warnings: storage.warnings.map((code) => ({ code })),
    }
    yield* isJson ? printJson(status) : print(lines(status))
    // The exit status is for whoever reads nothing.
    if (failed > 0) {
      return yield* new CommandFailed({ message: `${failed} of ${checks.length} checks failed.` })
    }
  }).pipe(
    Effect.catchIf(
      (error) => error instanceof ReaderGone,
      () => Effect.void,
    ),
    Effect.scoped,
  )

// internal

const addressOf = ({ host, port, url }: { host: string; port: number; url: string | undefined }) => {
  if (url !== undefined) {
    return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
      ? Effect.succeed(url.replace(/\/+$/, ""))
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

type Answer = "as it should" | "otherwise" | "not at all"

/** Whether an address answers with 200 and just this. */
const ask = (url: string, body: string): Effect.Effect<Answer> =>
  Effect.tryPromise(async (signal) => {
    const response = await fetch(url, { redirect: "manual", signal })
    return response.status === 200 && (await response.text()) === body ? "as it should" : "otherwise"
  }).pipe(
    Effect.orElseSucceed(() => "not at all" as const),
    // Somebody has the port, and says nothing.
    Effect.timeoutTo({
      duration: "10 seconds",
      onSuccess: (answer) => answer,
      onTimeout: () => "otherwise" as const,
    }),
  )

const askServer = (address: string) =>
  Effect.gen(function* () {
    const up = yield* ask(`${address}/up`, "up")
    const isStopped = up === "not at all"
    const isUp = up === "as it should"
    const isReady = isUp && (yield* ask(`${address}/ready`, "ready")) === "as it should"
    const check = (name: string, ok: boolean, code: StatusCode): StatusCheck => ({
      name,
      ok,
      code: ok ? null : isStopped ? "server_stopped" : code,
    })
    return {
      isStopped,
      isUp,
      isReady,
      checks: [
        check("server", !isStopped, "server_stopped"),
        check("up", isUp, "up_failing"),
        check("ready", isReady, "ready_failing"),
      ],
    }
  })

interface StorageState {
  readonly findings: ReadonlyArray<HealthFinding>
  readonly warnings: ReadonlyArray<HealthWarningCode>
}

const readStorage = ({ settings, storage }: Pick<ServerChoice, "storage" | "settings">) =>
  Effect.gen(function* () {
    const { findings } = yield* (yield* Health).inspect
    const known = findings.every(
      ({ code }) => code !== "database_unreachable" && code !== "migrations_pending",
    )
    if (!known) return { findings, warnings: [] } satisfies StorageState
    const { failedDeliveries } = yield* Effect.orElseSucceed((yield* HealthStore).amounts, () => ({
      failedDeliveries: 0,
    }))
    return {
      findings,
      warnings: failedDeliveries > 0 ? (["deliveries_failed"] as const) : [],
    } satisfies StorageState
  }).pipe(
    Effect.provide(Storage.layerHealth(storage)),
    Effect.provideService(ErrataConfig, settings),
    // What protects the intake tells its log what the checks say here.
    Logger.withMinimumLogLevel(LogLevel.Error),
    // What is in the memory of a server only that server can tell.
    (read): Effect.Effect<StorageState> =>
      storage.kind === "memory" ? Effect.succeed({ findings: [], warnings: [] }) : read,
  )

const lines = ({ checks, warnings }: Status): string =>
  table(
    ["", "CHECK", ""],
    [
      ...checks.map(({ code, name, ok }) => [
        ok ? "ok" : "FAILED",
        name,
        code === null ? "" : `${code}: ${adviceOn[code]}`,
      ]),
      ...warnings.map(({ code }) => ["warning", "deliveries", `${code}: ${adviceOn[code]}`]),
    ],
  )
