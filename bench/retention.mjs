/**
 * Measures how long retention takes to delete expired data, how much disk space it frees, and how it affects ingest
 * meanwhile. Reports are sent to the server and multiplied in the database over some weeks. Setting the database's
 * clock ahead makes them expire.
 */
import { connect, createDatabase, startDatabase } from "./lib/database.mjs"
import { drain, sleep, startErrata } from "./lib/errata.mjs"
import { runErrors, startGenerator } from "./lib/load.mjs"
import { multiply } from "./lib/multiply.mjs"
import { machine, progress, publish, table } from "./lib/report.mjs"
import { OPEN_CONNECTIONS } from "./lib/scenarios.mjs"

/** The reports arrive over WEEKS weeks; the clock ends up AGE weeks ahead. */
const WEEKS = 4
const AGE = 8

/** The clock may never go back: work that is already due would wait for weeks. */
const setClock = async (client, weeks) => {
  await client.query(`
    CREATE OR REPLACE FUNCTION errata.now() RETURNS timestamptz
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN statement_timestamp() + INTERVAL '${weeks} weeks'`)
  for (const name of ["reports", "report_events", "attachments", "segments"]) {
    await client.query("SELECT errata.make_partitions($1, 0)", [name])
  }
}

export const retention = async ({ mode, reports, frontDoor, options }) => {
  const database = await createDatabase((await startDatabase()).url)
  const server = await startErrata({ storage: "postgres", databaseUrl: database.url, bin: options.bin })
  const generator = await startGenerator(server, 3)
  const client = await connect(database.url)
  const errors = []
  let stored = 0
  const send = async (load) => {
    const run = await generator.run(load)
    errors.push(...runErrors(run))
    const drained = await drain(server, stored + run.accepted)
    if (drained.count - stored !== run.accepted) {
      errors.push(`${run.accepted} accepted, ${drained.count - stored} can be read`)
    }
    stored = drained.count
    return run
  }

  progress(`${frontDoor} reports through the front door`)
  await send({ count: frontDoor, seconds: 120, connections: options.connections })
  for (let week = 0; week < WEEKS; week++) {
    progress(`${Math.round((reports / WEEKS) * (week + 1))} reports, in week ${week + 1} of ${WEEKS}`)
    await setClock(client, week)
    stored = await multiply(client, stored, (reports / WEEKS) * (week + 1))
  }
  await setClock(client, AGE)
  const old = stored
  const bytes = await database.size()

  const load = { rate: options.rate, seconds: options.seconds, connections: OPEN_CONNECTIONS }
  progress(`${options.rate} events/s, without retention`)
  const before = await send(load)
  const policy = { enabled: true, time_purge_type: mode, retention_period_days: 14 }
  await server.request("PATCH", "/data_retention/errors", policy)
  progress(`${options.rate} events/s, with retention`)
  const during = send(load)
  let run = await server.request("POST", "/data_retention/runs")
  while (run.finished_at === null) {
    await sleep(200)
    run = await server.request("GET", `/data_retention/runs/${run.id}`)
  }
  const ran = await during
  if (run.failure !== null) errors.push(`the run failed: ${run.failure}`)
  const row = {
    mode,
    old_reports: old,
    reports_purged: run.reports_purged,
    groups_purged: run.groups_purged,
    partitions_purged: run.partitions_purged,
    partitions_postponed: run.partitions_postponed,
    seconds: (new Date(run.finished_at) - new Date(run.started_at)) / 1000,
    rate_per_s: options.rate,
    load_seconds: options.seconds,
    accept_p99_before_ms: before.p99,
    accept_p99_during_ms: ran.p99,
    accept_max_during_ms: ran.max,
    database_mb_before: bytes / 2 ** 20,
    tables_mb_before: run.bytes_before / 2 ** 20,
    tables_mb_after: run.bytes_after / 2 ** 20,
    returned_mb: run.bytes_returned / 2 ** 20,
    database_mb_after: (await database.size()) / 2 ** 20,
  }
  await client.end()
  publish(`retention-${mode}`, {
    made_at: new Date().toISOString(),
    machine: machine(),
    retention: row,
    errors,
  })
  console.log(
    `${table(
      [row],
      Object.keys(row).map((name) => [name, name]),
    )}\n`,
  )
  for (const error of errors) console.log(error)
  return errors.length === 0
}
