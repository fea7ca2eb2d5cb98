/**
 * Measures lists, filters and searches in a seeded project (by default, a million reports in a hundred thousand groups)
 * while events arrive. `readsSeed.mjs` writes the seed directly into the tables.
 */
import { fork } from "node:child_process"
import { Agent, request } from "node:http"
import { fileURLToPath } from "node:url"
import { defer, end, own } from "./lib/cleanup.mjs"
import { connect, createDatabase, startDatabase } from "./lib/database.mjs"
import { sleep, startErrata } from "./lib/errata.mjs"
import { watchCpu } from "./lib/processes.mjs"
import { kindsOf, reportKindsOf } from "./lib/readsKinds.mjs"
import { seed } from "./lib/readsSeed.mjs"
import { machine, progress, publish, table } from "./lib/report.mjs"
import { percentile } from "./lib/scenarios.mjs"

/** Required response times of every list, filter and search, in ms. */
const TARGET = { p50: 20, p95: 50 }

const agent = new Agent({ keepAlive: true, maxSockets: 8 })

/** Sends a request. Returns the response and the time since it was due. */
const ask = (server, path, dueAt) =>
  new Promise((resolve, reject) => {
    const get = request(
      {
        host: server.host,
        port: server.port,
        agent,
        path: `/api/service/v1${path}`,
        headers: { authorization: `Bearer ${server.key}` },
      },
      (response) => {
        const chunks = []
        response.on("data", (chunk) => chunks.push(chunk))
        response.on("end", () =>
          resolve({
            status: response.statusCode,
            ms: performance.now() - dueAt,
            text: Buffer.concat(chunks).toString(),
          }),
        )
        response.on("error", reject)
      },
    )
    get.on("error", reject)
    get.end()
  })

const json = async (server, path) => JSON.parse((await ask(server, path, performance.now())).text)

/** Sends events at a steady rate from a process of its own. The returned function stops it and returns the counts. */
export const startLoad = (message) => {
  const child = own(fork(fileURLToPath(new URL("lib/readsLoad.mjs", import.meta.url))))
  const stop = defer(() => end(child))
  const tell = (text) =>
    new Promise((resolve) => {
      child.once("message", resolve)
      child.send(text)
    })
  return tell({ kind: "start", ...message }).then(() => async () => {
    const counts = await tell({ kind: "stop" })
    await stop()
    return counts
  })
}

/** Requests every kind in turn at a steady rate, and returns the response times per kind. */
const read = async (server, kinds, { rate, seconds }) => {
  const entries = Object.entries(kinds).map(([kind, path]) => ({
    kind,
    path,
    times: [],
    rows: [],
    errors: [],
  }))
  const total = Math.round(rate * seconds)
  const pending = []
  const began = performance.now()
  for (let turn = 0; turn < total; turn++) {
    const dueAt = began + (turn * 1000) / rate
    const wait = dueAt - performance.now()
    if (wait > 0) await sleep(wait)
    const entry = entries[turn % entries.length]
    const path = entry.path()
    pending.push(
      ask(server, path, dueAt).then(({ ms, status, text }) => {
        if (status !== 200 && !(status === 404 && entry.kind === "event absent")) {
          entry.errors.push(`${path} answered ${status}`)
        }
        entry.times.push(ms)
        entry.rows.push(rowsOf(text))
      }),
    )
  }
  await Promise.all(pending)
  return entries
}

const rowsOf = (text) => {
  const { groups, reports } = JSON.parse(text)
  return (groups ?? reports ?? [0]).length
}

export const measureReads = async ({ server, project, client, past, options }) => {
  const { rows } = await client.query(
    "SELECT id FROM errata.groups WHERE merged_into_id IS NULL ORDER BY reports_count DESC LIMIT 1",
  )
  const busiest = { id: rows[0].id, reports: [] }
  for (let cursor = ""; busiest.reports.length < 1_000; ) {
    const page = await json(server, `/projects/${project.id}/groups/${busiest.id}/reports?limit=100${cursor}`)
    busiest.reports.push(...page.reports)
    if (!page.has_more) break
    cursor = `&cursor=${page.next_cursor}`
  }
  const kinds = { ...kindsOf(past, project.id), ...reportKindsOf(past, project.id, busiest) }

  progress("reading, with events coming in")
  const stopLoad = await startLoad({
    host: server.host,
    port: server.port,
    project,
    groups: options.groups,
    rate: options.rate,
  })
  await sleep(options.warmUp * 1000)
  await read(server, kinds, { rate: options.readRate, seconds: Object.keys(kinds).length / options.readRate })
  const cpu = watchCpu(server.pid)
  const began = performance.now()
  const entries = await read(server, kinds, { rate: options.readRate, seconds: options.seconds })
  const used = cpu.stop().server
  const share = used === null ? null : (used * 1000) / (performance.now() - began)
  const load = await stopLoad()
  const statistics = await client.query(
    "SELECT relname, n_tup_upd::float8 AS updates, n_tup_hot_upd::float8 AS hot FROM pg_stat_user_tables WHERE relname IN ('groups', 'group_tags')",
  )

  const result = entries.map(({ kind, times, rows, errors }) => ({
    kind,
    asked: times.length,
    rows: Math.max(...rows),
    p50_ms: percentile(times, 0.5),
    p95_ms: percentile(times, 0.95),
    max_ms: Math.max(...times),
    errors,
    missed: percentile(times, 0.5) > TARGET.p50 || percentile(times, 0.95) > TARGET.p95 ? "missed" : "",
  }))
  const all = entries.flatMap(({ times }) => times)
  const errors = entries.flatMap(({ errors }) => errors)
  if (load.refused > 0) errors.push(`${load.refused} events were refused`)
  publish("latest-reads", {
    made_at: new Date().toISOString(),
    machine: machine(),
    options: { ...options, bin: undefined },
    target: TARGET,
    load: { ...load, rate_per_s: load.accepted / load.seconds },
    server_cores: share,
    updates: statistics.rows,
    all: { p50_ms: percentile(all, 0.5), p95_ms: percentile(all, 0.95), max_ms: Math.max(...all) },
    kinds: result,
    errors,
  })
  const columns = ["kind", "asked", "rows", "p50_ms", "p95_ms", "max_ms", "missed"]
  console.log(
    `\n${table(
      result,
      columns.map((name) => [name.replace("_", " "), name]),
    )}\n`,
  )
  for (const error of errors) console.log(error)
  return errors.length === 0
}

/** Starts a server on PostgreSQL and seeds its first project. */
export const startWithPast = async (options) => {
  const { url } = await startDatabase()
  const database = await createDatabase(url)
  const server = await startErrata({ storage: "postgres", databaseUrl: database.url, bin: options.bin })
  const project = server.projects[0]
  const client = await connect(database.url)
  const past = await seed(client, project.id, options)
  await database.checkpoint()
  const stop = async () => {
    await server.stop()
    await client.end()
    await database.drop()
  }
  return { server, project, client, past, stop }
}

/** @param options `groups`, `reports`, `rate` of events and `readRate` of requests a second, `seconds`, `warmUp` */
export const reads = async (options) => {
  const { stop, ...past } = await startWithPast(options)
  const ok = await measureReads({ ...past, options })
  await stop()
  return ok
}
