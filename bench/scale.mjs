/**
 * Measures the cost and the gain of a second process or node, in turns. First, each process receives events at the same
 * rate, to compare CPU time per event. Then every database response is delayed, so that nodes wait instead of compute,
 * to compare the rates of one node and of two.
 */
import { createDatabase, startDatabase } from "./lib/database.mjs"
import { startDelay } from "./lib/delay.mjs"
import { drain, startErrata } from "./lib/errata.mjs"
import { runErrors, startGenerator } from "./lib/load.mjs"
import { watchCpuOfAll } from "./lib/processes.mjs"
import { machine, progress, publish, table } from "./lib/report.mjs"
import { percentile, perReport } from "./lib/scenarios.mjs"

const topologies = [
  { name: "one process", nodes: 1, processes: 1 },
  { name: "two processes", nodes: 1, processes: 2 },
  { name: "two nodes", nodes: 2, processes: 1 },
]

const startNodes = async ({ nodes, processes }, databaseUrl, bin) => {
  const env = { ERRATA_PROCESSES: String(processes) }
  const first = await startErrata({ storage: "postgres", databaseUrl, bin, env })
  const all = [first]
  while (all.length < nodes) {
    all.push(await startErrata({ storage: "postgres", databaseUrl, bin, env, beside: first }))
  }
  return all
}

const run = async (topology, serverUrl, load, options, delayMs) => {
  const database = await createDatabase(serverUrl)
  const way = delayMs > 0 ? await startDelay(database.url, delayMs) : { url: database.url, stop: () => {} }
  const servers = await startNodes(topology, way.url, options.bin)
  const generators = await Promise.all(servers.map((server) => startGenerator(server, 3)))
  const sendAll = (more) => Promise.all(generators.map((generator) => generator.run({ ...load, ...more })))
  const warmUp = await sendAll({ seconds: options.warmUp })
  const warm = warmUp.reduce((sum, { accepted }) => sum + accepted, 0)
  await drain(servers[0], warm)
  const cpu = watchCpuOfAll(servers.map(({ pid }) => pid))
  const began = Date.now()
  const runs = await sendAll({ seconds: options.seconds })
  const accepted = runs.reduce((sum, each) => sum + each.accepted, 0)
  const { at, count } = await drain(servers[0], warm + accepted)
  const used = cpu.stop()
  for (const generator of generators) await generator.stop()
  for (const server of servers) await server.stop()
  await way.stop()
  await database.drop()
  const errors = [...warmUp, ...runs].flatMap(runErrors)
  if (count !== warm + accepted) errors.push(`${warm + accepted} accepted, ${count} recorded`)
  return {
    scenario: `${topology.name}${delayMs > 0 ? `, ${delayMs} ms` : ""}`,
    processed_per_s: (accepted * 1000) / (at - began),
    accept_p50_ms: percentile(
      runs.map(({ p50 }) => p50),
      0.5,
    ),
    server_cpu_us: perReport(used.server, accepted, 1e6),
    database_cpu_us: perReport(used.database, accepted, 1e6),
    errors,
  }
}

const medianOf = (rows, scenario, name) =>
  percentile(
    rows.filter((row) => row.scenario === scenario).map((row) => row[name]),
    0.5,
  )

export const scale = async ({ delayMs, options }) => {
  const { url } = await startDatabase()
  const rows = []
  for (let turn = 1; turn <= options.turns; turn++) {
    for (const topology of topologies) {
      const { nodes, processes } = topology
      // One generator per node, which sends to all of its processes.
      const rate = options.rate * processes
      progress(`turn ${turn}: ${topology.name}, ${rate * nodes} events/s`)
      rows.push(await run(topology, url, { connections: 64 * processes, rate }, options, 0))
    }
    for (const topology of topologies.filter(({ processes }) => processes === 1)) {
      progress(`turn ${turn}: ${topology.name}, every answer of the database takes ${delayMs} ms`)
      rows.push(await run(topology, url, { connections: options.connections }, options, delayMs))
    }
  }
  const names = [...new Set(rows.map(({ scenario }) => scenario))]
  const medians = names.map((scenario) => ({
    scenario,
    ...Object.fromEntries(
      ["processed_per_s", "accept_p50_ms", "server_cpu_us", "database_cpu_us"].map((name) => [
        name,
        medianOf(rows, scenario, name),
      ]),
    ),
    errors: rows.filter((row) => row.scenario === scenario).flatMap(({ errors }) => errors),
  }))
  publish("scale", { made_at: new Date().toISOString(), machine: machine(), options, delayMs, rows, medians })
  console.log(`\n${table(rows)}\n\nMedians:\n${table(medians)}\n`)
  for (const { errors, scenario } of rows)
    if (errors.length > 0) console.log(`${scenario}: ${errors.join("; ")}`)
  return rows.every(({ errors }) => errors.length === 0)
}
