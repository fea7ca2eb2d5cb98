/** A thousand webhooks, a quarter of which never respond, on tables with outdated statistics. */
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as pause } from "node:timers/promises"
import * as Events from "../../packages/cli/test/faults/support/Events.js"
import * as Api from "../lib/Api.js"
import type { Cleanup } from "../lib/Cleanup.js"
import * as Session from "../lib/Session.js"
import * as Storage from "../lib/Storage.js"
import * as Traffic from "../lib/Traffic.js"
import { until } from "../lib/Wait.js"
import type { Scenario } from "../Scenario.js"

/** Milliseconds that one statement on the deliveries may take. */
const mostStatement = 5_000

/** Most rows of deliveries that statements read for each webhook, about twice the measured number. */
const mostRows = 2_000

/** Deliveries of each webhook that are not due. */
const waitingOfEach = 200

/** Log messages about a timeout of a statement or a connection. */
const timeout = /The database has not responded|due to statement timeout/g

const run: Scenario["run"] = async (setting) => {
  const { cleanup, findings, size } = setting
  const webhooks = size === "short" ? 200 : 1_000
  const storage = await setting.storage()
  const database = storage.url ?? ""
  const session = await Session.open(setting, storage)
  const { node, project, url } = session
  let received = 0
  const healthy = await listen(
    (server) =>
      server.on("request", (request, response) => {
        request.resume()
        request.once("end", () => {
          received++
          response.writeHead(204).end()
        })
      }),
    cleanup,
  )
  const hanging = await listen((server) => server.on("request", (request) => request.resume()), cleanup)
  const { status } = await Api.call(node, "POST", `/projects/${project.id}/webhooks`, {
    url: healthy,
    events: ["group.created"],
  })
  if (status >= 300) throw new Error(`Creating a webhook answered ${status}`)
  // Statistics say that nothing is pending.
  await Storage.query(
    database,
    `INSERT INTO errata.deliveries
       (project_id, target_id, group_id, event, request_body, status, attempts, created_at, completed_at)
     SELECT project_id, id, 2000000 + i, 'group.created', '', 'succeeded', 1, now(), now()
     FROM errata.targets CROSS JOIN generate_series(1, 20000) AS i`,
  )
  await Storage.query(database, "ANALYZE")
  await Storage.query(database, "ALTER TABLE errata.deliveries SET (autovacuum_enabled = off)")
  // More than REST allows per project, with the same secret.
  await Storage.query(
    database,
    `INSERT INTO errata.targets (project_id, kind, url, events, enabled, secret, created_at, updated_at)
     SELECT project_id, 'webhook', CASE WHEN i % 4 = 0 THEN '${hanging}' ELSE url END, events, true, secret, now(), now()
     FROM errata.targets CROSS JOIN generate_series(2, ${webhooks}) AS i`,
  )
  // These are due tomorrow, and a lease must not read all of them.
  await Storage.query(
    database,
    `INSERT INTO errata.deliveries
       (project_id, target_id, group_id, event, request_body, status, attempts, created_at, due_at)
     SELECT w.project_id, w.id, 1000000 + i, 'group.created', repeat('x', 300), 'pending', 1, now(), now() + interval '1 day'
     FROM errata.targets AS w CROSS JOIN generate_series(1, ${waitingOfEach}) AS i`,
  )
  const traffic = Traffic.start(
    { url: () => url, source: setting.source(), connections: 1, atMost: Events.groups },
    cleanup,
  )
  await until("every group has an event", () => traffic.ledger.accepted.size === Events.groups)
  const watch = watchStatements(database, cleanup)
  const expected = (webhooks - Math.floor(webhooks / 4)) * Events.groups
  const began = performance.now()
  findings.count("deliveries", webhooks * Events.groups)
  await until("healthy receivers have all of theirs", () => received >= expected, 180_000).catch(() => {})
  findings.set("healthy ones delivered ms", Math.round(performance.now() - began))
  findings.check(
    received >= expected,
    () => `${expected - received} deliveries to healthy receivers are missing`,
  )
  const timeouts = (node.output().match(timeout) ?? []).length
  const longest = await watch.stop()
  const [read] = await Storage.query(
    database,
    `SELECT seq_tup_read + coalesce(idx_tup_fetch, 0) AS rows FROM pg_stat_user_tables
     WHERE schemaname = 'errata' AND relname = 'deliveries'`,
  )
  const rows = Number(read?.["rows"])
  findings.set("deliveries read by statements", rows)
  findings.check(rows <= webhooks * mostRows, () => `Statements read ${rows} rows of deliveries`)
  findings.set("longest statement ms", longest)
  findings.check(longest < mostStatement, () => `A statement on the deliveries took ${longest} ms`)
  findings.check(timeouts === 0, () => `${timeouts} statements timed out`)
  await traffic.stop()
  await Session.conclude(setting, storage, session, [traffic.ledger])
}

/** Samples the running time of statements on the deliveries. */
const watchStatements = (database: string, cleanup: Cleanup) => {
  let longest = 0
  let stopped = false
  const sample = async () => {
    while (!stopped) {
      const [row] = await Storage.query(
        database,
        `SELECT coalesce(max(extract(epoch FROM clock_timestamp() - query_start)), 0) * 1000 AS millis
         FROM pg_stat_activity
         WHERE datname = current_database() AND state = 'active' AND query LIKE '%deliveries%'
           AND pid <> pg_backend_pid()`,
      )
      longest = Math.max(longest, Math.round(Number(row?.["millis"])))
      await pause(100)
    }
  }
  // Other checks report a database that is gone.
  const ended = sample().catch(() => {})
  const stop = async () => {
    stopped = true
    await ended
    return longest
  }
  cleanup.defer(stop)
  return { stop }
}

const listen = async (on: (server: Server) => unknown, cleanup: Cleanup): Promise<string> => {
  const server = createServer()
  on(server)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  cleanup.defer(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

export const scenario: Scenario = { name: "hanging webhooks", kinds: ["postgres"], run }
