/** A server in its own process, started and stopped as an operator would. */
import { type ChildProcess, spawn } from "node:child_process"
import { Effect, type Scope } from "effect"
import { inject } from "vitest"

export interface Server {
  readonly url: string
  readonly apiKey: string
  readonly child: ChildProcess
  /** Everything written so far to both outputs. */
  readonly output: () => string
  /** The exit code, null after a signal, once the process has ended. */
  readonly closed: Promise<number | null>
  readonly stdout: () => string
  readonly stderr: () => string
  /** Sends a signal and waits for the process to end. Returns its exit code, null after a signal. */
  readonly end: (signal: NodeJS.Signals) => Promise<number | null>
}

/** The admin's API key on every server started here. */
export const apiKey = "errata_0123456789abcdef0123456789abcdef"

/** The key that encrypts secrets on every server started here. */
export const encryptionKey = Buffer.alloc(32, "test").toString("base64")

/** Starts `errata serve`, by default on a free port, and waits until it listens. Closing the scope kills it. */
export const start = (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {},
): Effect.Effect<Server, Error, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.tryPromise({
      try: () => launch(["serve", ...(args.includes("--port") ? [] : ["--port", "0"]), ...args], env),
      catch: (error) => error as Error,
    }),
    (server) => Effect.promise(() => server.end("SIGKILL")),
  )

/** Starts a node that only records, which has no URL. */
export const startWorker = (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {},
): Effect.Effect<Server, Error, Scope.Scope> => start(["--roles", "worker", ...args], env)

/** Runs another command to its end. As root, it can run as another system user. */
export const run = async (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {},
  user: { readonly uid?: number; readonly gid?: number } = {},
): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> => {
  const child = spawnErrata(args, env, user)
  let stdout = ""
  let stderr = ""
  child.stdout?.on("data", (chunk) => {
    stdout += chunk
  })
  child.stderr?.on("data", (chunk) => {
    stderr += chunk
  })
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve))
  return { code, stdout, stderr }
}

/** A running command that may not be ready yet. */
export interface Running {
  readonly child: ChildProcess
  readonly output: () => string
  /** The exit code, null after a signal, once the process has ended and its output is complete. */
  readonly closed: Promise<number | null>
}

/** Starts a command. Closing the scope kills it. */
export const spawnScoped = (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {},
): Effect.Effect<Running, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawnErrata(args, env)
      let output = ""
      const read = (chunk: Buffer) => {
        output += chunk
      }
      child.stdout?.on("data", read)
      child.stderr?.on("data", read)
      const closed = new Promise<number | null>((resolve) => child.once("close", resolve))
      return { child, output: () => output, closed }
    }),
    ({ child, closed }) =>
      Effect.promise(() => {
        child.kill("SIGKILL")
        return closed
      }),
  )

/** The settings of a command started here. */
export const settingsOf = (command: string | undefined): Readonly<Record<string, string>> => ({
  ERRATA_ADMIN_API_KEY: apiKey,
  ERRATA_ENCRYPTION_KEY: encryptionKey,
  ...(command === "serve" || command === "status" ? unprotected : {}),
})

// internal

/** No limits: tests send more than usual, leave it queued, and run on disks of any size. */
const unprotected = {
  ERRATA_POLICIES_INGEST_PROTECTION_DISK_PROTECTION_ENABLED: "false",
  ERRATA_POLICIES_INGEST_PROTECTION_GLOBAL_RATE_LIMIT_PER_MINUTE: "10000000",
  ERRATA_POLICIES_INGEST_PROTECTION_MAX_PENDING_INGEST_PAYLOADS: "10000000",
  // One process, however many cores the machine has.
  ERRATA_PROCESSES: "1",
}

const spawnErrata = (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>,
  user: { readonly uid?: number; readonly gid?: number } = {},
): ChildProcess => {
  // Keeps settings of the developer's machine and of npm from the server.
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(?:ERRATA_|npm_)/.test(name) && name !== "DATABASE_URL",
  )
  return spawn(process.execPath, [inject("errataBin"), ...args], {
    env: {
      ...Object.fromEntries(inherited),
      ...settingsOf(args[0]),
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
    ...user,
  })
}

const launch = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>>): Promise<Server> =>
  new Promise((resolve, reject) => {
    const child = spawnErrata(args, env)
    let output = ""
    const written = { stdout: "", stderr: "" }
    let exited = false
    const closed = new Promise<number | null>((done) =>
      child.once("close", (code) => {
        exited = true
        reject(new Error(`errata ended with ${code}:\n${output}`))
        done(code)
      }),
    )
    const read = (name: "stdout" | "stderr") => (chunk: Buffer) => {
      output += chunk
      written[name] += chunk
      const url =
        /Errata is listening on (\S+)/.exec(output)?.[1] ??
        // A worker node has no URL.
        (output.includes("(roles: worker)") ? "" : undefined)
      if (url !== undefined) {
        resolve({
          url,
          apiKey,
          child,
          output: () => output,
          closed,
          stdout: () => written.stdout,
          stderr: () => written.stderr,
          end: (signal) => {
            if (!exited) child.kill(signal)
            return closed
          },
        })
      }
    }
    child.stdout?.on("data", read("stdout"))
    child.stderr?.on("data", read("stderr"))
  })
