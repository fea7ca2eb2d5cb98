/**
 * Measures the cost of notification rules for ingest. It alternates between a server without rules and one with twenty,
 * with a target in each project. The receiver is fast, and the rules cover every kind of condition.
 *
 * Conditions are evaluated every second, 30 times as often as by default: at the default interval their cost would be
 * smaller than the variation of a machine's speed. The cost of each turn is divided by 30.
 */
import { startDatabase } from "./lib/database.mjs"
import { startReceiver } from "./lib/receiver.mjs"
import { machine, progress, publish, table } from "./lib/report.mjs"
import { LOADS, measure, percentile } from "./lib/scenarios.mjs"

const reports = (of) =>
  [10, 100, 1000, 10_000, 100_000].map((count) => ({ type: "reports", count, minutes: 5, of }))

/** One condition per rule. Some hold at once, some later, some never. */
const CONDITIONS = [
  ...["created", "reopened", "assigned", "noted", "fatal"].map((type) => ({ type })),
  ...[10, 1000].map((count) => ({ type: "users", count })),
  ...reports("group"),
  ...reports("project"),
  ...[2, 5, 100].map((factor) => ({ type: "rate", factor })),
]

const DEFAULT_INTERVAL_SECONDS = 30

const SETTINGS = {
  ERRATA_ALLOW_PRIVATE_ADDRESSES: "true",
  ERRATA_BASE_URL: "http://127.0.0.1",
  ERRATA_BACKGROUND_INTERVAL: "1 second",
  ERRATA_ENCRYPTION_KEY: "0".repeat(64),
}

/** Replaces the default rules, which apply to all projects. */
const prepare = (conditions, url) => async (server) => {
  const { alert_rules: before } = await server.request("GET", "/alert_rules")
  for (const { id } of before) await server.request("DELETE", `/alert_rules/${id}`)
  for (const [index, condition] of conditions.entries()) {
    await server.request("POST", "/alert_rules", { name: `Rule ${index + 1}`, triggers: [condition] })
  }
  const target = { kind: "ntfy", name: "Receiver", address: { url } }
  for (const { id } of server.projects) await server.request("POST", `/projects/${id}/targets`, target)
}

const FIGURES = ["processed_per_s", "accept_p50_ms", "accept_p99_ms", "server_cpu_us", "database_cpu_us"]

export const rules = async ({ options }) => {
  const { url: serverUrl } = await startDatabase()
  const receiver = await startReceiver((response) => response.end("{}"))
  const load = LOADS.find(({ name }) => name === "closed-3kb")
  const rows = []
  for (let turn = 1; turn <= options.turns; turn++) {
    const both = [[], CONDITIONS]
    // The machine's speed changes within a turn, so the order alternates.
    for (const conditions of turn % 2 === 0 ? both.reverse() : both) {
      const scenario = `${conditions.length} rules`
      progress(`turn ${turn}: ${scenario}`)
      const before = receiver.count()
      const prepared = { env: SETTINGS, prepare: prepare(conditions, receiver.url) }
      const row = await measure({ storage: "postgres", load, serverUrl, options, ...prepared })
      const messages = receiver.count() - before
      if (messages > 0 !== conditions.length > 0) row.errors.push(`${messages} messages were sent`)
      rows.push({ ...row, scenario, turn, messages })
    }
  }
  const medians = [...new Set(rows.map(({ scenario }) => scenario))].sort().map((scenario) => {
    const own = rows.filter((row) => row.scenario === scenario)
    const median = (name) =>
      percentile(
        own.map((row) => row[name]),
        0.5,
      )
    const figures = Object.fromEntries([...FIGURES, "messages"].map((name) => [name, median(name)]))
    return { scenario, ...figures, errors: own.flatMap(({ errors }) => errors) }
  })
  const turns = Map.groupBy(rows, ({ turn }) => turn)
  const costs = [...turns.values()].map((both) => {
    const rate = (rules) => both.find(({ scenario }) => scenario === `${rules} rules`).processed_per_s
    return 1 - rate(CONDITIONS.length) / rate(0)
  })
  const cost = percentile(costs, 0.5)
  publish("rules", { made_at: new Date().toISOString(), machine: machine(), options, costs, rows, medians })
  const columns = ["scenario", ...FIGURES, "messages"].map((name) => [name, name])
  console.log(`\n${table(rows, columns)}\n\nMedians:\n${table(medians, columns)}\n`)
  console.log(`Cost in each turn, measured every second: ${costs.map(percent).join(", ")}`)
  console.log(
    `Median, and at the default interval: ${percent(cost)}, ${percent(cost / DEFAULT_INTERVAL_SECONDS)}`,
  )
  const errors = rows.flatMap((row) => row.errors.map((error) => `${row.scenario}: ${error}`))
  for (const error of errors) console.log(error)
  return errors.length === 0
}

const percent = (share) => `${(100 * share).toFixed(1)} %`
