/** Runs short programs and file operations as effects. */
import { spawn } from "node:child_process"
import { Effect } from "effect"
import { StartFailed } from "../EmbeddedPostgresError.js"
import type { Account } from "./Account.js"

export interface Outcome {
  /** Exit status; -1 if a signal ended the program or it could not be executed. */
  readonly code: number
  /** Combined stdout and stderr, at most about 16,000 characters. */
  readonly output: string
}

/** A minimal environment: the owner's may hold secrets, and `PG*` variables would change settings. */
export const environment: NodeJS.ProcessEnv =
  process.platform === "win32"
    ? Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^PG/i.test(name)))
    : { PATH: process.env.PATH ?? "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" }

/** Runs a program as an account in a folder and waits until it exits. Interruption kills its process group. */
export const run = (
  account: Account,
  folder: string,
  program: string,
  args: ReadonlyArray<string>,
  input = "",
): Effect.Effect<Outcome> =>
  Effect.callback((resume) => {
    const [file, ...rest] = [...account.prefix, program, ...args] as [string, ...Array<string>]
    const refused = (error: Error) => resume(Effect.succeed({ code: -1, output: error.message }))
    const child = spawnOr(refused, () =>
      spawn(file, rest, {
        ...account.ids,
        cwd: folder,
        env: environment,
        windowsHide: true,
        // A process group of its own, which can be killed as a whole.
        detached: process.platform !== "win32",
      }),
    )
    if (child === undefined) return
    let output = ""
    let hasEnded = false
    const collect = (chunk: Buffer) => {
      if (output.length < 16_000) output += chunk.toString("utf8")
    }
    child.stdout.on("data", collect)
    child.stderr.on("data", collect)
    // A program that exits without reading its input breaks the pipe. Its exit status says why.
    child.stdin.on("error", () => {})
    child.on("error", refused)
    child.on("close", (code) => {
      hasEnded = true
      resume(Effect.succeed({ code: code ?? -1, output }))
    })
    child.stdin.end(input)
    return Effect.callback<void>((stopped) => {
      // If it has just ended, there is no second `close` event, and its process id may be reused.
      if (child.pid === undefined || hasEnded) return stopped(Effect.void)
      child.on("close", () => stopped(Effect.void))
      killGroup(child.pid)
    })
  })

/** Kills a process and the process group that it leads. */
export const killGroup = (pid: number): void => send(process.platform === "win32" ? pid : -pid, "SIGKILL")

export const send = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal)
  } catch {
    // It has already exited.
  }
}

/** Runs a file operation and turns its failure into `StartFailed`. */
export const attempt = <A>(detail: string, operation: () => Promise<A>): Effect.Effect<A, StartFailed> =>
  Effect.tryPromise({ try: operation, catch: (cause) => new StartFailed({ detail, cause }) })

// internal

/** Node reports some spawn errors as events and throws others, such as a denied change of user. */
const spawnOr = <A>(refused: (error: Error) => void, start: () => A): A | undefined => {
  try {
    return start()
  } catch (error) {
    refused(error instanceof Error ? error : new Error(String(error)))
    return undefined
  }
}
