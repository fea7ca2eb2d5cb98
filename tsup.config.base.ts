import type { Options } from "tsup"
import { modules } from "./tsup.modules.js"

/** The build of every package: ES modules, one file per entry. `tsc` writes the declarations (see turbo.json). */
export const base: Options = {
  format: ["esm"],
  target: "node22",
  platform: "node",
  sourcemap: true,
  // `tsc` writes these.
  clean: ["!**/*.d.ts", "!**/*.d.ts.map"],
  dts: false,
  splitting: true,
  silent: true,
  esbuildPlugins: [modules],
  // Workspace packages are ordinary dependencies. Only types resolve to their sources.
  esbuildOptions(options) {
    options.conditions = ["import", "node"]
    // The packages contain their sources.
    options.sourcesContent = false
  },
}
