/**
 * Measures lists, searches and ingest as the number of reports grows. Reports are sent to the server at the measured
 * rate, up to `frontDoor` of them. Beyond that they are multiplied in the database.
 */
import { connect, createDatabase, startDatabase } from "./lib/database.mjs"
import { drain, startErrata } from "./lib/errata.mjs"
import { runErrors, startGenerator } from "./lib/load.mjs"
import { mergeUnderLoad } from "./lib/mergeUnderLoad.mjs"
import { multiply } from "./lib/multiply.mjs"
import { watchCpu } from "./lib/processes.mjs"
import { machine, progress, publish, table } from "./lib/report.mjs"
import { LIST, OPEN_CONNECTIONS, percentile, perReport, SEARCH } from "./lib/scenarios.mjs"

const READS = 100

/** Events sent before the queue is drained again. */
const SLICE = 20_000

const readTimes = async (server, path) => {
  const times = []
  for (let turn = 0; turn < READS; turn++) {
    const project = server.projects[turn % server.projects.length]
    const began = performance.now()
    await server.request("GET", `/projects/${project.id}${path}`)
    times.push(performance.now() - began)
  }
  return times
}

export const growth = async ({ storage, marks, frontDoor, options }) => {
  const database = storage === "postgres" ? await createDatabase((await startDatabase()).url) : null
  const server = await startErrata({ storage, databaseUrl: database?.url, bin: options.bin })
  const generator = await startGenerator(server, 3)
  const errors = []
  let stored = 0

  const send = async (load) => {
    const cpu = watchCpu(server.pid)
    const run = await generator.run({ connections: options.connections, ...load })
    errors.push(...runErrors(run))
    const drained = await drain(server, stored + run.accepted)
    const cpuUsed = cpu.stop()
    const processed = drained.count - stored
    if (processed !== run.accepted) errors.push(`${run.accepted} accepted, ${processed} can be read`)
    stored = drained.count
    return {
      ...run,
      processedPerS: processed / Math.max(run.seconds, (drained.at - run.startedAt) / 1000),
      serverCpu: perReport(cpuUsed.server, processed, 1e6),
      databaseCpu: perReport(cpuUsed.database, processed, 1e6),
    }
  }

  const rows = []
  for (const mark of marks) {
    progress(`${storage}, up to ${mark} reports`)
    while (stored < mark && stored < frontDoor && errors.length === 0)
      await send({ count: Math.min(SLICE, mark - stored), seconds: 60 })
    if (stored < mark && errors.length === 0) {
      if (database === null) throw new Error("--front-door goes with PostgreSQL: nothing else is multiplied")
      const client = await connect(database.url)
      stored = await multiply(client, stored, mark)
      await client.end()
    }
    const at = stored
    const list = await readTimes(server, LIST)
    const search = await readTimes(server, SEARCH)
    const size = await database?.size()
    const ingest = await send({ seconds: options.seconds })
    rows.push({
      storage,
      reports: at,
      processed_per_s: ingest.processedPerS,
      accept_p99_ms: ingest.p99,
      server_cpu_us: ingest.serverCpu,
      database_cpu_us: ingest.databaseCpu,
      list_p50_ms: percentile(list, 0.5),
      list_p95_ms: percentile(list, 0.95),
      search_p50_ms: percentile(search, 0.5),
      search_p95_ms: percentile(search, 0.95),
      database_mb: size === undefined ? null : size / 2 ** 20,
    })
    if (errors.length > 0) break
  }
  const merged =
    errors.length === 0
      ? await mergeUnderLoad(server, send, {
          connections: OPEN_CONNECTIONS,
          rate: options.rate,
          seconds: options.seconds,
        })
      : null
  publish("growth", { made_at: new Date().toISOString(), machine: machine(), growth: rows, merged, errors })
  const columns = [
    "reports",
    "processed_per_s",
    "accept_p99_ms",
    "server_cpu_us",
    "database_cpu_us",
    "list_p50_ms",
    "list_p95_ms",
    "search_p50_ms",
  ]
  console.log(
    `\n${table(
      rows,
      [...columns, "search_p95_ms", "database_mb"].map((name) => [name, name]),
    )}\n`,
  )
  if (merged !== null) {
    console.log(
      `${table(
        [merged],
        Object.keys(merged).map((name) => [name, name]),
      )}\n`,
    )
  }
  for (const error of errors) console.log(error)
  return errors.length === 0
}
