/** A server in a process of its own, started, read and killed as an operator would. */
import { type ChildProcess, spawn } from "node:child_process"
import { Effect, type Scope } from "effect"
import { inject } from "vitest"

export interface Server {
  readonly url: string
  readonly apiKey: string
  readonly child: ChildProcess
  /** Everything it wrote so far, to both outputs. */
  readonly output: () => string
  /** The exit code, null after a signal, once the process has ended. */
  readonly closed: Promise<number | null>
  readonly stdout: () => string
  readonly stderr: () => string
  /** Sends a signal and waits for the process to end; answers its exit code, null after a signal. */
  readonly end: (signal: NodeJS.Signals) => Promise<number | null>
}

/** The key that every server started here gives its admin. */
export const apiKey = "errata_0123456789abcdef0123456789abcdef"

/** The key that every server started here stores secrets under. */
export const encryptionKey = Buffer.alloc(32, "test").toString("base64")

/**
 * Starts `errata serve` with these arguments, on a free port unless they name one, and waits until it listens. Ends it with the scope, hard.
 */
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

/** Starts a node that only records; it has no address. */
export const startWorker = (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {},
): Effect.Effect<Server, Error, Scope.Scope> => start(["--roles", "worker", ...args], env)

/** Runs another command to its end, as another user of the system if one is given: only root can. */
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

/** A command that runs; nobody waits for it to be ready. */
export interface Running {
  readonly child: ChildProcess
  readonly output: () => string
  /** The exit code, null after a signal, once the process has ended and all of its output is here. */
  readonly closed: Promise<number | null>
}

/** Starts a command and ends it with the scope, hard. */
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

// internal

/** Tests send more than an instance is asked to take, leave it waiting, and say nothing of the disk that they run on. */
const unprotected = {
  ERRATA_POLICIES_INGEST_PROTECTION_DISK_PROTECTION_ENABLED: "false",
  ERRATA_POLICIES_INGEST_PROTECTION_GLOBAL_RATE_LIMIT_PER_MINUTE: "10000000",
  ERRATA_POLICIES_INGEST_PROTECTION_MAX_PENDING_INGEST_PAYLOADS: "10000000",
  // Tests mean one process, however many cores the machine has.
  ERRATA_PROCESSES: "1",
}

const spawnErrata = (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>,
  user: { readonly uid?: number; readonly gid?: number } = {},
): ChildProcess => {
  // Settings of the machine that runs the tests must not reach the server, and neither must npm's.
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(?:ERRATA_|npm_)/.test(name) && name !== "DATABASE_URL",
  )
  return spawn(process.execPath, ["--enable-source-maps", inject("errataBin"), ...args], {
    env: {
      ...Object.fromEntries(inherited),
      ERRATA_ADMIN_API_KEY: apiKey,
      ...(args[0] === "serve" || args[0] === "status" ? unprotected : {}),
      ERRATA_ENCRYPTION_KEY: encryptionKey,
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
        // A node that only records has no address.
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
