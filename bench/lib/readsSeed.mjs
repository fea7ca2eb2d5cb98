/**
 * Seeds a project with groups, tag counts and reports of ninety days, written directly into the tables. New events
 * reach these groups by their custom fingerprints (`fingerprintOf`).
 */
import { createHash } from "node:crypto"
import { GroupingV2, TextIndex } from "@errata/core/internal"
import { seeded } from "./random.mjs"
import { progress } from "./report.mjs"
import { loadSegments } from "./segments.mjs"

const DAYS = 90
export const USERS = 10_000
const DAY = 86_400_000
const GROUP_BATCH = 5_000
const REPORT_BATCH = 100_000

const TYPES =
  "TypeError RangeError TimeoutError DatabaseError ValidationError HttpError Error ConnectionResetError KeyError".split(
    " ",
  )
const FOLDERS = ["orders", "billing", "stock", "web", "jobs", "mail", "search", "reports"]
const NOUNS =
  "Address Basket Coupon Customer Discount Invoice Item Label Order Parcel Payment Quote Refund Session Token".split(
    " ",
  )
const VERBS =
  "add apply build cancel check commit fetch flush handle load merge parse render resolve save send sync verify".split(
    " ",
  )

/** The custom fingerprint of a seeded group: a single component. */
export const fingerprintOf = (index) => `group ${String(index).padStart(7, "0")}`

/** One group in this many matches the rare filters. */
const RARE = 5_000
const isRare = (index) => index % RARE === 17

const messageOf = (index, random) => {
  const noun = random.pick(NOUNS)
  const id = random.below(1e8)
  const text = [
    () => `Cannot read properties of undefined (reading '${noun}') of ${index}`,
    () => `connection reset by peer: ${noun.toLowerCase()}-${index}.internal after ${random.below(30)}000 ms`,
    () => `timeout of ${random.below(30)}000 ms exceeded, ${noun} ${id}`,
    () =>
      `duplicate key (${noun.toLowerCase()}_id)=(${id}) violates unique constraint of shard ${index % 97}`,
    () => `${noun} ${id} not found for account ${index % 10_007}`,
  ][random.below(5)]()
  return isRare(index) ? `${text} while the zeppelin was landing` : text
}

const groupOf = (index, count, now) => {
  const random = seeded(index + 1)
  const chance = () => random.below(1_000_000) / 1_000_000
  const age = 1 - index / count
  const at = (share) => Math.round(now - DAYS * DAY * share)
  const verb = random.pick(VERBS)
  const noun = random.pick(NOUNS)
  const frames = Array.from(
    { length: 10 },
    () =>
      `src/${random.pick(FOLDERS)}/${random.pick(NOUNS)}.ts in ${random.pick(VERBS)}${random.pick(NOUNS)}: const ${random.pick(VERBS)} = await this.${random.pick(VERBS)}(${random.below(1000)})`,
  )
  const grouping = GroupingV2.group({
    details: { custom_fingerprint: [fingerprintOf(index)], exceptions: [], threads: [], logentry: null },
  })
  const errorType =
    chance() < 0.95 ? TYPES[Math.floor(TYPES.length * chance() ** 2)] : `Rare${random.below(2_000)}Error`
  const message = messageOf(index, random)
  const culprit = `src/${random.pick(FOLDERS)}/${noun}.ts in ${verb}${noun}`
  const level = chance()
  // Most old groups are resolved.
  const resolved = chance() < (age > 0.1 ? 0.45 : 0.05)
  const muted = chance()
  const assigned = chance()
  return {
    key: grouping.key,
    data: JSON.stringify({ method: "backtrace", frames }),
    first_release: `shop@3.${Math.round((index / count) * 150)}.0`,
    error_type: errorType,
    error_message: message,
    culprit,
    search: TextIndex.toTsVector(TextIndex.documentOf(errorType, message, culprit)),
    severity: level < 0.03 ? 4 : level < 0.85 ? 3 : level < 0.96 ? 2 : level < 0.999 ? 1 : 0,
    resolved_at: resolved ? at(age * chance()) : null,
    muted_at: muted < 0.05 ? at(age * chance()) : null,
    muted_until: muted < 0.005 ? now + DAY * (1 + random.below(30)) : null,
    muted_until_reports_count: muted >= 0.005 && muted < 0.01 ? 10_000_000 : null,
    // User 1 sends the requests.
    assignee_id: assigned < 0.0006 ? 1 : assigned < 0.08 ? 2 + random.below(50) : null,
    merged: chance() < 0.01 && index > 0,
    created_at: at(age),
  }
}

const kindOf = (percent) => (percent < 45 ? "hot" : percent < 48 ? "old" : "new")

/**
 * Assigns each report to a group. The first report of each group comes first. Of the rest, nearly half go to 500 hot
 * groups, a few to old groups, and the others to recent groups.
 */
const assign = (groups, reports) => {
  const random = seeded(99)
  const share = () => random.below(1_000_000) / 1_000_000
  const hot = Array.from({ length: 500 }, () => random.below(groups))
  const per = reports / groups
  const target = new Int32Array(reports)
  for (let n = 0; n < reports; n++) {
    const newest = Math.min(groups - 1, Math.floor(n / per))
    const kind = n % per < 1 ? "first" : kindOf(random.below(100))
    let index = newest
    if (kind === "hot") index = hot[Math.floor(hot.length * share() ** 3)]
    if (kind === "old") index = Math.floor(newest * share())
    // Within a tenth of the period after the group's first report.
    if (kind === "new" || index > newest)
      index = Math.floor(newest - Math.min(newest, groups * 0.1 * share() ** 3))
    target[n] = index
  }
  return target
}

/** Drops non-unique indexes during `work`, since building them afterwards is faster. Unique indexes keep checking. */
const withoutIndexes = async (client, tables, work) => {
  const { rows } = await client.query(
    `SELECT i.indexrelid::regclass::text AS name, pg_get_indexdef(i.indexrelid) AS definition
     FROM pg_index AS i WHERE i.indrelid = ANY ($1::regclass[]) AND NOT i.indisunique`,
    [tables],
  )
  for (const { name } of rows) await client.query(`DROP INDEX ${name}`)
  await work()
  for (const { definition } of rows) await client.query(definition)
}

const insertGroups = async (client, projectId, groups) => {
  const columns = {
    id: "bigint",
    key: "text",
    data: "json",
    first_release: "text",
    error_type: "text",
    error_message: "text",
    culprit: "text",
    search: "tsvector",
    severity: "smallint",
    first: "float8",
    last: "float8",
    reports_count: "bigint",
    resolved_at: "float8",
    muted_at: "float8",
    muted_until: "float8",
    muted_until_reports_count: "bigint",
    assignee_id: "bigint",
    merged_into_id: "bigint",
    has_members: "boolean",
    created_at: "float8",
    own_count: "bigint",
    own_last: "float8",
  }
  const time = (name) => `to_timestamp(${name} / 1000)`
  for (let from = 0; from < groups.length; from += GROUP_BATCH) {
    await client.query(
      `WITH c AS (
         SELECT * FROM unnest(${Object.values(columns)
           .map((type, i) => `$${i + 2}::${type}[]`)
           .join(", ")}) AS c (${Object.keys(columns).join(", ")})
       ), keys AS (
         INSERT INTO errata.grouping_keys (project_id, algorithm, key, group_id)
         SELECT $1, 'v2', key, id FROM c
       ), evidence AS (
         INSERT INTO errata.group_evidence (project_id, group_id, data, first_release)
         SELECT $1, id, data, first_release FROM c
       ), merges AS (
         INSERT INTO errata.group_merges (project_id, source_id, target_id, merged_at)
         SELECT $1, id, merged_into_id, ${time("last")} FROM c WHERE merged_into_id IS NOT NULL
       ), parts AS (
         INSERT INTO errata.group_parts
           (project_id, group_id, severity, first_occurred_at, last_occurred_at, reports_count)
         SELECT $1, id, severity, ${time("created_at")}, ${time("own_last")}, own_count FROM c
         WHERE merged_into_id IS NOT NULL OR has_members
       )
       INSERT INTO errata.groups (id, project_id, grouping_algorithm, grouping_key, error_type, error_message,
         culprit, search, severity, first_occurred_at, last_occurred_at, reports_count, resolved_at, resolver_id,
         muted_at, muted_until, muted_until_reports_count, assignee_id, merged_into_id, has_members,
         created_at, updated_at)
       OVERRIDING SYSTEM VALUE
       SELECT id, $1, 'v2', key, error_type, error_message, culprit, search, severity, ${time("first")},
         ${time("last")}, reports_count, ${time("resolved_at")}, CASE WHEN resolved_at IS NULL THEN NULL ELSE 1 END,
         ${time("muted_at")}, ${time("muted_until")}, muted_until_reports_count, assignee_id, merged_into_id,
         has_members, ${time("created_at")}, ${time("last")}
       FROM c ORDER BY id`,
      [
        projectId,
        ...Object.keys(columns).map((name) =>
          groups.slice(from, from + GROUP_BATCH).map((group) => group[name]),
        ),
      ],
    )
  }
}

/** Tags of the seeded reports. `n` is the report's number, `share` its position in the period. */
const TAGS = `
  ('browser', (ARRAY['Chrome 131.0', 'Firefox 133.0', 'Safari 18.2', 'Edge 131.0', 'Chrome Mobile 130.0'])[1 + h % 5]),
  ('os', (ARRAY['Windows 11', 'macOS 15.2', 'Android 15', 'iOS 18.2', 'Ubuntu 24.04'])[1 + h / 5 % 5]),
  ('plan', CASE WHEN h / 25 % 10 = 0 THEN 'gold' ELSE 'free' END),
  ('user_id', 'u' || lpad((h / 250 % ${USERS})::text, 7, '0')),
  ('url', '/' || (ARRAY['orders', 'billing', 'stock', 'web', 'jobs', 'mail'])[1 + h / 7 % 6] || '/' || h / 42 % 4)`

const FIELDS = `
  CASE WHEN rare THEN 'db-legacy' ELSE 'web-' || 1 + h / 11 % 50 END AS server_name,
  CASE WHEN rare THEN 'demo' WHEN h / 13 % 1000 < 800 THEN 'production' WHEN h / 13 % 1000 < 970 THEN 'staging'
    ELSE 'canary' END AS environment,
  'shop@3.' || (share * 150)::integer || '.0' AS release`

/** Payloads per segment, as in a busy project. */
const SEGMENT_PAYLOADS = 50
const SEGMENT_BATCH = 200

/** Numbered like the reports, so that each report has its own event. */
const eventOf = (n, random) => ({
  event_id: createHash("md5").update(String(n)).digest("hex"),
  platform: "node",
  timestamp: 1_700_000_000 + n,
  exception: {
    values: [
      {
        type: random.pick(TYPES),
        value: `of report ${n}`,
        stacktrace: {
          frames: Array.from({ length: 20 }, () => ({
            filename: `src/${random.pick(FOLDERS)}/${random.pick(NOUNS)}.ts`,
            function: `${random.pick(VERBS)}${random.pick(NOUNS)}`,
            lineno: random.below(1000),
            in_app: true,
            context_line: `const ${random.pick(VERBS)} = await this.${random.pick(VERBS)}(${random.below(1e6)})`,
          })),
        },
      },
    ],
  },
})

/** Writes the events of all reports, SEGMENT_PAYLOADS per segment, and returns the id of the first segment. */
const insertSegments = async (client, projectId, reports) => {
  const { pack } = await loadSegments()
  const random = seeded(7)
  let first = null
  const total = Math.ceil(reports / SEGMENT_PAYLOADS)
  for (let from = 0; from < total; from += SEGMENT_BATCH) {
    const segments = Array.from({ length: Math.min(SEGMENT_BATCH, total - from) }, (_, s) =>
      pack(
        Array.from({ length: SEGMENT_PAYLOADS }, (_, position) => {
          const event = eventOf((from + s) * SEGMENT_PAYLOADS + position, random)
          const body = Buffer.from(JSON.stringify(event))
          return {
            projectId,
            eventId: event.event_id,
            kind: "event",
            receivedAt: event.timestamp * 1000,
            body,
          }
        }),
      ),
    ).flat()
    const { rows } = await client.query(
      `INSERT INTO errata.segments (project_id, payloads_count, bytes, index_bytes, block_bytes, body)
       SELECT $1, c.* FROM unnest($2::integer[], $3::integer[], $4::integer[], $5::integer[], $6::bytea[]) AS c
       RETURNING id::float8`,
      [
        projectId,
        ...["payloadsCount", "bytes", "indexBytes"].map((key) => segments.map((segment) => segment[key])),
        segments.map(({ block }) => block.length),
        segments.map(({ stored }) => stored),
      ],
    )
    first ??= rows[0].id
  }
  return first
}

/** Those that FIELDS names. */
const insertReleases = (client, projectId) =>
  client.query(
    `INSERT INTO errata.releases (project_id, version, first_seen_at, last_seen_at, created_at, updated_at)
     SELECT $1, 'shop@3.' || i || '.0', now(), now(), now(), now() FROM generate_series(0, 150) AS i`,
    [projectId],
  )

const insertReports = (client, projectId, from, groupIds, total, now, firstSegment) =>
  client.query(
    `WITH r AS (
       SELECT c.group_id, c.n, abs(hashint8(c.n))::bigint AS h, c.n::float8 / $4 AS share, g.severity,
         g.error_message LIKE '%zeppelin%' AS rare
       FROM unnest($2::bigint[]) WITH ORDINALITY AS o (group_id, n)
       CROSS JOIN LATERAL (SELECT o.group_id, o.n + $3 - 1 AS n) AS c
       JOIN errata.groups AS g ON g.project_id = $1 AND g.id = c.group_id
     ), f AS (
       SELECT r.*, ${FIELDS}, to_timestamp(($5 - ${DAYS * DAY} * (1 - share)) / 1000) AS at FROM r
     ), stored AS (
     INSERT INTO errata.reports (project_id, group_id, event_id, occurred_at, platform, severity, handled, server_name,
       environment, release_id, tags, segment_id, segment_position, created_at)
     SELECT $1, group_id, md5(n::text)::uuid, at, 'node', severity, h % 2 = 0, server_name, environment,
       (SELECT v.id FROM errata.releases AS v WHERE v.project_id = $1 AND md5(v.version) = md5(release)),
       (SELECT string_agg(int8send(errata.tag_hash(key, value)), '') FROM (VALUES ${TAGS}) AS t (key, value)),
       $6::bigint + n / ${SEGMENT_PAYLOADS}, n % ${SEGMENT_PAYLOADS}, at
     FROM f ORDER BY n RETURNING project_id, event_id, id
     ), tagged AS (
       INSERT INTO seeded_tags SELECT group_id, key, value FROM f CROSS JOIN LATERAL (VALUES ${TAGS}) AS t (key, value)
     )
     INSERT INTO errata.report_events (project_id, event_id, report_id) SELECT * FROM stored`,
    [projectId, groupIds, from, total, now, firstSegment],
  )

const countTags = (client, projectId) =>
  client.query(
    `INSERT INTO errata.group_tags (project_id, group_id, tag, key, value, count)
     SELECT $1, group_id, errata.tag_hash(key, value), key, value, count(*)
     FROM (
       SELECT * FROM seeded_tags
       UNION ALL
       SELECT r.group_id, t.key, t.value
       FROM errata.reports AS r CROSS JOIN LATERAL (
         VALUES ('server_name', r.server_name), ('environment', r.environment), ('release', (
           SELECT v.version FROM errata.releases AS v WHERE v.project_id = $1 AND v.id = r.release_id))
       ) AS t (key, value)
       WHERE r.project_id = $1
     ) AS t
     GROUP BY group_id, key, value ORDER BY group_id`,
    [projectId],
  )

/** Charts show hours this far back, in ms. */
const HOURS_KEPT = 30 * DAY

const countHours = (client, projectId, now) =>
  client.query(
    `INSERT INTO errata.activity_hours (project_id, group_id, hour, new_groups, reports)
     SELECT project_id, coalesce(group_id, 0), hour, 0, count(*)
     FROM (
       SELECT project_id, group_id, floor(extract(epoch FROM occurred_at) / 3600)::integer AS hour
       FROM errata.reports WHERE project_id = $1 AND occurred_at > to_timestamp($2::float8 / 1000)
     ) AS r
     GROUP BY GROUPING SETS ((project_id, group_id, hour), (project_id, hour))`,
    [projectId, now - HOURS_KEPT],
  )

/** Seeds a project. Returns the facts that requests need, such as group ids ordered by age. */
export const seed = async (client, projectId, { groups: groupCount, reports: reportCount }) => {
  const now = Date.now()
  progress(`${groupCount} groups`)
  const groups = Array.from({ length: groupCount }, (_, index) => groupOf(index, groupCount, now))
  const { rows } = await client.query(
    "SELECT nextval(pg_get_serial_sequence('errata.groups', 'id'))::integer AS id FROM generate_series(1, $1)",
    [groupCount],
  )
  const target = assign(groupCount, reportCount)
  groups.forEach((group, index) => {
    group.id = rows[index].id
    group.own_count = 0
    group.own_last = group.created_at
  })
  for (let n = 0; n < reportCount; n++) {
    const group = groups[target[n]]
    group.own_count++
    group.own_last = Math.max(group.own_last, now - DAYS * DAY * (1 - n / reportCount))
  }
  groups.forEach((group, index) => {
    group.reports_count = group.own_count
    group.first = group.created_at
    group.last = group.own_last
    group.has_members = false
    group.merged_into_id = null
    if (!group.merged) return
    let owner = index
    while (groups[owner].merged) owner--
    const root = groups[owner]
    group.merged_into_id = root.id
    root.has_members = true
    root.reports_count += group.own_count
    root.last = Math.max(root.last, group.own_last)
    // Also the severity of the root's row in `group_parts`, which here is that of the tree.
    root.severity = Math.max(root.severity, group.severity)
  })
  await client.query(
    "SET synchronous_commit = off; SET work_mem = '256MB'; SET maintenance_work_mem = '512MB'",
  )
  // Not the reports' indexes: the definition of a partitioned index does not recreate those of the partitions.
  const tables = ["errata.groups", "errata.grouping_keys", "errata.group_tags"]
  await withoutIndexes(client, tables, async () => {
    await insertGroups(client, projectId, groups)
    progress("what reports were recorded from")
    await insertReleases(client, projectId)
    const firstSegment = await insertSegments(client, projectId, reportCount)
    await client.query("CREATE TEMP TABLE seeded_tags (group_id bigint, key text, value text)")
    for (let from = 0; from < reportCount; from += REPORT_BATCH) {
      progress(`${from} of ${reportCount} reports`)
      const ids = Array.from(target.subarray(from, from + REPORT_BATCH), (index) => groups[index].id)
      await insertReports(client, projectId, from, ids, reportCount, now, firstSegment)
    }
    progress("tag counts")
    await countTags(client, projectId)
    progress("reports by hour")
    await countHours(client, projectId, now)
    progress("indexes")
  })
  await client.query(
    `INSERT INTO errata.project_counts (project_id, stripe, groups_count, reports_count) VALUES ($1, 0, $2, $3)
     ON CONFLICT (project_id, stripe) DO UPDATE SET groups_count = excluded.groups_count,
       reports_count = excluded.reports_count`,
    [projectId, groups.filter(({ merged }) => !merged).length, reportCount],
  )
  await client.query("RESET ALL")
  progress("vacuum, analyze")
  await client.query("VACUUM ANALYZE")
  return { now, groupIds: groups.map(({ id }) => id), isMerged: groups.map(({ merged }) => merged) }
}
