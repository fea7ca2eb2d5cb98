import { defineConfig, type Options } from "tsup"
import { base } from "../../tsup.config.base.js"
import { defined } from "../sourcemap/threadText.js"

// The command bundles the parts of Effect and Errata's packages that it uses, which halves its start time and memory.
// Packages with binaries or CommonJS stay outside.
export const bundle: Options = {
  ...base,
  entry: ["src/index.ts", "src/bin.ts", "src/recorder.ts"],
  noExternal: [/^effect$/, /^effect\//, /^@effect\//, /^@errata\//],
  external: [/^(?!effect$|effect\/|@effect\/|@errata\/)[^./]/],
  define: defined(),
  treeshake: false,
  esbuildOptions(options) {
    options.conditions = ["@errata/source", "import", "node"]
    options.keepNames = false
    options.sourcesContent = false
  },
}

export default defineConfig(bundle)
