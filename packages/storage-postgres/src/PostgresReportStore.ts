import { SqlClient, type Statement } from "@effect/sql"
import {
  type AttachmentSummary,
  type NewReport,
  Page,
  type Report,
  type ReportId,
  type ReportLocation,
  ReportStore,
  Severity,
} from "@errata/core"
import { Effect, Layer, Option } from "effect"
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

  const insert = (reports: ReadonlyArray<NewReport>, now: Date) => {
    const documents = PgLiteral.blob(reports.flatMap(({ tags, details }) => [tags, details]))
    return sql<{ readonly id: ReportId; readonly position: number }>`
      WITH added AS (
        SELECT c.*, (2 * c.position - 1)::integer AS first FROM unnest(
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
          ${PgLiteral.texts(reports.map((report) => report.event.release))}::text[]
        ) WITH ORDINALITY AS c (project_id, group_id, event_id, error_type, error_message, culprit, occurred_at,
          platform, severity, handled, server_name, environment, release_version, position)
      ),
      inserted AS (
        INSERT INTO errata.reports (project_id, group_id, event_id, error_type, error_message, culprit, occurred_at,
          platform, severity, handled, server_name, environment, release_version, release_id, tags, details,
          created_at, updated_at)
        SELECT c.project_id, c.group_id, c.event_id, c.error_type, c.error_message, c.culprit,
          to_timestamp(c.occurred_at / 1000), c.platform, c.severity, c.handled, c.server_name, c.environment,
          c.release_version, r.id,
          convert_from(substring(b.bytes FROM b.offsets[c.first] FOR b.lengths[c.first]), 'UTF8'),
          convert_from(substring(b.bytes FROM b.offsets[c.first + 1] FOR b.lengths[c.first + 1]), 'UTF8'),
          ${now}, ${now}
        FROM added AS c
        CROSS JOIN (
          SELECT ${documents.bytes}::bytea AS bytes, ${documents.offsets}::integer[] AS offsets,
            ${documents.lengths}::integer[] AS lengths
        ) AS b
        LEFT JOIN errata.releases AS r
          ON c.release_version <> '' AND r.project_id = c.project_id AND md5(r.version) = md5(c.release_version)
        ORDER BY c.position
        ON CONFLICT (project_id, event_id) DO NOTHING
        RETURNING id, project_id, event_id
      )
      SELECT inserted.id, added.position
      FROM inserted JOIN added USING (project_id, event_id)`
  }

  /** One report, with its release and its attachments. */
  const findWhere = (where: Statement.Fragment) =>
    Effect.gen(function* () {
      const [row] = yield* sql<ReportRow>`
        SELECT ${sql.literal(reportColumns)} FROM errata.reports AS r WHERE ${where}`
      if (row === undefined) return Option.none<Report>()
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
        const ids: Array<ReportId | null> = reports.map(() => null)
        for (const row of yield* insert(reports, at)) ids[row.position - 1] = row.id
        return ids
      }).pipe(named("ReportStore.insert")),

    addAttachments: (attachments) =>
      // Attachments are rare and each may be a megabyte: a statement each keeps the parameters small.
      Effect.forEach(
        attachments,
        (attachment) =>
          sql`INSERT INTO errata.attachments ${sql.insert({
            project_id: attachment.projectId,
            report_id: attachment.reportId,
            filename: attachment.filename,
            content_type: attachment.contentType,
            type: attachment.type,
            size: attachment.body.byteLength,
            body: attachment.body,
          })}`,
        { discard: true },
      ).pipe(named("ReportStore.addAttachments")),

    list: (projectId, groupId, { since, until }, page) =>
      sql<SummaryRow>`
        SELECT ${sql.literal(summaryColumns)} FROM errata.reports AS r
        WHERE ${sql.and([
          sql`r.project_id = ${projectId} AND r.group_id = ${groupId}`,
          ...(page.cursor === null ? [] : [sql`r.id < ${page.cursor}`]),
          ...(since === null ? [] : [sql`r.occurred_at > ${toDate(since)}`]),
          ...(until === null ? [] : [sql`r.occurred_at < ${toDate(until)}`]),
        ])}
        ORDER BY r.id DESC LIMIT ${page.limit + 1}`.pipe(
        Effect.map((rows) => Page.fromRows(rows.map(toSummary), page)),
        named("ReportStore.list"),
      ),

    find: (projectId, groupId, id) =>
      findWhere(sql`r.project_id = ${projectId} AND r.group_id = ${groupId} AND r.id = ${id}`).pipe(
        named("ReportStore.find"),
      ),

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
