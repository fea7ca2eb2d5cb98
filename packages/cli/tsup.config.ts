import { defineConfig } from "tsup"
import { base } from "../../tsup.config.base.js"

// The command carries Effect and Errata's packages with it, without what it does not use of them: it starts in half the
// time and with half the memory. Packages with binaries or CommonJS stay outside.
export default defineConfig({
  ...base,
  entry: ["src/index.ts", "src/bin.ts", "src/recorder.ts"],
  noExternal: [/^effect$/, /^effect\//, /^@effect\//, /^@errata\//, /^fzstd$/],
  external: [/^(?!effect$|effect\/|@effect\/|@errata\/|fzstd$)[^./]/],
  treeshake: false,
  esbuildOptions(options) {
    options.conditions = ["@errata/source", "import", "node"]
    options.keepNames = false
  },
})
