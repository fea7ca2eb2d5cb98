/** A private folder for one run: the socket, and copies of programs that the account cannot reach. */
import { existsSync } from "node:fs"
import { chown, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Result, type Scope } from "effect"
import { BinariesUnavailable, NoAccount, type StartFailed } from "../EmbeddedPostgresError.js"
import { type Account, candidates } from "./Account.js"
import { type Programs, programsIn, restoreLinks, stage } from "./Binaries.js"
import { run } from "./Commands.js"

export interface RunFolder {
  readonly path: string
  readonly account: Account
  readonly programs: Programs
}

export const prefix = "errata-pg-"

/** Finds an account and a folder with which the programs in `root` run. The folder is removed with the scope. */
export const make = (
  dataDir: string,
  root: string,
): Effect.Effect<RunFolder, BinariesUnavailable | NoAccount | StartFailed, Scope.Scope> =>
  Effect.acquireRelease(find(dataDir, root), ({ path }) => remove(path))

export const remove = (path: string): Effect.Effect<void> =>
  Effect.ignore(Effect.tryPromise(() => rm(path, { recursive: true, force: true, maxRetries: 3 })))

// internal

interface Refusal {
  readonly reached: "account" | "programs"
  readonly detail: string
}

const find = Effect.fn("RunFolder.find")(function* (dataDir: string, root: string) {
  const refusals: Array<Refusal> = []
  for (const account of yield* candidates(dataDir)) {
    for (const parent of parents()) {
      const tried = yield* Effect.result(attemptIn(account, parent, root))
      if (Result.isSuccess(tried)) return tried.success
      refusals.push(tried.failure)
    }
  }
  const last = refusals.find(({ reached }) => reached === "programs")
  if (last !== undefined) return yield* new BinariesUnavailable({ detail: last.detail })
  const details = [...new Set(refusals.map(({ detail }) => detail))]
  return yield* new NoAccount({ detail: details.join(" ") || "there is no folder for temporary files." })
})

/** The shortest limit of a Unix socket path on supported systems, in bytes. */
const longestSocketPath = 103
const parents = () =>
  process.platform === "win32"
    ? [tmpdir()]
    : [...new Set([tmpdir(), "/tmp", "/var/tmp", "/run", "/dev/shm"])].filter(
        (parent) =>
          existsSync(parent) &&
          Buffer.byteLength(join(parent, `${prefix}123456`, ".s.PGSQL.5432")) <= longestSocketPath,
      )

const attemptIn = (account: Account, parent: string, root: string): Effect.Effect<RunFolder, Refusal> => {
  const refuse = (detail: string) => Effect.fail<Refusal>({ reached: "account", detail })
  const step = (what: string, operation: () => Promise<unknown>) =>
    Effect.tryPromise({
      try: operation,
      catch: (cause): Refusal => ({
        reached: "account",
        detail: `As ${account.description}: ${what}: ${cause instanceof Error ? cause.message : cause}.`,
      }),
    })
  return Effect.gen(function* () {
    const path = yield* Effect.tryPromise({
      try: () => mkdtemp(join(parent, prefix)),
      catch: (): Refusal => ({ reached: "account", detail: `No folder could be made in ${parent}.` }),
    })
    return yield* Effect.gen(function* () {
      const { owner } = account
      if (owner !== undefined)
        yield* step("the owner of a folder could not be changed", () => chown(path, owner.uid, owner.gid))
      if (process.platform !== "win32") {
        const check = 'test -w "$1/." && test -w "$2/."'
        const reached = yield* run(account, path, "sh", ["-c", check, "sh", path, account.pathOf(path)])
        if (reached.code !== 0) {
          return yield* refuse(`As ${account.description}: ${path} cannot be used. ${reached.output}`.trim())
        }
      }
      if ((yield* trial(account, path, programsIn(root))) === undefined) {
        return { path, account, programs: programsIn(root) }
      }
      // Repair in place first, which also helps later starts and other users of the package.
      yield* Effect.ignore(Effect.tryPromise(() => restoreLinks(root, root)))
      if ((yield* trial(account, path, programsIn(root))) === undefined) {
        return { path, account, programs: programsIn(root) }
      }
      const copy = join(path, "postgres")
      yield* step("the programs could not be copied", () => stage(root, copy, owner))
      const problem = yield* trial(account, path, programsIn(copy))
      if (problem === undefined) return { path, account, programs: programsIn(copy) }
      return yield* Effect.fail<Refusal>({ reached: "programs", detail: problem })
    }).pipe(Effect.tapError(() => remove(path)))
  })
}

/** Returns why the programs do not run as this account, or undefined if they do. */
const trial = Effect.fnUntraced(function* (account: Account, folder: string, programs: Programs) {
  for (const program of [programs.postgres, programs.initdb]) {
    const { code, output } = yield* run(account, folder, program, ["--version"])
    if (code === 0) continue
    const hint = process.platform === "linux" && /ENOENT/.test(output) ? " They need the GNU C library." : ""
    return `its programs do not run as ${account.description}: ${output.trim() || `status ${code}`}.${hint}`
  }
  return undefined
})
