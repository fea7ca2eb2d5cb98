// Runs the programs in the guides for authors of applications and adapters, each in a process and a folder of its own, from
// the packages as built. A program must end with the status below, or run until it is stopped.
// Usage: node scripts/run-documents.mjs, after `npm run build`. It needs port 3000.
import { spawn } from "node:child_process"
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { stripTypeScriptTypes } from "node:module"
import { basename, join } from "node:path"
import { blocksOf, root } from "./documents.mjs"

const pages = ["adapters", "effect", "embedding", "embedding-capture"].map((name) => `docs/${name}.md`)

/** Parts of programs that end with status 1, and what they print. */
const failing = [
  ["NodeRuntime.runMain", "ERROR (#"],
  ["Effect.provide(Errata.reporting())", "Error: Out of tea"],
  [`readFile("dist/assets/app.js")`, "ENOENT"],
]

/** Servers and others that run until they are stopped have started within this time, in ms. */
const startMillis = 15_000

/** Programs at once. Most only wait to be stopped. */
const mostAtOnce = 8

/** Inside of a package that has all others, of Errata and of the frameworks. */
const folder = join(root, "packages/errata/node_modules/.documents")

/** Runs a program. The status is null if it was stopped. */
const run = (code, cwd) =>
  new Promise((resolve) => {
    mkdirSync(cwd, { recursive: true })
    writeFileSync(join(cwd, "program.mjs"), stripTypeScriptTypes(local(code)))
    const child = spawn(process.execPath, ["program.mjs"], { cwd, stdio: ["ignore", "pipe", "pipe"] })
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

const programs = pages.flatMap((page) =>
  blocksOf(readFileSync(join(root, page), "utf8"))
    // Suites need a test runner, and run elsewhere.
    .filter(({ code, language }) => language === "ts" && !code.includes(`"@errata/testing"`))
    .map(({ code, line }, index) => ({
      code,
      where: `${page}:${line}`,
      cwd: join(folder, `${basename(page)}-${index}`),
    })),
)

/** Programs that listen on the same port run one after the other. */
const listening = programs.filter(({ code }) => code.includes("3000"))
const queue = [listening, ...programs.filter((one) => !listening.includes(one)).map((one) => [one])]

const problems = []
const work = async () => {
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    for (const { code, cwd, where } of next) {
      const problem = problemOf(code, await run(code, cwd))
      if (problem !== null) problems.push(`${where} ${problem}`)
    }
  }
}

rmSync(folder, { recursive: true, force: true })
await Promise.all(Array.from({ length: mostAtOnce }, work))
rmSync(folder, { recursive: true, force: true })
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exit(1)
console.log(`${programs.length} programs of the documents run.`)
