// Measures the size and start time of Errata inside an application, for docs/embedding.md. Usage: npm run build && node
// scripts/weight.mjs. Rows are medians of five processes. Processor time varies less than elapsed time on a shared machine.
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
  ["import all of effect", `await import("effect")`],
  ["import @errata/effect", `await import("@errata/effect")`],
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

/** Elapsed times of the first tracker in a process, which is what a test file waits for. */
const firstStart = `
const began = performance.now()
const { createTestErrata } = await import("errata/testing")
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

/** Elapsed times of single calls, after enough of them that the code is compiled. */
const warmCalls = `
${make}
const median = (values) => values.sort((a, b) => a - b)[values.length >> 1]
const timed = async (count, call) => {
  const times = []
  for (let i = 0; i < count; i++) {
    const began = performance.now()
    await call(i)
    times.push(performance.now() - began)
  }
  return median(times.slice(count >> 1))
}
const pending = []
const capture = await timed(2000, (i) => void pending.push(errata.capture(new Error("a" + (i % 50)))))
await Promise.all(pending)
await errata.flush()
const get = await timed(1000, () => errata.projects.get(errata.project.id))
const list = await timed(1000, () => errata.groups.list(errata.project.id))
process.stdout.write(JSON.stringify({ capture, get, list }))
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
The first tracker of a process, elapsed, the median of ${starts.length} processes: import ${millis("load")}, createTestErrata
${millis("start")}, a first error until it is recorded ${millis("record")}, the first call ${millis("call")}; a second tracker ${millis("later")}`)

const warm = Array.from({ length: runs }, () => run(warmCalls))
const range = (name, digits, factor = 1) => {
  const values = warm.map((each) => each[name] * factor)
  return `${Math.min(...values).toFixed(digits)} to ${Math.max(...values).toFixed(digits)}`
}
console.log(`
In warm code, ${runs} processes: capture until it returns ${range("capture", 0, 1000)} us, projects.get ${range("get", 1)} ms,
groups.list ${range("list", 1)} ms`)
