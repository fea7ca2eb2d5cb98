/**
 * Measures bytes per report that stay in the database after bodies have moved to a folder. Also measures the time of
 * the move and of reading a report's detail from there. Reports are sent to the server and multiplied in the database.
 * Setting its clock ahead makes them old enough.
 */
import { mkdtemp } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { ownFolder } from "./lib/cleanup.mjs"
import { connect, createDatabase, startDatabase } from "./lib/database.mjs"
import { drain, sleep, startErrata } from "./lib/errata.mjs"
import { runErrors, startGenerator } from "./lib/load.mjs"
import { multiply } from "./lib/multiply.mjs"
import { machine, progress, publish, table } from "./lib/report.mjs"
import { percentile } from "./lib/scenarios.mjs"

/** In weeks. Event ids are packed once their four weeks are archived. */
const AGE = 8
const DETAILS = 1000

export const archive = async ({ reports, frontDoor, options }) => {
  const database = await createDatabase((await startDatabase()).url)
  const client = await connect(database.url)
  const start = (env, beside) =>
    startErrata({ storage: "postgres", databaseUrl: database.url, bin: options.bin, env, beside })
  const first = await start({})
  const errors = []

  progress(`${frontDoor} reports through the front door`)
  const generator = await startGenerator(first, 3)
  const run = await generator.run({ count: frontDoor, seconds: 120, connections: options.connections })
  errors.push(...runErrors(run))
  const { count } = await drain(first, run.accepted)
  await client.query("SELECT errata.make_partitions('segments', 0)")
  const stored = await multiply(client, count, reports)
  await client.query("DROP TABLE public.bench_reports, public.bench_segments")
  const sample = await client.query(
    `SELECT project_id, group_id, id FROM errata.reports ORDER BY random() LIMIT ${DETAILS}`,
  )
  const before = await sizes(client)
  const inDatabase = await details(first, sample.rows, errors)
  await first.stop()

  await client.query(`
    CREATE OR REPLACE FUNCTION errata.now() RETURNS timestamptz
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN statement_timestamp() + INTERVAL '${AGE} weeks'`)
  const folder = ownFolder(await mkdtemp(join(tmpdir(), "errata-bench-objects-")))
  progress("moving bodies")
  const env = { ERRATA_BLOBS: pathToFileURL(folder).href, ERRATA_ARCHIVE_AFTER_WEEKS: "1" }
  const second = await start(env, first)
  const job = await finished(client)
  const after = await sizes(client)
  const inFolder = await details(second, sample.rows, errors)

  const row = {
    reports: stored,
    move_seconds: job,
    bytes_per_report_before: before.all / stored,
    bodies_per_report_before: before.segments / stored,
    bytes_per_report_after: after.all / stored,
    rows_per_report_after: after.reports / stored,
    objects_mb: after.objects / 2 ** 20,
    detail_database_p50_ms: percentile(inDatabase, 0.5),
    detail_database_p99_ms: percentile(inDatabase, 0.99),
    detail_object_p50_ms: percentile(inFolder, 0.5),
    detail_object_p99_ms: percentile(inFolder, 0.99),
  }
  await client.end()
  publish("archive", { made_at: new Date().toISOString(), machine: machine(), archive: row, errors })
  console.log(
    `${table(
      Object.entries(row).map(([figure, value]) => ({ figure, value })),
      ["figure", "value"].map((name) => [name, name]),
    )}\n`,
  )
  for (const error of errors) console.log(error)
  return errors.length === 0
}

/** Waits for the job to end and returns its duration in seconds. */
const finished = async (client) => {
  for (;;) {
    const { rows } = await client.query(`
      SELECT extract(epoch FROM succeeded_at - started_at)::float8 AS seconds FROM errata.jobs
      WHERE name = 'archive-bodies' AND leased_until IS NULL AND succeeded_at > started_at
        AND EXISTS (SELECT FROM errata.archives WHERE state = 'live')`)
    if (rows.length > 0) return rows[0].seconds
    await sleep(500)
  }
}

/** Sizes in bytes: all tables with their indexes, bodies, other rows of reports, and objects. */
const sizes = async (client) => {
  const { rows } = await client.query(`
    SELECT coalesce(sum(bytes), 0)::float8 AS all,
      coalesce(sum(bytes) FILTER (WHERE name LIKE 'segments%'), 0)::float8 AS segments,
      coalesce(sum(bytes) FILTER (WHERE name ~ '^(reports|report_events|event_packs|attachments|report_frames|archives)'), 0)::float8 AS reports,
      (SELECT coalesce(sum(bytes), 0)::float8 FROM errata.archives WHERE state = 'live') AS objects
    FROM (
      SELECT relname::text AS name, pg_total_relation_size(oid) AS bytes FROM pg_class
      WHERE relnamespace = 'errata'::regnamespace AND relkind = 'r') AS t`)
  return rows[0]
}

/** Requests details over REST one after the other, and returns the response times in ms. */
const details = async (server, sample, errors) => {
  progress(`${sample.length} details`)
  const millis = []
  for (const { group_id, id, project_id } of sample) {
    const begun = performance.now()
    const report = await server.request("GET", `/projects/${project_id}/groups/${group_id}/reports/${id}`)
    millis.push(performance.now() - begun)
    if (report.details_purged || report.details_unreadable !== null || report.sdk.name === "") {
      errors.push(`report ${id} has no details`)
    }
  }
  return millis
}
