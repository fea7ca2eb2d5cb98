import { readFile } from "node:fs/promises"
import { defineConfig, type Options } from "tsup"
import { base } from "../../tsup.config.base.js"
import { defined } from "../sourcemap/threadText.js"

/**
 * Imports from Effect's barrels become imports of the modules themselves. Through a barrel every module that any
 * command needs is in reach of all, and loaded at every start: those of the server twice over what help needs.
 */
const modulesOf: NonNullable<Options["esbuildPlugins"]>[number] = {
  name: "modules-of-barrels",
  setup(build) {
    build.onLoad({ filter: /packages\/[^/]+\/src\/.*\.ts$/ }, async ({ path }) => ({
      contents: (await readFile(path, "utf8")).replace(barrelImport, directImports),
      loader: "ts",
    }))
  },
}

const barrelImport =
  /^import \{([^}]*)\} from "(effect(?:\/(?:cli|http|http-api|observability|sql))?|@effect\/platform-node)"/gm

/** What the barrels export that is no module. */
const functions = ["absurd", "cast", "flow", "hole", "identity", "pipe"]

const directImports = (_: string, names: string, barrel: string): string => {
  const imports = names
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && !name.startsWith("type "))
    .map((name) => {
      const [imported = "", local = imported] = name.split(/\s+as\s+/)
      return functions.includes(imported)
        ? `import { ${imported} as ${local} } from "effect/Function"`
        : `import * as ${local} from "${barrel}/${imported}"`
    })
  // Lines stay where source maps look for them.
  return imports.join(";") + "\n".repeat(names.split("\n").length - 1)
}

// The command carries Effect and Errata's packages with it, without what it does not use of them: it starts in half the
// time and with half the memory. Packages with binaries or CommonJS stay outside.
export const bundle: Options = {
  ...base,
  entry: ["src/index.ts", "src/bin.ts", "src/recorder.ts"],
  noExternal: [/^effect$/, /^effect\//, /^@effect\//, /^@errata\//, /^zstddec$/],
  external: [/^(?!effect$|effect\/|@effect\/|@errata\/|zstddec$)[^./]/],
  define: defined(),
  treeshake: false,
  esbuildPlugins: [modulesOf],
  esbuildOptions(options) {
    options.conditions = ["@errata/source", "import", "node"]
    options.keepNames = false
  },
}

export default defineConfig(bundle)
