/** The measurements and how each of them runs. */
import { connect, createDatabase } from "./database.mjs"
import { drain, sleep, startErrata } from "./errata.mjs"
import { runErrors, startComparison, startGenerator } from "./load.mjs"
import { folderSize, peakRssMb, watchChildren, watchCpu } from "./processes.mjs"

export const STORAGES = ["postgres", "embedded", "memory"]

export const LOADS = [
  { name: "closed-3kb", eventKb: 3, open: false, storages: STORAGES },
  { name: "open-3kb", eventKb: 3, open: true, storages: STORAGES },
  { name: "closed-50kb", eventKb: 50, open: false, storages: ["postgres"] },
]

/** Enough connections that the rate is the limit, not the number of requests in flight. */
export const OPEN_CONNECTIONS = 256

const runOptions = (load, options) =>
  load.open
    ? { seconds: options.seconds, connections: OPEN_CONNECTIONS, rate: options.rate }
    : { seconds: options.seconds, connections: options.connections }

export const percentile = (numbers, share) => {
  const sorted = [...numbers].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null
}

export const perReport = (total, count, scale = 1) =>
  total === null || count === 0 ? null : (total * scale) / count

/** Reads a list five times a second and records the response times. */
const probe = (server, path) => {
  const times = []
  const failures = []
  let on = true
  const done = (async () => {
    for (let turn = 0; on; turn++) {
      const project = server.projects[turn % server.projects.length]
      const began = performance.now()
      await server.request("GET", `/projects/${project.id}${path}`).then(
        () => times.push(performance.now() - began),
        (error) => failures.push(error.message),
      )
      await sleep(200)
    }
  })()
  return {
    stop: async () => {
      on = false
      await done
      return { times, failures }
    },
  }
}

export const LIST = "/groups?limit=25"
export const SEARCH = `/groups?limit=25&query=${encodeURIComponent('is:unresolved tags.os:"Windows 11" order')}`

/** Measures the baseline on its own database: a closed loop with events of one size. */
export const measureBaseline = async ({ eventKb, serverUrl, options }) => {
  const database = await createDatabase(serverUrl)
  const server = await startComparison("baseline.mjs", { DATABASE_URL: database.url })
  const generator = await startGenerator(server, eventKb)
  const load = { seconds: options.seconds, connections: options.connections }
  const warmUp = await generator.run({ ...load, seconds: options.warmUp })
  await database.checkpoint()
  const cpu = watchCpu(server.pid)
  const [size, commits] = [await database.size(), await database.commits()]
  const run = await generator.run(load)
  const cpuUsed = cpu.stop()
  await generator.stop()
  const rss = peakRssMb(server.pid)
  await server.stop()
  const client = await connect(database.url)
  const stored = Number((await client.query("SELECT count(*) FROM reports")).rows[0].count)
  await client.end()
  // PostgreSQL publishes a session's transaction count when the session ends, and the baseline's has ended.
  const transactions = (await database.commits()) - commits
  const bytes = (await database.size()) - size
  await database.drop()
  const errors = [...runErrors(warmUp), ...runErrors(run)]
  if (stored !== warmUp.accepted + run.accepted) {
    errors.push(`${warmUp.accepted + run.accepted} accepted, but ${stored} stored`)
  }
  return {
    events: generator.events,
    figures: {
      event_kb: eventKb,
      processed_per_s: run.accepted / run.seconds,
      accept_p50_ms: run.p50,
      accept_p95_ms: run.p95,
      accept_p99_ms: run.p99,
      rss_mb: rss,
      bytes_per_report: perReport(bytes, run.accepted),
      reports_per_transaction: perReport(run.accepted, transactions),
      server_cpu_us: perReport(cpuUsed.server, run.accepted, 1e6),
      database_cpu_us: perReport(cpuUsed.database, run.accepted, 1e6),
      generator_cpu_us: perReport(run.cpuSeconds, run.sent, 1e6),
      errors,
    },
  }
}

/** Measures the limit of the generator and `node:http`: a server that discards the body. */
export const measureCeiling = async (options) => {
  const server = await startComparison("discard.mjs")
  const generator = await startGenerator(server, 3)
  await generator.run({ seconds: 1, connections: options.connections })
  const run = await generator.run({ seconds: 3, connections: options.connections })
  await generator.stop()
  await server.stop()
  return {
    requests_per_s: run.accepted / run.seconds,
    generator_cpu_us: perReport(run.cpuSeconds, run.sent, 1e6),
    errors: runErrors(run),
  }
}

/**
 * Runs one load on one storage, with its own server and database. `prepare` may change the server before the load.
 * After a failure, the caller's scope stops both.
 */
export const measure = async ({ storage, load, serverUrl, options, env, prepare }) => {
  const database = storage === "postgres" ? await createDatabase(serverUrl) : null
  const server = await startErrata({ storage, databaseUrl: database?.url, bin: options.bin, env })
  await prepare?.(server)
  const children = storage === "embedded" ? watchChildren(server.pid) : null
  const generator = await startGenerator(server, load.eventKb)
  const size = () => database?.size() ?? (storage === "embedded" ? folderSize(server.dataDir) : null)
  const errors = []

  const warmUp = await generator.run({ ...runOptions(load, options), seconds: options.warmUp })
  const warm = await drain(server, warmUp.accepted)
  await database?.checkpoint()

  const before = { size: await size(), commits: await database?.commits() }
  const cpu = watchCpu(server.pid)
  const probes = load.open ? { list: probe(server, LIST), search: probe(server, SEARCH) } : null
  const run = await generator.run(runOptions(load, options))
  const list = await probes?.list.stop()
  const search = await probes?.search.stop()
  const drained = await drain(server, warm.count + run.accepted)
  const cpuUsed = cpu.stop()

  const processed = drained.count - warm.count
  const seconds = Math.max(run.seconds, (drained.at - run.startedAt) / 1000)
  errors.push(...runErrors(warmUp), ...runErrors(run))
  for (const failure of [...(list?.failures ?? []), ...(search?.failures ?? [])]) errors.push(failure)
  // A request on a lost connection may have been accepted or not. The outcome of all others is known.
  const atLeast = warmUp.accepted + run.accepted
  const atMost = atLeast + warmUp.unknown + run.unknown
  if (drained.count < atLeast) errors.push(`${atLeast - drained.count} accepted events cannot be read`)
  if (drained.count > atMost) errors.push(`${drained.count - atMost} reports more than events sent`)
  if (!server.running()) errors.push(`the server ended by itself:\n${server.log()}`)

  await generator.stop()
  // Includes space left by processed payloads, which PostgreSQL reuses.
  const bytes = before.size === null ? null : (await size()) - before.size
  const rss = peakRssMb(server.pid)
  const databaseRss = children?.stop() ?? null
  await server.stop()
  // All commits, for accepting as well as recording. PostgreSQL publishes a session's count when the session ends.
  const transactions = database === null ? null : (await database.commits()) - before.commits
  await database?.drop()

  return {
    scenario: `${storage}/${load.name}`,
    storage,
    event_kb: load.eventKb,
    rate_per_s: load.open ? options.rate : null,
    processed_per_s: processed / seconds,
    accepted_per_s: run.accepted / run.seconds,
    accept_p50_ms: run.p50,
    accept_p95_ms: run.p95,
    accept_p99_ms: run.p99,
    accept_max_ms: run.max,
    list_p95_ms: percentile(list?.times ?? [], 0.95),
    search_p95_ms: percentile(search?.times ?? [], 0.95),
    rss_mb: rss,
    database_rss_mb: databaseRss,
    bytes_per_report: perReport(bytes, processed),
    reports_per_transaction: transactions === null ? null : perReport(processed, transactions),
    server_cpu_us: perReport(cpuUsed.server, processed, 1e6),
    database_cpu_us: perReport(cpuUsed.database, processed, 1e6),
    generator_cpu_us: perReport(run.cpuSeconds, run.sent, 1e6),
    accepted: run.accepted,
    processed,
    drain_s: seconds - run.seconds,
    notes: server.notes,
    errors,
  }
}
