/**
 * Copies stored reports directly in the database, again and again, with their bodies and events. Copies have ids of
 * their own, and tags of ever more users.
 */
import { USERS } from "./events.mjs"
import { progress } from "./report.mjs"

/** Copies reports until there are at least `wanted`, and returns their number. */
export const multiply = async (client, stored, wanted) => {
  await client.query("SET statement_timeout = 0; SET synchronous_commit = off")
  await client.query("CREATE TABLE IF NOT EXISTS public.bench_reports AS SELECT * FROM errata.reports")
  await client.query("CREATE TABLE IF NOT EXISTS public.bench_segments AS SELECT * FROM errata.segments")
  const sample = (await client.query("SELECT count(*)::float8 AS count FROM public.bench_reports")).rows[0]
    .count
  let count = stored
  for (let pass = 1; count < wanted; pass++) {
    await client.query("BEGIN")
    await client.query(COPY)
    await client.query(TAGS, [sample, USERS])
    await client.query(GROUP_COUNTS)
    await client.query(PROJECT_COUNTS)
    await client.query("COMMIT")
    count += sample
    if (pass % 10 === 0) progress(`${count} reports`)
  }
  // As autovacuum would have done while so many reports arrived.
  for (const table of ["reports", "report_events", "segments", "group_tags", "groups"]) {
    await client.query(`VACUUM (ANALYZE) errata.${table}`)
  }
  await client.query("CHECKPOINT")
  return count
}

const nextId = (sequence) => `errata.first_id(errata.week_of(errata.now())) + nextval('errata.${sequence}')`

const COPY = `
  WITH copied AS MATERIALIZED (
    SELECT s.id AS former, ${nextId("segment_ids")} AS id, s.project_id FROM public.bench_segments AS s
    WHERE s.payloads_count > 0
  ),
  bodies AS (
    INSERT INTO errata.segments (id, project_id, payloads_count, bytes, index_bytes, block_bytes, dictionary_id, body)
    SELECT c.id, s.project_id, s.payloads_count, s.bytes, s.index_bytes, s.block_bytes, s.dictionary_id, s.body
    FROM copied AS c JOIN public.bench_segments AS s ON s.project_id = c.project_id AND s.id = c.former
  ),
  made AS (
    INSERT INTO errata.reports (id, project_id, group_id, event_id, error_type, error_message, culprit, occurred_at,
      platform, severity, handled, server_name, environment, release_id, tags, segment_id, segment_position,
      created_at)
    SELECT ${nextId("report_ids")}, r.project_id, r.group_id, gen_random_uuid(), r.error_type, r.error_message,
      r.culprit, now(), r.platform, r.severity, r.handled, r.server_name, r.environment, r.release_id,
      r.tags, c.id, r.segment_position, now()
    FROM public.bench_reports AS r
    JOIN copied AS c ON c.project_id = r.project_id AND c.former = r.segment_id
    RETURNING project_id, event_id, id
  )
  INSERT INTO errata.report_events (project_id, event_id, report_id) SELECT * FROM made`

/** Random users. A group that has seen most users rarely gets a new one. */
const TAGS = `
  INSERT INTO errata.group_tags (project_id, group_id, tag, key, value, count)
  SELECT DISTINCT project_id, group_id, errata.tag_hash('user_id', value), 'user_id', value, 1
  FROM (
    SELECT r.project_id, r.group_id, 'u' || lpad(floor(random() * $2)::text, 7, '0') AS value
    FROM public.bench_reports AS r LIMIT $1
  ) AS users
  ON CONFLICT DO NOTHING`

const GROUP_COUNTS = `
  UPDATE errata.groups AS g SET reports_count = g.reports_count + c.count
  FROM (SELECT project_id, group_id, count(*) AS count FROM public.bench_reports GROUP BY 1, 2) AS c
  WHERE g.project_id = c.project_id AND g.id = c.group_id`

const PROJECT_COUNTS = `
  UPDATE errata.project_counts AS p SET reports_count = p.reports_count + c.count
  FROM (SELECT project_id, count(*) AS count FROM public.bench_reports GROUP BY 1) AS c
  WHERE p.project_id = c.project_id
    AND p.stripe = (SELECT min(stripe) FROM errata.project_counts AS s WHERE s.project_id = p.project_id)`
