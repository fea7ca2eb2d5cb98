import { type GroupId, Page, type ProjectId, type ReportId } from "@errata/core"
import {
  type NewAttachment,
  type NewReport,
  type ReportLocation,
  type ReportPlace,
  ReportStore,
  type StoredReport,
} from "@errata/core/ports"
import { DateTime, Effect, Layer, Option, Result } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import * as AttachmentRow from "./internal/AttachmentRow.js"
import * as Batch from "./internal/Batch.js"
import * as Bodies from "./internal/Bodies.js"
import * as Buckets from "./internal/Buckets.js"
import * as EventPacks from "./internal/EventPacks.js"
import * as GroupTree from "./internal/GroupTree.js"
import * as LiveProjects from "./internal/LiveProjects.js"
import { named } from "./internal/PgStorageError.js"
import { toDate } from "./internal/PgTime.js"
import * as ReportFrames from "./internal/ReportFrames.js"
import * as ReportRow from "./internal/ReportRow.js"
import * as ReportTags from "./internal/ReportTags.js"
import * as Rows from "./internal/Rows.js"
import * as SegmentRow from "./internal/SegmentRow.js"
import * as SourcemapQueue from "./internal/SourcemapQueue.js"
import { eventId, int4, int8, millis, nullable, text } from "./internal/SqlType.js"
import * as Weeks from "./internal/Weeks.js"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const bodies = yield* Bodies.make
  const insertedColumns = sql.literal(ReportRow.columns)
  const insertedValues = sql.literal(ReportRow.values)
  const joined = ReportRow.joins(sql)

  /** Joins the caller's transaction, if any, without a savepoint: no error is caught in between. */
  const inTransaction = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.flatMap(Effect.serviceOption(sql.transactionService), (running) =>
      Option.isSome(running) ? effect : sql.withTransaction(effect),
    )

  /**
   * Creates rows for new releases, updates `last_seen_at` of known ones once per hour, and returns the week of the
   * reports. A report that was received earlier than the recorded ones corrects `first_seen_at`. Waits for concurrent
   * inserts of the same release.
   */
  const ensureReleases = (reports: ReadonlyArray<NewReport>, now: Date) => {
    const releases = new Map<string, NewRelease>()
    for (const { projectId, event, receivedAt } of reports) {
      const { release: version } = event
      if (version === "") continue
      const key = keyOf({ projectId, version })
      const known = releases.get(key)
      if (known === undefined || receivedAt < known.firstSeenAt)
        releases.set(key, { projectId, version, firstSeenAt: receivedAt })
    }
    const given = [...releases.values()]
    const isToBeMade = sql`
          WHERE NOT EXISTS (
            SELECT FROM errata.releases AS r
            -- With an offset it is looked up for each, and not joined: the look-up knows the project.
            WHERE r.project_id = c.project_id AND md5(r.version) = md5(c.version)
              AND r.last_seen_at > ${now}::timestamptz - INTERVAL '1 hour'
              AND r.first_seen_at <= to_timestamp(c.first_seen_at / 1000) OFFSET 0)`
    // An insert must not update a row twice, and MD5 has collisions that anyone can send.
    const distinct = sql`DISTINCT ON (c.project_id, md5(c.version))`
    const values = sql`c.project_id, c.version, to_timestamp(c.first_seen_at / 1000), ${now}, ${now}, ${now}`
    const orUpdated = sql`
          ORDER BY c.project_id, md5(c.version)
          ON CONFLICT (project_id, md5(version)) DO UPDATE SET
            first_seen_at = least(known.first_seen_at, excluded.first_seen_at),
            last_seen_at = greatest(known.last_seen_at, excluded.last_seen_at)`
    const makeWithIds = (made: ReadonlyArray<NewRelease>) =>
      Effect.gen(function* () {
        const { ids } = yield* Buckets.nextIds(sql, "releases", made.length)
        yield* sql`
          INSERT INTO errata.releases AS known
            (id, project_id, version, first_seen_at, last_seen_at, created_at, updated_at) OVERRIDING SYSTEM VALUE
          SELECT ${distinct} ${Buckets.idAt(sql, ids)}, ${values} FROM ${numberedReleases.rows(sql, made)}${Buckets.here(sql)}${orUpdated}`
      })
    // Separate statements: the node of the bucket enters the week, and the coordinator returns the ids.
    const inSteps = Effect.gen(function* () {
      if (given.length > 0) {
        const missing = yield* sql`
          SELECT c.project_id, c.version FROM ${newReleases.rows(sql, given)}${isToBeMade}`
        const made = missing.map(versionRows.read).flatMap((row) => releases.get(keyOf(row)) ?? [])
        if (made.length > 0) yield* makeWithIds(made)
      }
      const [entered] = yield* Buckets.lock(sql, sql`errata.enter_week()`)
      const week = weekRows.read(entered!).taken
      const next = sql`errata.first_id(${week}) + nextval('errata.report_ids')`
      const { ids } = yield* Buckets.idsOf(sql, next, reports.length)
      return { week, ids: ids as ReadonlyArray<ReportId> }
    })
    if (Buckets.of(sql).count) return inSteps
    return Effect.map(
      sql`/* prepared */
        WITH made AS (
          INSERT INTO errata.releases AS known
            (project_id, version, first_seen_at, last_seen_at, created_at, updated_at)
          SELECT ${distinct} ${values} FROM ${newReleases.rows(sql, given)}${isToBeMade}${orUpdated}
        )
        SELECT errata.enter_week() AS taken`,
      ([row]): Entered => ({ week: weekRows.read(row!).taken, ids: [] }),
    )
  }

  const attachInSteps = (attachments: ReadonlyArray<NewAttachment>) =>
    Effect.gen(function* () {
      const { ids } = yield* Buckets.idsOf(sql, sql`nextval('errata.attachment_ids')`, attachments.length)
      yield* sql`
        INSERT INTO errata.attachments (id, ${sql.literal(AttachmentRow.inserted.columns)})
        SELECT (${ids}::bigint[])[c.ordinality], ${sql.literal(AttachmentRow.inserted.values)}
        FROM ${AttachmentRow.inserted.rows(sql, attachments)}${Buckets.here(sql)}`
    })

  const isNewEvent = (event: Statement.Fragment, week: number) => sql`
        WHERE NOT EXISTS (
          SELECT FROM errata.report_events AS e
          WHERE e.project_id = ${event}.project_id AND e.event_id = ${event}.event_id
            AND e.report_id < errata.first_id(errata.generation_of(${week})) OFFSET 0)
          AND NOT EXISTS (
            ${EventPacks.reportsOf(sql, sql`${event}.project_id`, sql`${event}.event_id`)} OFFSET 0)
        ORDER BY ${event}.project_id, ${event}.event_id, ${event}.position
        ON CONFLICT DO NOTHING
        RETURNING report_id`

  /** Selected values besides the columns of a batch. */
  const reportValues = (tagList: Statement.Fragment, now: Date) => sql`
          (SELECT r.id FROM errata.releases AS r
           WHERE c.release_version <> '' AND r.project_id = c.project_id AND md5(r.version) = md5(c.release_version)
             AND r.version = c.release_version),
          ${ReportTags.hashed(sql, tagList)},
          CASE WHEN c.sourcemap_status IS NOT NULL THEN ${now}::timestamptz END, ${now}`

  /** The same in several statements, because Citus runs an insert in a common table expression on the coordinator. */
  const insertInSteps = (reports: ReadonlyArray<NewReport>, { ids, week }: Entered, now: Date) =>
    Effect.gen(function* () {
      const events = reports.map(({ event: { eventId }, projectId }) => ({ projectId, eventId }))
      const claimed = new Set(
        (yield* sql`
          INSERT INTO errata.report_events (project_id, event_id, report_id)
          SELECT c.project_id, c.event_id, ${Buckets.idAt(sql, ids)}
          FROM ${newEvents.rows(sql, events)}${Buckets.here(sql)}${isNewEvent(sql`c`, week)}`).map(
          (row) => eventRows.read(row).reportId,
        ),
      )
      const unknown = ids.flatMap((id, i) => (claimed.has(id) ? [{ id, position: i + 1 }] : []))
      if (unknown.length === 0) return []
      const inserted = unknown.map(({ position }) => reports[position - 1]!)
      // As texts, because convert_from is stable.
      const tags = sql`(${inserted.map((report) => utf8.decode(report.tags))}::text[])[c.position]`
      yield* sql`
        INSERT INTO errata.reports (
          ${insertedColumns}, id, release_id, tags, sourcemap_attempted_at, created_at)
        SELECT ${insertedValues}, ${Buckets.idAt(
          sql,
          unknown.map(({ id }) => id),
        )},${reportValues(tags, now)}
        FROM ${ReportRow.inserted.rows(sql, inserted)}${Buckets.here(sql)}
        ORDER BY c.position`
      return unknown
    })

  /**
   * Inserts reports of new events. Earlier generations are searched for each event. The unique index of this generation
   * detects its own duplicates and concurrent ones.
   */
  const insertUnknown = (reports: ReadonlyArray<NewReport>, entered: Entered, now: Date) => {
    if (Buckets.of(sql).count) return insertInSteps(reports, entered, now)
    const { week } = entered
    const { bytes, lengths, offsets } = tagsOf(reports)
    const tags = sql`convert_from(substring(b.bytes FROM b.offsets[c.position] FOR b.lengths[c.position]), 'UTF8')`
    const inserting = sql`/* prepared */
      WITH added AS MATERIALIZED (
        SELECT c.*, errata.first_id(${week}) + nextval('errata.report_ids') AS id
        FROM ${ReportRow.inserted.rows(sql, reports)}
      ),
      -- In the order of their key, so that no two transactions wait for each other.
      claimed AS (
        INSERT INTO errata.report_events (project_id, event_id, report_id)
        SELECT a.project_id, a.event_id, a.id FROM added AS a${isNewEvent(sql`a`, week)}
      ),
      inserted AS (
        INSERT INTO errata.reports (
          ${insertedColumns}, id, release_id, tags, sourcemap_attempted_at, created_at)
        SELECT ${insertedValues}, c.id,${reportValues(tags, now)}
        FROM claimed JOIN added AS c ON c.id = claimed.report_id
        CROSS JOIN (
          SELECT ${bytes}::bytea AS bytes, ${offsets}::integer[] AS offsets, ${lengths}::integer[] AS lengths
        ) AS b
        ORDER BY c.position
      )
      SELECT a.id, a.position FROM claimed JOIN added AS a ON a.id = claimed.report_id`
    return Effect.map(inserting, (rows) => rows.map(insertedRows.read))
  }

  /**
   * Hides the key from the planner. The partition is chosen at execution, so one generic plan fits every key and is
   * kept.
   */
  const oneOf = (projectId: ProjectId, id: ReportId) =>
    sql`(SELECT ${projectId}::bigint AS project_id, ${id}::bigint AS id OFFSET 0) AS one`

  const withPayload = ({ place, report }: ReportRow.ReadReport) =>
    Effect.map(bodies.find(place), (found) =>
      Result.match(found, {
        onSuccess: (payload) => {
          const isPurged = payload === null && place.segmentId !== null
          return { ...report, payload, isPurged, unreadable: null }
        },
        onFailure: (unreadable) => ({ ...report, payload: null, isPurged: false, unreadable }),
      }),
    )

  /** Finds a report with its release and attachments. With `groupId`, only in that group's tree. */
  const findIn = (reports: Statement.Fragment, groupId: GroupId | null = null) =>
    Effect.gen(function* () {
      const [row] = yield* sql`/* prepared */
        SELECT ${sql.literal(ReportRow.reportColumns)} FROM (${reports}) AS r${joined}
        LEFT JOIN LATERAL (
          SELECT * FROM errata.segments AS s WHERE s.project_id = r.project_id AND s.id = r.segment_id LIMIT 1
        ) AS s ON true
        LEFT JOIN LATERAL (
          SELECT * FROM errata.report_frames AS f WHERE f.project_id = r.project_id AND f.report_id = r.id LIMIT 1
        ) AS f ON true
        WHERE ${groupId === null ? sql`true` : sql`coalesce(g.merged_into_id, r.group_id) = ${groupId}`}`
      if (row === undefined) return Option.none<StoredReport>()
      const stored = yield* withPayload(ReportRow.toReport(row))
      const attachments = yield* sql`/* prepared */
        SELECT ${sql.literal(AttachmentRow.summaries.select("a"))}
        FROM ${oneOf(stored.projectId, stored.id)}
        CROSS JOIN LATERAL (
          SELECT * FROM errata.attachments AS a WHERE a.project_id = one.project_id AND a.report_id = one.id
        ) AS a
        ORDER BY a.id`
      return Option.some({ ...stored, attachments: attachments.map(AttachmentRow.summaries.read) })
    })

  return ReportStore.of({
    insert: Effect.fnUntraced(
      function* (reports: ReadonlyArray<NewReport>, now: DateTime.Utc) {
        const at = toDate(now)
        const entered = yield* ensureReleases(reports, at)
        const ids = new Array<ReportId | null>(reports.length).fill(null)
        const frames: Array<ReportFrames.NewFrames> = []
        const queued: Array<ReportPlace> = []
        for (const { id: reportId, position } of yield* insertUnknown(reports, entered, at)) {
          ids[position - 1] = reportId
          const { projectId, resolution } = reports[position - 1]!
          if (resolution.frames !== null) frames.push({ projectId, reportId, json: resolution.frames })
          if (resolution.status === "queued") queued.push({ projectId, reportId })
        }
        if (frames.length > 0) yield* ReportFrames.insert(sql, frames)
        if (queued.length > 0) yield* SourcemapQueue.add(sql, queued)
        return ids
      },
      inTransaction,
      named("ReportStore.insert"),
    ),

    addAttachments: (attachments) =>
      (Buckets.of(sql).count
        ? attachInSteps(attachments)
        : sql`
        INSERT INTO errata.attachments (${sql.literal(AttachmentRow.inserted.columns)})
        SELECT ${sql.literal(AttachmentRow.inserted.values)} FROM ${AttachmentRow.inserted.rows(sql, attachments)}
        ORDER BY c.ordinality`
      ).pipe(Effect.asVoid, named("ReportStore.addAttachments")),

    findAttachment: (projectId, reportId, id) =>
      Effect.gen(function* () {
        const [row] = yield* sql`
          SELECT ${sql.literal(sourceColumns)}
          FROM errata.attachments AS a
          LEFT JOIN LATERAL (
            SELECT * FROM errata.segments AS s WHERE s.project_id = a.project_id AND s.id = a.segment_id LIMIT 1
          ) AS s ON true
          WHERE a.project_id = ${projectId} AND a.report_id = ${reportId} AND a.id = ${id}`
        if (row === undefined) return Option.none()
        const { index, ...place } = sourceRows.read(row)
        const payload = yield* Bodies.orUnavailable(bodies.find({ projectId, ...place }))
        return Option.map(Option.fromNullishOr(payload), (payload) => ({ payload, index }))
      }).pipe(named("ReportStore.findAttachment")),

    list: (projectId, groupId, { since, until }, page) => {
      // Reads one page per group of the tree, which usually has one group, with an index-only scan. LIMIT is hidden
      // from the planner: it would assume a group of few reports and sort them all instead of scanning an empty week by
      // index. It still does so if a single, fully vacuumed week has reports and later ones are known to be empty. That
      // costs milliseconds.
      const newest = (ids: Statement.Fragment, limit: number) =>
        sql`/* prepared */
          SELECT ${sql.literal(ReportRow.summaryColumns("listed.root_id"))}
          FROM (
            SELECT own.project_id, own.id, tree.root_id
            FROM (${GroupTree.idsOf(sql, projectId, groupId)}) AS tree
            CROSS JOIN LATERAL (
              SELECT r.project_id, r.id FROM errata.reports AS r
              WHERE ${sql.and([
                sql`r.project_id = ${projectId} AND r.group_id = tree.id`,
                ids,
                ...(page.cursor === null ? [] : [sql`r.id < ${page.cursor}`]),
                ...(since === null ? [] : [sql`r.occurred_at > ${toDate(since)}`]),
                ...(until === null ? [] : [sql`r.occurred_at < ${toDate(until)}`]),
              ])}
              ORDER BY r.id DESC LIMIT (SELECT ${limit}::bigint)
            ) AS own
            ORDER BY own.id DESC LIMIT ${limit}
          ) AS listed
          CROSS JOIN LATERAL (
            SELECT * FROM errata.reports AS r
            WHERE r.project_id = listed.project_id AND r.id = listed.id AND ${ids} LIMIT 1
          ) AS r${joined}
          ORDER BY r.id DESC`
      return Effect.gen(function* () {
        // The last weeks first: planning the statement over all weeks would take longer than executing it.
        const last = page.cursor ?? Weeks.firstIdAt((yield* DateTime.now).epochMilliseconds)
        const from = Weeks.idsBefore(last, weeksTogether)
        const wanted = page.limit + 1
        const rows = yield* newest(sql`r.id >= ${from}`, wanted)
        const older = rows.length < wanted ? yield* newest(sql`r.id < ${from}`, wanted - rows.length) : []
        return Page.fromRows([...rows, ...older].map(ReportRow.toSummary), page)
      }).pipe(named("ReportStore.list"))
    },

    latest: (projectId, groupIds) => {
      // As in `list`, the limit is hidden from the planner, and the last weeks come first.
      const newest = (ids: Statement.Fragment, groups: ReadonlyArray<GroupId>) =>
        sql`/* prepared */
          SELECT root.id AS group_id, r.environment, coalesce(v.version, '') AS release_version
          FROM unnest(${groups}::bigint[]) AS root(id)
          CROSS JOIN LATERAL (
            SELECT own.project_id, own.id FROM (${GroupTree.idsOf(sql, projectId, sql`root.id`)}) AS tree
            CROSS JOIN LATERAL (
              SELECT r.project_id, r.id FROM errata.reports AS r
              WHERE r.project_id = ${projectId} AND r.group_id = tree.id AND ${ids}
              ORDER BY r.id DESC LIMIT (SELECT 1::bigint)
            ) AS own
            ORDER BY own.id DESC LIMIT 1
          ) AS newest
          CROSS JOIN LATERAL (
            SELECT * FROM errata.reports AS r
            WHERE r.project_id = newest.project_id AND r.id = newest.id AND ${ids} LIMIT 1
          ) AS r
          LEFT JOIN LATERAL (
            SELECT v.version FROM errata.releases AS v
            WHERE v.project_id = r.project_id AND v.id = r.release_id LIMIT 1
          ) AS v ON true`.pipe(Effect.map((rows) => rows.map(latestRows.read)))
      return Effect.gen(function* () {
        const last = Weeks.firstIdAt((yield* DateTime.now).epochMilliseconds)
        const from = Weeks.idsBefore(last, weeksTogether)
        const recent = yield* newest(sql`r.id >= ${from}`, groupIds)
        const known = new Set(recent.map(({ groupId }) => groupId))
        const others = groupIds.filter((id) => !known.has(id))
        return others.length === 0 ? recent : [...recent, ...(yield* newest(sql`r.id < ${from}`, others))]
      }).pipe(named("ReportStore.latest"))
    },

    find: (projectId, groupId, id) =>
      findIn(
        sql`
          SELECT r.* FROM ${oneOf(projectId, id)}
          CROSS JOIN LATERAL (
            SELECT * FROM errata.reports AS r WHERE r.project_id = one.project_id AND r.id = one.id LIMIT 1
          ) AS r`,
        groupId,
      ).pipe(named("ReportStore.find")),

    navigate: (projectId, groupId, id) => {
      // As in `list`, the limit is hidden from the planner, so that it reads one end of an index.
      const end = (range: Statement.Fragment, order: "ASC" | "DESC") => sql`(
        SELECT own.id FROM (${GroupTree.idsOf(sql, projectId, groupId)}) AS tree
        CROSS JOIN LATERAL (
          SELECT r.id FROM errata.reports AS r
          WHERE r.project_id = ${projectId} AND r.group_id = tree.id AND ${range}
          ORDER BY r.id ${sql.literal(order)} LIMIT (SELECT 1::bigint)
        ) AS own
        ORDER BY own.id ${sql.literal(order)} LIMIT 1)`
      return sql`/* prepared */
        SELECT ${end(sql`true`, "ASC")} AS first_id, ${end(sql`r.id < ${id}`, "DESC")} AS previous_id,
          ${end(sql`r.id > ${id}`, "ASC")} AS next_id, ${end(sql`true`, "DESC")} AS last_id`.pipe(
        Effect.map(([row]) => navigationRows.read(row!)),
        named("ReportStore.navigate"),
      )
    },

    projectsOfEvent: (eventId, projectIds) =>
      sql`
        SELECT p.id FROM ${LiveProjects.among(sql, projectIds)}
        CROSS JOIN LATERAL (${EventPacks.reportOf(sql, sql`p.id`, sql`${eventId}::uuid`)} LIMIT 1) AS e
        CROSS JOIN LATERAL (
          SELECT r.group_id FROM errata.reports AS r WHERE r.project_id = p.id AND r.id = e.report_id LIMIT 1
        ) AS r
        CROSS JOIN LATERAL (
          SELECT FROM errata.groups AS g WHERE g.project_id = p.id AND g.id = r.group_id LIMIT 1
        ) AS g
        ORDER BY e.report_id DESC`.pipe(
        Effect.map((rows) => rows.map((row) => projectRows.read(row).id)),
        named("ReportStore.projectsOfEvent"),
      ),

    place: (id, projectIds) =>
      sql`
        SELECT r.project_id, coalesce(g.merged_into_id, r.group_id) AS group_id
        FROM ${LiveProjects.among(sql, projectIds)}
        CROSS JOIN LATERAL (
          SELECT r.project_id, r.group_id FROM errata.reports AS r
          WHERE r.project_id = p.id AND r.id = ${id} LIMIT 1
        ) AS r
        CROSS JOIN LATERAL (
          SELECT g.merged_into_id FROM errata.groups AS g
          WHERE g.project_id = r.project_id AND g.id = r.group_id LIMIT 1
        ) AS g`.pipe(
        Effect.map(([row]) => Option.map(Option.fromNullishOr(row), placeRows.read)),
        named("ReportStore.place"),
      ),

    findByEventId: (projectId, eventId) =>
      findIn(sql`
        SELECT r.* FROM (${EventPacks.reportOf(sql, sql`${projectId}::bigint`, sql`${eventId}::uuid`)}) AS e
        CROSS JOIN LATERAL (
          SELECT * FROM errata.reports AS r WHERE r.project_id = ${projectId} AND r.id = e.report_id LIMIT 1
        ) AS r`).pipe(named("ReportStore.findByEventId")),

    locate: (events) =>
      sql`
        SELECT r.id AS report_id, r.group_id, c.position
        FROM ${soughtEvents.rows(sql, events)}
        CROSS JOIN LATERAL (${EventPacks.reportOf(sql, sql`c.project_id`, sql`c.event_id`)} LIMIT 1) AS e
        CROSS JOIN LATERAL (
          SELECT r.id, r.group_id FROM errata.reports AS r
          WHERE r.project_id = c.project_id AND r.id = e.report_id LIMIT 1
        ) AS r
        -- Nothing is added to reports of groups that were discarded.
        CROSS JOIN LATERAL (
          SELECT FROM errata.groups AS g WHERE g.project_id = c.project_id AND g.id = r.group_id LIMIT 1
        ) AS g`.pipe(
        Effect.map((rows) => {
          const locations: Array<ReportLocation | null> = events.map(() => null)
          for (const row of rows) {
            const { position, ...location } = locationRows.read(row)
            locations[position - 1] = location
          }
          return locations
        }),
        named("ReportStore.locate"),
      ),
  })
})

export const layer = Layer.effect(ReportStore, make)

// internal

/** Number of weeks before a report in which the list searches first. */
const weeksTogether = 4

const utf8 = new TextDecoder()

/** Concatenates the tags of all reports into one binary parameter. Offsets count from 1. */
const tagsOf = (reports: ReadonlyArray<NewReport>) => {
  const parts: Array<Uint8Array> = []
  const offsets: Array<number> = []
  const lengths: Array<number> = []
  let end = 1
  for (const { tags } of reports) {
    parts.push(tags)
    offsets.push(end)
    lengths.push(tags.length)
    end += tags.length
  }
  return { bytes: Buffer.concat(parts, end - 1), offsets, lengths }
}

interface NewRelease {
  readonly projectId: ProjectId
  readonly version: string
  /** Epoch milliseconds. */
  readonly firstSeenAt: number
}

const newReleases = Batch.ofFields<NewRelease>({ projectId: int8(), version: text(), firstSeenAt: millis })

const numberedReleases = Batch.ofFields<NewRelease>(
  { projectId: int8(), version: text(), firstSeenAt: millis },
  "position",
)

const keyOf = ({ projectId, version }: Pick<NewRelease, "projectId" | "version">): string =>
  `${projectId}/${version}`

const versionRows = Rows.make({ projectId: int8<ProjectId>(), version: text() })

const newEvents = Batch.ofFields<{
  readonly projectId: ProjectId
  readonly eventId: NewReport["event"]["eventId"]
}>({ projectId: int8(), eventId: nullable(eventId) }, "position")

const eventRows = Rows.make({ reportId: int8<ReportId>() })

const weekRows = Rows.make({ taken: int4() })

/** The week of new reports. With buckets, also an id for each of them. */
interface Entered {
  readonly week: number
  readonly ids: ReadonlyArray<ReportId>
}

const insertedRows = Rows.make({ id: int8<ReportId>(), position: int8() })

const sourceRows = Rows.make({
  index: int4(),
  segmentId: int8(),
  segmentPosition: int4(),
  ...SegmentRow.joined,
})
const sourceColumns = sourceRows.select("a", { index: "a.position", ...SegmentRow.joinedColumns })

type SoughtEvent = Parameters<ReportStore["Service"]["locate"]>[0][number]

const soughtEvents = Batch.ofFields<SoughtEvent>({ projectId: int8(), eventId }, "position")

const placeRows = Rows.make({ projectId: int8<ProjectId>(), groupId: int8<GroupId>() })

const locationRows = Rows.make({ reportId: int8<ReportId>(), groupId: int8<GroupId>(), position: int8() })

const latestRows = Rows.make({ groupId: int8<GroupId>(), environment: text(), releaseVersion: text() })

const navigationRows = Rows.make({
  firstId: nullable(int8<ReportId>()),
  previousId: nullable(int8<ReportId>()),
  nextId: nullable(int8<ReportId>()),
  lastId: nullable(int8<ReportId>()),
})

const projectRows = Rows.make({ id: int8<ProjectId>() })
