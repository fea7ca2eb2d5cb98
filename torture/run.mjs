/**
 * `npm run torture -- [--minutes 10] [--seed 1] [--only NAME]... [--storage embedded|postgres] [--short] [--figures]
 * [--bin FILE]`: bundles the TypeScript suite and runs it.
 *
 * `--bin` selects another build of the command, for comparisons.
 */
import { fileURLToPath } from "node:url"
import { build } from "tsup"
import { buildNextVersion } from "./nextVersion.mjs"

const root = new URL("../", import.meta.url)
const outDir = new URL("node_modules/.cache/errata-torture/", root)
await build({
  entry: { torture: fileURLToPath(new URL("torture/main.ts", root)) },
  outDir: fileURLToPath(outDir),
  config: false,
  silent: true,
  format: "esm",
  platform: "node",
  target: "node22",
  splitting: false,
  outExtension: () => ({ js: ".mjs" }),
  external: [/^[^./]/],
})
process.env.ERRATA_TORTURE_ROOT = fileURLToPath(root)
process.env.ERRATA_TORTURE_BIN ??= fileURLToPath(new URL("packages/cli/dist/bin.js", root))
// Needed unless `--only` selects other scenarios.
if (!process.argv.includes("--only") || process.argv.includes("rolling upgrade")) {
  process.env.ERRATA_TORTURE_NEXT_BIN ??= await buildNextVersion()
}
await import(new URL("torture.mjs", outDir).href)
