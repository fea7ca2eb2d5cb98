// Publishes all packages, after checks that nothing is missing. With --dry-run it packs them and publishes nothing.
// Usage: npm run release [-- --dry-run]
import { execFileSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { root } from "./documents.mjs"
import { packAll, publishedPackages } from "./packages.mjs"

const isDryRun = process.argv.includes("--dry-run")
const run = (command, ...args) => execFileSync(command, args, { cwd: root, encoding: "utf8" }).trim()

const versions = new Set(publishedPackages().map(({ manifest }) => manifest.version))
const [version] = versions
const changesets = readdirSync(join(root, ".changeset")).filter(
  (name) => name.endsWith(".md") && name !== "README.md",
)

// 0.1.0 has no release before it that changesets could be counted from.
const isFirst = run("git", "tag", "--list", "*@*") === ""
const pending = isFirst
  ? `The first release has no version before it. Check that CHANGELOG.md covers the ${changesets.length} changesets, and delete them.`
  : `Run npx changeset version: ${changesets.length} changesets are pending.`

const problems = [
  versions.size > 1 && `The packages have different versions: ${[...versions].join(", ")}.`,
  changesets.length > 0 && pending,
  !readFileSync(join(root, "CHANGELOG.md"), "utf8").includes(`## ${version}`) &&
    `CHANGELOG.md has no section for ${version}.`,
  run("git", "status", "--porcelain") !== "" && "The working tree has uncommitted changes.",
].filter(Boolean)

for (const problem of problems) console.error(problem)
if (problems.length > 0 && !isDryRun) process.exit(1)

const folder = mkdtempSync(join(tmpdir(), "errata-release-"))
for (const [name, path] of Object.entries(packAll(folder))) {
  const bytes = statSync(path.replace(/^file:/, "")).size
  console.log(`${`${name}@${version}`.padEnd(36)} ${(bytes / 1024).toFixed(0).padStart(6)} KiB`)
}
rmSync(folder, { recursive: true })

if (isDryRun) console.log("Dry run: nothing was published.")
else execFileSync("npx", ["changeset", "publish"], { cwd: root, stdio: "inherit" })
