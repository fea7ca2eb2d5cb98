/**
 * Measures the cost of source mapping. Browser events with ten frames in a 6 MB map are compared with the same events
 * of a release without a map, on one server. The first event after the upload has to parse the map.
 */
import { randomUUID } from "node:crypto"
import { Agent, request } from "node:http"
import { createDatabase, startDatabase } from "./lib/database.mjs"
import { drain, sleep, startErrata } from "./lib/errata.mjs"
import { watchCpu } from "./lib/processes.mjs"
import { machine, progress, publish, table } from "./lib/report.mjs"
import { makeEvent, makeMap } from "./lib/sourcemap.mjs"

const MAP_BYTES = 6_000_000
const SCRIPT = "https://shop.example/assets/app.js"
/** Distinct events that are sent repeatedly with new ids, as many as a bad day of one release shows. */
const EVENTS = 200

const upload = async (server, project, release, name, content, header) => {
  const form = new FormData()
  form.set("name", name)
  if (header !== undefined) form.set("header", header)
  form.set("file", new Blob([content]), "file")
  const path = `/api/0/projects/any/${project.id}/releases/${release}/files/`
  const answer = await fetch(`http://${server.host}:${server.port}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${server.key}` },
    body: form,
  })
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
}

const release = async (server, project, version) => {
  const answer = await fetch(`http://${server.host}:${server.port}/api/0/organizations/any/releases/`, {
    method: "POST",
    headers: { authorization: `Bearer ${server.key}`, "content-type": "application/json" },
    body: JSON.stringify({ version, projects: [project.id] }),
  })
  if (!answer.ok) throw new Error(`A release was answered with ${answer.status}: ${await answer.text()}`)
}

const send = (server, project, agent, event) =>
  new Promise((resolve, reject) => {
    const id = randomUUID().replaceAll("-", "")
    const call = request(
      {
        host: server.host,
        port: server.port,
        agent,
        method: "POST",
        path: `/api/${project.id}/store/?sentry_key=${project.token}`,
      },
      (response) => {
        response.resume()
        response.once("end", () =>
          response.statusCode === 200 ? resolve(id) : reject(new Error(`Answered ${response.statusCode}`)),
        )
      },
    )
    call.once("error", reject)
    call.end(JSON.stringify({ ...event, event_id: id }))
  })

/** Waits for a report. It appears after its frames are mapped. */
const reportOf = async (server, project, id) => {
  for (;;) {
    const report = await server.request("GET", `/projects/${project.id}/reports/${id}`).catch(() => null)
    if (report !== null) return report
    await sleep(5)
  }
}

/** Sends events in a closed loop for some seconds, then waits until all of them can be read. */
const load = async (server, project, events, { connections, seconds }) => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const before = await server.processed()
  const cpu = watchCpu(server.pid)
  const began = Date.now()
  let sent = 0
  const one = async () => {
    while (Date.now() - began < seconds * 1000) await send(server, project, agent, events[sent++ % EVENTS])
  }
  await Promise.all(Array.from({ length: connections }, one))
  const drained = await drain(server, before + sent)
  const used = cpu.stop()
  agent.destroy()
  const processed = drained.count - before
  const took = Math.max(seconds, (drained.at - began) / 1000)
  return {
    processed,
    missing: sent - processed,
    processed_per_s: processed / took,
    server_cpu_us: (used.server * 1e6) / processed,
  }
}

export const sourcemaps = async ({ options }) => {
  const database = await createDatabase((await startDatabase()).url)
  const server = await startErrata({ storage: "postgres", databaseUrl: database.url, bin: options.bin })
  const [project] = server.projects
  const map = makeMap(MAP_BYTES)
  progress(`a map of ${map.json.length} bytes with ${map.mappings} mappings`)
  for (const version of ["without", "with"]) await release(server, project, version)
  await upload(server, project, "with", "~/assets/app.js", "0", "Sourcemap:app.js.map")
  await upload(server, project, "with", "~/assets/app.js.map", map.json)

  const errors = []
  const rows = []
  const agent = new Agent({ keepAlive: true })
  for (const version of ["without", "with"]) {
    progress(`${version} a map`)
    const events = Array.from({ length: EVENTS }, (_, seed) =>
      makeEvent({ columns: map.columns, release: version, scriptUrl: SCRIPT, seed }),
    )
    const began = performance.now()
    const first = await reportOf(server, project, await send(server, project, agent, events[0]))
    const first_ms = performance.now() - began
    await load(server, project, events, { ...options, seconds: options.warmUp })
    const figures = await load(server, project, events, options)
    const again = performance.now()
    const last = await reportOf(server, project, await send(server, project, agent, events[0]))
    rows.push({ scenario: `${version} a map`, first_ms, later_ms: performance.now() - again, ...figures })
    const wanted = version === "with" ? "resolved" : "not_found"
    for (const { sourcemap_status: status } of [first, last]) {
      if (status !== wanted) errors.push(`${version} a map a report is ${status}`)
    }
    if (figures.missing !== 0) errors.push(`${figures.missing} events cannot be read`)
  }
  agent.destroy()
  publish("sourcemaps", {
    made_at: new Date().toISOString(),
    machine: machine(),
    options: { ...options, bin: undefined },
    map: { bytes: map.json.length, mappings: map.mappings },
    sourcemaps: rows,
    errors,
  })
  console.log(
    `${table(
      rows,
      Object.keys(rows[0]).map((name) => [name, name]),
    )}\n`,
  )
  for (const error of errors) console.log(error)
  return errors.length === 0
}
