// Measures a running server from outside, beside a bare baseline in the same run. `--help` prints the commands.
//
// `--turns N` measures baselines and scenarios N times in turns, and prints medians as well. The speed of a machine changes within
// minutes, so a ratio is valid only for figures that were measured side by side.
// `--only` takes storages (postgres, embedded, memory) and loads (closed-3kb, open-3kb, closed-50kb), or `baseline`.
// `--bin FILE` measures another build of the command. DATABASE_URL names a server to use in place of a throw-away one.
import { parseArgs } from "node:util"
import { archive } from "./archive.mjs"
import { dashboard } from "./dashboard.mjs"
import { growth } from "./growth.mjs"
import { interrupted, scoped } from "./lib/cleanup.mjs"
import { createDatabase, startDatabase } from "./lib/database.mjs"
import { machine, progress, publish, table } from "./lib/report.mjs"
import { LOADS, measure, measureBaseline, measureCeiling, percentile, STORAGES } from "./lib/scenarios.mjs"
import { reads } from "./reads.mjs"
import { rest } from "./rest.mjs"
import { retention } from "./retention.mjs"
import { rules } from "./rules.mjs"
import { scale } from "./scale.mjs"
import { sourcemaps } from "./sourcemaps.mjs"
import { webhooks } from "./webhooks.mjs"

const usage = `npm run bench -- [--only postgres,closed-3kb] [--seconds 10] [--warm-up 3] [--connections 64] [--rate 1000] [--turns 1]
npm run bench -- --growth [--only postgres] [--marks 10000,100000,1000000,10000000] [--front-door 1000000]
npm run bench -- --reads [--groups 100000] [--reports 1000000] [--rate 500] [--read-rate 20] [--seconds 180]
npm run bench -- --dashboard [--groups 100000] [--reports 1000000] [--rate 500] [--runs 10]
npm run bench -- --rest [--seconds 10] [--warm-up 3]
npm run bench -- --rules [--seconds 10] [--warm-up 3] [--connections 64] [--turns 1]
npm run bench -- --webhooks [--receivers 8] [--seconds 10] [--warm-up 3]
npm run bench -- --sourcemaps [--seconds 10] [--warm-up 3] [--connections 64]
npm run bench -- --scale [--rate 200] [--delay 20] [--connections 16] [--seconds 10] [--turns 1]
npm run bench -- --retention [--mode full|partial] [--reports 1000000] [--rate 500] [--seconds 60]
npm run bench -- --archive [--reports 100000] [--connections 64]`

const { values } = parseArgs({
  options: {
    help: { type: "boolean", default: false },
    only: { type: "string", default: "" },
    seconds: { type: "string" },
    "warm-up": { type: "string", default: "3" },
    turns: { type: "string", default: "1" },
    connections: { type: "string", default: "64" },
    rate: { type: "string" },
    bin: { type: "string" },
    growth: { type: "boolean", default: false },
    marks: { type: "string", default: "10000,100000,1000000" },
    "front-door": { type: "string", default: "1000000" },
    reads: { type: "boolean", default: false },
    dashboard: { type: "boolean", default: false },
    runs: { type: "string", default: "10" },
    rest: { type: "boolean", default: false },
    retention: { type: "boolean", default: false },
    archive: { type: "boolean", default: false },
    sourcemaps: { type: "boolean", default: false },
    rules: { type: "boolean", default: false },
    webhooks: { type: "boolean", default: false },
    scale: { type: "boolean", default: false },
    delay: { type: "string", default: "20" },
    receivers: { type: "string", default: "8" },
    mode: { type: "string", default: "full" },
    "read-rate": { type: "string", default: "20" },
    groups: { type: "string", default: "100000" },
    reports: { type: "string", default: "1000000" },
  },
})

if (values.help) {
  console.log(usage)
  process.exit()
}

const positive = (name, text) => {
  const number = Number(text)
  if (!(number > 0)) throw new Error(`--${name} takes a positive number, not ${text}`)
  return number
}

const options = {
  seconds: positive("seconds", values.seconds ?? (values.reads ? "180" : "10")),
  warmUp: positive("warm-up", values["warm-up"]),
  turns: positive("turns", values.turns),
  connections: positive("connections", values.connections),
  rate: positive(
    "rate",
    values.rate ?? (values.scale ? "200" : values.reads || values.dashboard ? "500" : "1000"),
  ),
  bin: values.bin,
}

const only = values.only.split(",").filter((term) => term !== "")
const known = [...STORAGES, ...LOADS.map(({ name }) => name), "baseline"]
for (const term of only) {
  if (!known.includes(term)) throw new Error(`--only does not know ${term}; it takes ${known.join(", ")}`)
}

/** Without `--only` for storages or for loads, the defaults of that kind run. Named ones run even if not a default. */
const selected = () => {
  if (only.length === 1 && only[0] === "baseline") return []
  const storages = STORAGES.filter((name) => only.includes(name))
  const loads = LOADS.filter(({ name }) => only.includes(name))
  return (storages.length > 0 ? storages : STORAGES).flatMap((storage) =>
    (loads.length > 0 ? loads : LOADS)
      .filter((load) => load.storages.includes(storage) || (loads.length > 0 && storages.length > 0))
      .map((load) => ({ storage, load })),
  )
}

const serverVersion = async (url) => {
  const database = await createDatabase(url)
  const version = await database.version()
  await database.drop()
  return version
}

/** Median of each figure per scenario. Turns without the figure are left out: a failed turn has no latency of 0 ms. */
const medians = (scenarios) =>
  [...new Set(scenarios.map(({ scenario }) => scenario))].map((scenario) => {
    const turns = scenarios.filter((each) => each.scenario === scenario)
    const medianOf = (name) => {
      const figures = turns.map((turn) => turn[name] ?? null).filter((figure) => figure !== null)
      return typeof figures[0] === "number" ? percentile(figures, 0.5) : (figures[0] ?? null)
    }
    const names = [...new Set(turns.flatMap((turn) => Object.keys(turn)))]
    return {
      ...Object.fromEntries(names.map((name) => [name, medianOf(name)])),
      errors: turns.flatMap(({ errors }) => errors),
      turn: undefined,
    }
  })

const compare = async () => {
  const scenarios = selected()
  const { url } = await startDatabase()
  const result = {
    made_at: new Date().toISOString(),
    machine: { ...machine(), postgresql: await serverVersion(url) },
    options: { ...options, bin: undefined },
    events: {},
    generator: null,
    baseline: [],
    scenarios: [],
  }
  progress("generator alone")
  result.generator = await measureCeiling(options)

  const sizes = scenarios.length === 0 ? [3, 50] : new Set(scenarios.map(({ load }) => load.eventKb))
  for (let turn = 1; turn <= options.turns; turn++) {
    const baselines = new Map()
    for (const eventKb of sizes) {
      progress(`turn ${turn}: baseline, ${eventKb} KB`)
      const { figures, events } = await scoped(() => measureBaseline({ eventKb, serverUrl: url, options }))
      baselines.set(eventKb, figures.processed_per_s)
      result.baseline.push({ turn, ...figures })
      result.events[`${eventKb}_kb`] = { body_bytes: events.bodyBytes, wire_bytes: events.wireBytes }
    }
    for (const { storage, load } of scenarios) {
      progress(`turn ${turn}: ${storage}, ${load.name}`)
      const scenario = `${storage}/${load.name}`
      const figures = await scoped(() => measure({ storage, load, serverUrl: url, options })).catch(
        (error) => {
          if (interrupted()) throw error
          return { scenario, storage, event_kb: load.eventKb, errors: [error.message] }
        },
      )
      // The rate of an open loop is fixed, so its throughput cannot be compared.
      const perSecond = load.open ? null : (baselines.get(load.eventKb) ?? null)
      const processed = figures.processed_per_s ?? null
      result.scenarios.push({
        turn,
        ...figures,
        baseline_per_s: perSecond,
        ratio_to_baseline: perSecond === null || processed === null ? null : processed / perSecond,
      })
    }
  }
  if (options.turns > 1) result.medians = medians(result.scenarios)
  publish("latest", result)
  const rows = [
    ...result.baseline.map((figures) => ({ ...figures, scenario: `baseline/closed-${figures.event_kb}kb` })),
    ...result.scenarios,
  ]
  console.log(`\n${table(rows)}\n`)
  if (result.medians !== undefined) console.log(`Medians:\n${table(result.medians)}\n`)
  const troubled = [{ ...result.generator, scenario: "generator alone" }, ...rows].filter(
    ({ errors }) => errors.length > 0,
  )
  for (const { scenario, errors } of troubled) console.log(`${scenario}: ${errors.join("; ")}`)
  return troubled.length === 0
}

const readOptions = {
  seconds: options.seconds,
  warmUp: options.warmUp,
  rate: options.rate,
  readRate: positive("read-rate", values["read-rate"]),
  groups: positive("groups", values.groups),
  reports: positive("reports", values.reports),
  bin: values.bin,
}
const marks = values.marks.split(",").map((mark) => positive("marks", mark))
const frontDoor = positive("front-door", values["front-door"])
const growing = STORAGES.find((name) => only.includes(name)) ?? "postgres"
/** Measurements by the name of their option. */
const measurements = {
  sourcemaps: () => sourcemaps({ options }),
  webhooks: () => webhooks({ receivers: positive("receivers", values.receivers), options }),
  rules: () => rules({ options }),
  rest: () => rest({ options }),
  scale: () => scale({ delayMs: positive("delay", values.delay), options }),
  retention: () => {
    const { reports } = readOptions
    return retention({ mode: values.mode, reports, frontDoor: reports / 20, options })
  },
  archive: () => {
    const { reports } = readOptions
    return archive({ reports, frontDoor: reports / 20, options })
  },
  reads: () => reads(readOptions),
  dashboard: () => dashboard({ ...readOptions, runs: positive("runs", values.runs) }),
  growth: () => growth({ storage: growing, marks, frontDoor, options }),
}
const chosen = Object.keys(measurements).find((name) => values[name])
try {
  const ok = await scoped(measurements[chosen] ?? compare)
  process.exitCode = ok ? 0 : 1
} catch (error) {
  if (!interrupted()) {
    console.error(error)
    process.exitCode = 1
  }
}
