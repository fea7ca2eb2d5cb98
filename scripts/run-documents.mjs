// Runs the programs in the guides for authors of applications and adapters, each in a process of its own, from the
// packages as built. A program must end with the status below, or run until it is stopped.
// Usage: node scripts/run-documents.mjs, after `npm run build`. It needs port 3000.
import { spawn } from "node:child_process"
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { stripTypeScriptTypes } from "node:module"
import { join } from "node:path"
import { blocksOf, root } from "./documents.mjs"

const pages = ["adapters", "effect", "embedding", "embedding-capture"].map((name) => `docs/${name}.md`)

/** Parts of programs that end with status 1, and what they print. */
const failing = [
  ["NodeRuntime.runMain", "ERROR (#"],
  ["Effect.provide(Errata.reporting())", "Error: Out of tea"],
  [`readFile("dist/assets/app.js")`, "ENOENT"],
]

/** Servers and others that run until they are stopped have started within this time, in ms. */
const startMillis = 10_000

/** Inside of a package that has all others, of Errata and of the frameworks. */
const folder = join(root, "packages/errata/node_modules/.documents")
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })

/** Runs a program. The status is null if it was stopped. */
const run = (file) =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [file], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] })
    let printed = ""
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk) => {
        printed += chunk
      })
    }
    const stop = setTimeout(() => child.kill("SIGKILL"), startMillis)
    child.on("close", (status) => {
      clearTimeout(stop)
      resolve({ status, printed })
    })
  })

/** Replaces the hosts of examples, so that nothing leaves the machine. Nothing listens there. */
const local = (code) =>
  code.replaceAll(/(:\/\/(?:\w+@)?)[a-z.]*example\.com/g, (_, start) => `${start}127.0.0.1:9`)

/** Describes an unexpected outcome of a program. Null if it was expected. */
const problemOf = (code, { printed, status }) => {
  const [, expected] = failing.find(([part]) => code.includes(part)) ?? []
  if (status === null || (status === 0 && expected === undefined)) return null
  return status === 1 && expected !== undefined && printed.includes(expected)
    ? null
    : `ended with status ${status}:\n${printed}`
}

let ran = 0
const problems = []
for (const page of pages) {
  for (const { code, language, line } of blocksOf(readFileSync(join(root, page), "utf8"))) {
    // Suites need a test runner, and run elsewhere.
    if (language !== "ts" || code.includes(`"@errata/testing"`)) continue
    const file = join(folder, `${ran++}.mjs`)
    writeFileSync(file, stripTypeScriptTypes(local(code)))
    const problem = problemOf(code, await run(file))
    if (problem !== null) problems.push(`${page}:${line} ${problem}`)
  }
}

rmSync(folder, { recursive: true, force: true })
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exit(1)
console.log(`${ran} programs of the documents run.`)
