/** Runs the command in this process, against a real server, with output and environment under control of the test. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { NodeServices } from "@effect/platform-node"
import { ConfigProvider, Console, Effect, Layer, Result, type Terminal } from "effect"
import { CliError } from "effect/cli"
import { Output } from "../../../src/api/Output.js"
import { StandardInput } from "../../../src/api/StandardInput.js"
import { run as runErrata } from "../../../src/Errata.js"
import { exitCodes } from "../../../src/ErrorOutput.js"
import * as Server from "../../support/Server.js"

export interface Outcome {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface CliOptions {
  readonly env?: Readonly<Record<string, string>>
  /** Standard input. */
  readonly input?: string
  /** Width of the terminal, or undefined if the output is no terminal. */
  readonly width?: number
  /** For commands that prompt. */
  readonly terminal?: Layer.Layer<Terminal.Terminal>
}

/** A temporary folder for a profile, as `XDG_CONFIG_HOME`. */
export const configHome = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "errata-profile-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true })),
)

/** Environment variables that point to a server. */
export const reach = (server: Pick<Server.Server, "url" | "apiKey">): Readonly<Record<string, string>> => ({
  ERRATA_URL: server.url,
  ERRATA_API_KEY: server.apiKey,
  // A folder without a profile, so that the developer's profile is not read.
  XDG_CONFIG_HOME: join(tmpdir(), "errata-nobody"),
})

export const errata = (
  args: ReadonlyArray<string>,
  { env = {}, input = "", terminal, width }: CliOptions = {},
): Effect.Effect<Outcome> =>
  Effect.gen(function* () {
    const stdout: Array<string> = []
    const stderr: Array<string> = []
    const result = yield* runErrata(["node", "errata", ...args]).pipe(
      Effect.provideService(Console.Console, {
        ...globalThis.console,
        log: (...texts) => void stdout.push(`${texts.join(" ")}\n`),
        error: (...texts) => void stderr.push(`${texts.join(" ")}\n`),
      }),
      Effect.provideService(Output, {
        width: width ?? null,
        write: (data) =>
          Effect.sync(() => void stdout.push(typeof data === "string" ? data : Buffer.from(data).toString())),
      }),
      Effect.provideService(StandardInput, {
        isTerminal: () => terminal !== undefined,
        read: Effect.succeed(input),
      }),
      Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(env)),
      Effect.provide(terminal === undefined ? NodeServices.layer : Layer.merge(NodeServices.layer, terminal)),
      Effect.result,
    )
    return {
      ...Result.match(result, {
        onSuccess: () => ({ code: 0, told: "" }),
        onFailure: (error) =>
          CliError.isCliError(error) && error._tag === "ShowHelp"
            ? { code: error.errors.length === 0 ? 0 : exitCodes.usage, told: "" }
            : { code: codeOf(error), told: `errata: ${error.message}\n` },
      }),
      stdout: stdout.join(""),
      stderr: stderr.join(""),
    }
  }).pipe(Effect.map(({ code, stderr, stdout, told }) => ({ code, stdout, stderr: stderr + told })))

/** Runs a command with the settings of `Server.run`, and without the second that a process of its own takes. */
export const run = (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {},
): Effect.Effect<Outcome> => errata(args, { env: { ...Server.settingsOf(args[0]), ...env } })

/** Returns the JSON of the API as text. */
export const wire = (server: Server.Server, path: string): Effect.Effect<string> =>
  Effect.promise(async () => {
    const response = await fetch(`${server.url}/api/service/v1${path}`, {
      headers: { authorization: `Bearer ${server.apiKey}` },
    })
    return await response.text()
  })

// internal

const codeOf = (error: object): number =>
  "exitCode" in error && typeof error.exitCode === "number" ? error.exitCode : exitCodes.failed
