// What it weighs to have Errata inside an application: `npm run build`, then `node scripts/weight.mjs`. Every line is the
// middle of five processes; times are of the processor, which say more than clocks on a machine that others use as well.
import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../", import.meta.url))
const runs = 5

const program = (steps) => `
const cpu = () => { const { system, user } = process.cpuUsage(); return (system + user) / 1000 }
const rss = () => { global.gc(); return process.memoryUsage().rss / 1e6 }
const before = { cpu: cpu(), rss: rss() }
${steps}
process.stdout.write(JSON.stringify({ cpu: cpu() - before.cpu, rss: rss() - before.rss }))
process.exit()`

const make = `
const { createErrata, memory } = await import("errata")
const errata = await createErrata({ storage: memory() })`

const lines = [
  ["import effect, all of it", `await import("effect")`],
  ["import @errata/core", `await import("@errata/core")`],
  ["import errata", `await import("errata")`],
  ["import errata/postgres", `await import("errata/postgres")`],
  ["import errata/embedded", `await import("errata/embedded")`],
  ["import @errata/http", `await import("@errata/http")`],
  ["errata, and an instance in memory", make],
  [
    "... and an error captured and recorded",
    `${make}\nawait errata.capture(new Error("a")); await errata.flush()`,
  ],
  ["... and a first call", `${make}\nawait errata.projects.list()`],
]

const run = (script) =>
  JSON.parse(
    execFileSync(process.execPath, ["--expose-gc", "--input-type=module", "--eval", script], {
      cwd: root,
      encoding: "utf8",
    }),
  )
const middle = (values) => values.sort((a, b) => a - b)[values.length >> 1]

/** A test file is a process: what it waits for is the first start, by the clock. */
const firstStart = `
const began = performance.now()
const { createTestErrata } = await import("@errata/testing/tracker")
const loaded = performance.now()
const errata = await createTestErrata()
const started = performance.now()
await errata.capture(new Error("a"))
await errata.flush()
const recorded = performance.now()
await errata.expectReported("a")
const called = performance.now()
await createTestErrata()
const later = performance.now() - called
const seen = { load: loaded - began, start: started - loaded, record: recorded - started, call: called - recorded, later }
process.stdout.write(JSON.stringify(seen))
process.exit()`

console.log(`Node ${process.version}, ${process.platform} ${process.arch}\n`)
console.log("| | processor time | memory |\n|---|---|---|")
for (const [name, steps] of lines) {
  const seen = Array.from({ length: runs }, () => run(program(steps)))
  const cpu = middle(seen.map((each) => each.cpu))
  const rss = middle(seen.map((each) => each.rss))
  console.log(`| ${name} | ${cpu.toFixed(0)} ms | ${rss.toFixed(0)} MB |`)
}

const starts = Array.from({ length: 15 }, () => run(firstStart))
const millis = (name) => `${middle(starts.map((each) => each[name])).toFixed(0)} ms`
console.log(`
The first tracker of a test file, by the clock, the middle of ${starts.length} processes: import ${millis("load")}, createTestErrata
${millis("start")}, a first error until it is recorded ${millis("record")}, the first call ${millis("call")}; a second tracker ${millis("later")}`)
