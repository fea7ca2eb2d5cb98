// Builds the documentation site into docs/dist, with an API reference from the packages' docstrings. The first run
// installs the tools into docs/node_modules, to keep them out of the root's dependencies.
// Usage: node scripts/docs.mjs [--serve | --pages]; --pages leaves out the reference, as CI does.
import { execFileSync } from "node:child_process"
import { existsSync, statSync } from "node:fs"
import { join } from "node:path"
import { root } from "./documents.mjs"

const docs = join(root, "docs")
const run = (program, ...args) => execFileSync(program, args, { cwd: docs, stdio: "inherit" })
const bin = (name) => join(docs, "node_modules/.bin", name)

const installed = join(docs, "node_modules/.package-lock.json")
const isStale =
  !existsSync(installed) || statSync(installed).mtimeMs < statSync(join(docs, "package-lock.json")).mtimeMs
if (isStale) run("npm", "ci", "--workspaces=false", "--no-audit", "--no-fund")

if (process.argv.includes("--serve")) {
  run(bin("vitepress"), "dev")
} else {
  run(bin("vitepress"), "build")
  if (!process.argv.includes("--pages")) run(bin("typedoc"), "--logLevel", "Warn")
}
