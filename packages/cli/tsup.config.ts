import { defineConfig, type Options } from "tsup"
import { base } from "../../tsup.config.base.js"
import { defined } from "../sourcemap/threadText.js"

// The command carries Effect and Errata's packages with it, without what it does not use of them: it starts in half the
// time and with half the memory. Packages with binaries or CommonJS stay outside.
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
  },
}

export default defineConfig(bundle)
