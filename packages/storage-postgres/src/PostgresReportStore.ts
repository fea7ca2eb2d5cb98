import { SqlClient, type Statement } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import {
  type AttachmentSummary,
  type NewAttachment,
  type NewReport,
  Page,
  type ReportId,
  type ReportLocation,
  ReportStore,
  Severity,
  type StoredReport,
} from "@errata/core"
import { Effect, Layer, Option } from "effect"
import * as GroupTree from "./internal/GroupTree.js"
import { isUniqueViolation } from "./internal/PgConstraint.js"
import * as PgLiteral from "./internal/PgLiteral.js"
import { named } from "./internal/PgStorageError.js"
import { toDate } from "./internal/PgTime.js"
import {
  type ReportRow,
  reportColumns,
  type SummaryRow,
  summaryColumns,
  toReport,
  toSummary,
} from "./internal/ReportRow.js"
import * as Segments from "./internal/Segments.js"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  /** Makes rows for releases first seen. What another transaction makes meanwhile is waited for. */
  const ensureReleases = (reports: ReadonlyArray<NewReport>, now: Date) => {
    const releases = new Map<string, { readonly projectId: number; readonly version: string }>()
    for (const { projectId, event } of reports) {
      if (event.release !== "")
        releases.set(`${projectId}/${event.release}`, { projectId, version: event.release })
    }
    if (releases.size === 0) return Effect.void
    const all = [...releases.values()]
    return sql`
      INSERT INTO errata.releases (project_id, version, created_at)
      SELECT c.project_id, c.version, ${now}
      FROM unnest(
        ${PgLiteral.numbers(all.map((release) => release.projectId))}::bigint[],
        ${PgLiteral.texts(all.map((release) => release.version))}::text[]
      ) AS c (project_id, version)
      WHERE NOT EXISTS (
        SELECT 1 FROM errata.releases AS r WHERE r.project_id = c.project_id AND md5(r.version) = md5(c.version))
      ORDER BY c.project_id, md5(c.version)
      ON CONFLICT (project_id, md5(version)) DO NOTHING`
  }

  /** What the rows of reports are made of, one array a column, as `c`; the tags of all are `b`. */
  const rowsOf = (reports: ReadonlyArray<NewReport>, now: Date) => {
    const { bytes, lengths, offsets } = tagsOf(reports)
    const columns = sql`unnest(
      ${PgLiteral.numbers(reports.map((report) => report.projectId))}::bigint[],
      ${PgLiteral.numbers(reports.map((report) => report.groupId))}::bigint[],
      ${PgLiteral.texts(reports.map((report) => report.event.eventId))}::uuid[],
      ${PgLiteral.texts(reports.map((report) => report.title.errorType))}::text[],
      ${PgLiteral.texts(reports.map((report) => report.title.errorMessage))}::text[],
      ${PgLiteral.texts(reports.map((report) => report.title.culprit))}::text[],
      ${PgLiteral.numbers(reports.map((report) => report.event.occurredAt))}::float8[],
      ${PgLiteral.texts(reports.map((report) => report.event.platform))}::text[],
      ${PgLiteral.numbers(reports.map((report) => Severity.rank(report.event.severity)))}::smallint[],
      ${PgLiteral.booleans(reports.map((report) => report.event.handled))}::boolean[],
      ${PgLiteral.texts(reports.map((report) => report.event.serverName))}::text[],
      ${PgLiteral.texts(reports.map((report) => report.event.environment))}::text[],
      ${PgLiteral.texts(reports.map((report) => report.event.release))}::text[],
      ${PgLiteral.numbers(reports.map((report) => report.place?.segmentId ?? null))}::bigint[],
      ${PgLiteral.numbers(reports.map((report) => report.place?.position ?? null))}::integer[]
    ) WITH ORDINALITY AS c (project_id, group_id, event_id, error_type, error_message, culprit, occurred_at,
      platform, severity, handled, server_name, environment, release_version, segment_id, segment_position, position)`
    return {
      columns,
      insertFrom: (source: Statement.Fragment) => sql`
        INSERT INTO errata.reports (project_id, group_id, event_id, error_type, error_message, culprit, occurred_at,
          platform, severity, handled, server_name, environment, release_version, release_id, tags, segment_id,
          segment_position, created_at, updated_at)
        SELECT c.project_id, c.group_id, c.event_id, c.error_type, c.error_message, c.culprit,
          to_timestamp(c.occurred_at / 1000), c.platform, c.severity, c.handled, c.server_name, c.environment,
          c.release_version, r.id,
          convert_from(substring(b.bytes FROM b.offsets[c.position] FOR b.lengths[c.position]), 'UTF8'),
          c.segment_id, c.segment_position, ${now}, ${now}
        FROM ${source}
        CROSS JOIN (
          SELECT ${bytes}::bytea AS bytes, ${offsets}::integer[] AS offsets, ${lengths}::integer[] AS lengths
        ) AS b
        LEFT JOIN errata.releases AS r
          ON c.release_version <> '' AND r.project_id = c.project_id AND md5(r.version) = md5(c.release_version)
        ORDER BY c.position`,
    }
  }

  /** Reports of events that were not stored before. Fails where one was. Answers in the order of the reports. */
  const insertNew = (reports: ReadonlyArray<NewReport>, now: Date) => {
    const { columns, insertFrom } = rowsOf(reports, now)
    return Effect.map(sql<{ readonly id: ReportId }>`${insertFrom(columns)} RETURNING id`, (rows) =>
      rows.map((row) => row.id),
    )
  }

  /** The same whatever there is; null for what was stored before. */
  const insertMissing = (reports: ReadonlyArray<NewReport>, now: Date) => {
    const { columns, insertFrom } = rowsOf(reports, now)
    return Effect.map(
      sql<{ readonly id: ReportId; readonly position: number }>`
        WITH added AS (SELECT * FROM ${columns}),
        inserted AS (
          ${insertFrom(sql`added AS c`)}
          ON CONFLICT (project_id, event_id) DO NOTHING
          RETURNING id, project_id, event_id
        )
        SELECT inserted.id, added.position FROM inserted JOIN added USING (project_id, event_id)`,
      (rows) => {
        const ids: Array<ReportId | null> = reports.map(() => null)
        for (const row of rows) ids[row.position - 1] = row.id
        return ids
      },
    )
  }

  /** One report, with its release and its attachments. */
  const findWhere = (where: Statement.Fragment) =>
    Effect.gen(function* () {
      const [row] = yield* sql<ReportRow>`
        SELECT ${sql.literal(reportColumns)} FROM errata.reports AS r
        LEFT JOIN errata.groups AS g ON g.project_id = r.project_id AND g.id = r.group_id
        LEFT JOIN errata.segments AS s ON s.project_id = r.project_id AND s.id = r.segment_id
        WHERE ${where}`
      if (row === undefined) return Option.none<StoredReport>()
      const attachments = yield* sql<AttachmentRow>`
        SELECT id, filename, content_type, type, size FROM errata.attachments
        WHERE project_id = ${row.project_id} AND report_id = ${row.id} ORDER BY id`
      return Option.some(toReport(row, attachments.map(toAttachment)))
    })

  return ReportStore.of({
    insert: (reports, now) =>
      Effect.gen(function* () {
        const at = toDate(now)
        yield* ensureReleases(reports, at)
        // Events rarely come twice, and looking out for those that do costs a tenth of storing all. In a savepoint.
        return yield* sql
          .withTransaction(insertNew(reports, at))
          .pipe(Effect.catchIf(isDuplicate, () => insertMissing(reports, at)))
      }).pipe(named("ReportStore.insert")),

    addAttachments: (attachments) => {
      const numbers = (value: (attachment: NewAttachment) => number) =>
        PgLiteral.numbers(attachments.map(value))
      const texts = (value: (attachment: NewAttachment) => string) => PgLiteral.texts(attachments.map(value))
      return sql`
        INSERT INTO errata.attachments
          (project_id, report_id, filename, content_type, type, size, segment_id, segment_position, position)
        SELECT project_id, report_id, filename, content_type, type, size, segment_id, segment_position, position
        FROM unnest(
          ${numbers((attachment) => attachment.projectId)}::bigint[],
          ${numbers((attachment) => attachment.reportId)}::bigint[],
          ${texts((attachment) => attachment.filename)}::text[],
          ${texts((attachment) => attachment.contentType)}::text[],
          ${texts((attachment) => attachment.type)}::text[],
          ${numbers((attachment) => attachment.size)}::integer[],
          ${numbers((attachment) => attachment.place.segmentId)}::bigint[],
          ${numbers((attachment) => attachment.place.position)}::integer[],
          ${numbers((attachment) => attachment.index)}::integer[]
        ) WITH ORDINALITY AS c (project_id, report_id, filename, content_type, type, size, segment_id,
          segment_position, position, ordinality)
        ORDER BY ordinality`.pipe(Effect.asVoid, named("ReportStore.addAttachments"))
    },

    findAttachment: (projectId, reportId, id) =>
      sql<Segments.StoredBlock & { readonly index: number; readonly segment_position: number }>`
        SELECT a.position AS index, a.segment_position, s.project_id, s.index_bytes, s.block_bytes, s.body
        FROM errata.attachments AS a
        JOIN errata.segments AS s ON s.project_id = a.project_id AND s.id = a.segment_id
        WHERE a.project_id = ${projectId} AND a.report_id = ${reportId} AND a.id = ${id}`.pipe(
        Effect.map(([row]) =>
          Option.map(Option.fromNullable(row), (row) => ({
            payload: Segments.unpack(Segments.blockOf(row), row)[row.segment_position]!,
            index: row.index,
          })),
        ),
        named("ReportStore.findAttachment"),
      ),

    list: (projectId, groupId, { since, until }, page) => {
      const where = sql.and([
        sql`r.project_id = ${projectId} AND r.group_id = tree.id`,
        ...(page.cursor === null ? [] : [sql`r.id < ${page.cursor}`]),
        ...(since === null ? [] : [sql`r.occurred_at > ${toDate(since)}`]),
        ...(until === null ? [] : [sql`r.occurred_at < ${toDate(until)}`]),
      ])
      // A page of each group of the tree, which is one nearly always. Which reports they are is read from an index
      // alone, however many lie outside of the range.
      return sql<SummaryRow>`
        SELECT ${sql.literal(summaryColumns("listed.root_id"))}
        FROM (
          SELECT own.project_id, own.id, tree.root_id
          FROM (${GroupTree.idsOf(sql, projectId, groupId)}) AS tree
          CROSS JOIN LATERAL (
            SELECT r.project_id, r.id FROM errata.reports AS r
            WHERE ${where} ORDER BY r.id DESC LIMIT ${page.limit + 1}
          ) AS own
          ORDER BY own.id DESC LIMIT ${page.limit + 1}
        ) AS listed JOIN errata.reports AS r USING (project_id, id)
        ORDER BY r.id DESC`.pipe(
        Effect.map((rows) => Page.fromRows(rows.map(toSummary), page)),
        named("ReportStore.list"),
      )
    },

    find: (projectId, groupId, id) =>
      findWhere(
        sql`r.project_id = ${projectId} AND r.id = ${id} AND coalesce(g.merged_into_id, r.group_id) = ${groupId}`,
      ).pipe(named("ReportStore.find")),

    findByEventId: (projectId, eventId) =>
      findWhere(sql`r.project_id = ${projectId} AND r.event_id = ${eventId}::uuid`).pipe(
        named("ReportStore.findByEventId"),
      ),

    locate: (events) =>
      sql<{ readonly id: ReportId; readonly group_id: ReportLocation["groupId"]; readonly position: number }>`
        SELECT r.id, r.group_id, c.position
        FROM unnest(
          ${PgLiteral.numbers(events.map((event) => event.projectId))}::bigint[],
          ${PgLiteral.texts(events.map((event) => event.eventId))}::uuid[]
        ) WITH ORDINALITY AS c (project_id, event_id, position)
        JOIN errata.reports AS r ON r.project_id = c.project_id AND r.event_id = c.event_id`.pipe(
        Effect.map((rows) => {
          const locations: Array<ReportLocation | null> = events.map(() => null)
          for (const row of rows) locations[row.position - 1] = { reportId: row.id, groupId: row.group_id }
          return locations
        }),
        named("ReportStore.locate"),
      ),
  })
})

export const layer = Layer.effect(ReportStore, make)

// internal

/** A unique violation: only an event's is possible. */
const isDuplicate = ({ cause }: SqlError): boolean => isUniqueViolation(cause)

/** The tags of each report, end to end: one binary parameter instead of many. Offsets count from 1. */
const tagsOf = (reports: ReadonlyArray<NewReport>) => {
  const lengths = reports.map(({ tags }) => tags.length)
  let end = 1
  const offsets = lengths.map((length) => {
    const offset = end
    end += length
    return offset
  })
  return {
    bytes: Buffer.concat(
      reports.map(({ tags }) => tags),
      end - 1,
    ),
    offsets: PgLiteral.numbers(offsets),
    lengths: PgLiteral.numbers(lengths),
  }
}

interface AttachmentRow {
  readonly id: number
  readonly filename: string
  readonly content_type: string
  readonly type: string
  readonly size: number
}

const toAttachment = (row: AttachmentRow): AttachmentSummary => ({
  id: row.id,
  filename: row.filename,
  contentType: row.content_type,
  type: row.type,
  size: row.size,
})
