/** Measures the server's CPU time per REST request: 16 connections send one kind of request as fast as they can. */
import { Agent, request as send } from "node:http"
import { defer } from "./lib/cleanup.mjs"
import { drain, sleep, startErrata } from "./lib/errata.mjs"
import { runErrors, startGenerator } from "./lib/load.mjs"
import { watchCpu } from "./lib/processes.mjs"
import { machine, progress, publish, table } from "./lib/report.mjs"

const CONNECTIONS = 16
/** Enough of the generator's events to fill a page of 25 groups. */
const SENT = 2000

/** Sends requests on all connections until `isOver` returns true, and resolves to their number. */
const loop = async (server, agent, path, isOver) => {
  const options = {
    agent,
    host: server.host,
    port: server.port,
    path: `/api/service/v1${path}`,
    headers: { authorization: `Bearer ${server.key}` },
  }
  const one = () =>
    new Promise((resolve, reject) => {
      send(options, (response) => {
        response.resume().on("end", () => {
          if (response.statusCode === 200) resolve()
          else reject(new Error(`GET ${path} answered ${response.statusCode}`))
        })
      })
        .on("error", reject)
        .end()
    })
  let count = 0
  const connection = async () => {
    for (; !isOver(); count++) await one()
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, connection))
  return count
}

const measure = async (server, agent, [scenario, path], { seconds, warmUp }) => {
  progress(scenario)
  const during = async (time) => {
    const timer = { isOver: false }
    const counted = loop(server, agent, path, () => timer.isOver)
    await Promise.race([sleep(time * 1000), counted])
    timer.isOver = true
    return counted
  }
  await during(warmUp)
  const cpu = watchCpu(server.pid)
  const count = await during(seconds)
  const { server: used } = cpu.stop()
  return {
    scenario,
    requests_per_s: count / seconds,
    server_cpu_us: used === null ? null : (used * 1e6) / count,
  }
}

export const rest = async ({ options }) => {
  const server = await startErrata({ storage: "memory", bin: options.bin })
  const generator = await startGenerator(server, 3)
  const run = await generator.run({ count: SENT, seconds: 60, connections: options.connections })
  await drain(server, run.accepted)
  generator.stop()
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  defer(() => agent.destroy())

  const project = `/projects/${server.projects[0].id}`
  const { groups } = await server.request("GET", `${project}/groups?limit=25`)
  const group = `${project}/groups/${groups[0].id}`
  const { reports } = await server.request("GET", `${group}/reports`)
  const rows = []
  for (const kind of [
    ["a page of 25 groups", `${project}/groups?limit=25`],
    ["a group", group],
    ["a report", `${group}/reports/${reports[0].id}`],
  ]) {
    rows.push(await measure(server, agent, kind, options))
  }
  publish("rest", {
    made_at: new Date().toISOString(),
    machine: machine(),
    groups_on_the_page: groups.length,
    requests: rows,
  })
  const columns = [
    ["request", "scenario"],
    ["requests/s", "requests_per_s"],
    ["server us", "server_cpu_us"],
  ]
  console.log(`\n${table(rows, columns)}\n`)
  return runErrors(run).length === 0
}
