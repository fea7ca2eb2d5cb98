import type { Options } from "tsup"
import { modules } from "./tsup.modules.js"

/** What every package is built with: ESM only, one file per entry, declarations by `tsc` apart (see turbo.json). */
export const base: Options = {
  format: ["esm"],
  target: "node22",
  platform: "node",
  sourcemap: true,
  // Declarations are made apart.
  clean: ["!**/*.d.ts", "!**/*.d.ts.map"],
  dts: false,
  splitting: true,
  silent: true,
  esbuildPlugins: [modules],
  // Workspace packages are dependencies like any other; only types resolve to their sources.
  esbuildOptions(options) {
    options.conditions = ["import", "node"]
  },
}
