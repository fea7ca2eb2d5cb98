/** Rows of `errata.reports`. */
import type { GroupId, ProjectId, ReportId, ReportSummary, SourcemapStatus } from "@errata/core"
import type { EventTitle, NewReport, StoredReport } from "@errata/core/ports"
import type { SqlClient, Statement } from "effect/sql"
import * as Batch from "./Batch.js"
import type { Place } from "./Bodies.js"
import { decompress } from "./Compression.js"
import * as ReportTags from "./ReportTags.js"
import * as Rows from "./Rows.js"
import * as SegmentRow from "./SegmentRow.js"
import {
  boolean,
  bytea,
  eventId,
  int4,
  int8,
  millis,
  nullable,
  type SqlType,
  severity,
  text,
  time,
  uuids,
} from "./SqlType.js"

const { once } = Rows.writtenFrom<NewReport>()

/** Null in the database if no source map was looked up, as for most platforms. */
export const sourcemapStatus: SqlType<SourcemapStatus> = {
  ...text<SourcemapStatus>(),
  encode: (status) => (status === "unprocessed" ? null : status),
  read: (value) => (value ?? "unprocessed") as SourcemapStatus,
}

/** Null in the database if it is that of the group, which never changes. */
const ofTitle = (field: keyof EventTitle) => ({
  ...once(nullable(text()), ({ groupTitle, title }) =>
    title[field] === groupTitle?.[field] ? null : title[field],
  ),
  read: text().read,
})

/** Columns of a report in lists. */
const summary = {
  id: int8<ReportId>(),
  /** Selected as the root's id. */
  groupId: once(int8<GroupId>(), (report) => report.groupId),
  projectId: once(int8<ProjectId>(), (report) => report.projectId),
  eventId: once(nullable(eventId), (report) => report.event.eventId),
  errorType: ofTitle("errorType"),
  errorMessage: ofTitle("errorMessage"),
  culprit: ofTitle("culprit"),
  occurredAt: time,
  platform: once(text(), (report) => report.event.platform),
  severity: once(severity, (report) => report.event.severity),
  handled: once(boolean, (report) => report.event.handled),
  serverName: once(text(), (report) => report.event.serverName),
  environment: once(text(), (report) => report.event.environment),
  /** In its own table. */
  releaseVersion: text(),
  sourcemapStatus: once(sourcemapStatus, (report) => report.resolution.status),
  sourcemapFailureCode: once(nullable(text()), (report) => report.resolution.failureCode),
  sourcemapAttemptedAt: nullable(time),
  /** Written separately: see `PostgresReportStore.insert`. */
  tags: ReportTags.tags,
  createdAt: time,
  updatedAt: time,
}

/** All columns of a report, with the payload that it was recorded from. */
const report = {
  ...summary,
  releaseId: nullable(int8()),
  /** Kept after its segment is dropped with its week. */
  segmentId: once(nullable(int8()), ({ place }) => place?.segmentId ?? null),
  segmentPosition: once(nullable(int4()), ({ place }) => place?.position ?? null),
  ...SegmentRow.joined,
  /** Null if no frame is mapped. */
  frames: nullable(bytea),
  framesBytes: nullable(int4()),
}

const summaries = Rows.make(summary)
const reports = Rows.make(report)

const written = {
  ...report,
  occurredAt: once(millis, ({ event }) => event.occurredAt),
  sourcemapWanted: once(uuids, ({ resolution: { wantedIds } }) =>
    wantedIds.length === 0 ? null : wantedIds,
  ),
}

/** Columns of new reports, and their values. */
export const { columns, values } = Batch.make<NewReport>(written)

/** Inserts reports; `position` is their place in the batch. With their releases, to look up the ids. */
export const inserted = Batch.make<NewReport>(
  { ...written, releaseVersion: once(text(), ({ event }) => event.release) },
  "position",
)

/** Fields that rows of reports leave to others, in terms of a report `r`, its own group `g`, and its release `v`. */
const fromOthers = {
  errorType: "coalesce(r.error_type, g.error_type)",
  errorMessage: "coalesce(r.error_message, g.error_message)",
  culprit: "coalesce(r.culprit, g.culprit)",
  releaseVersion: "coalesce(v.version, '')",
  tags: ReportTags.named,
  updatedAt: "coalesce(r.updated_at, r.created_at)",
}

/** Joins the rows that the columns below need to reports called `r`. */
export const joins = (sql: SqlClient.SqlClient): Statement.Fragment => sql`
  CROSS JOIN LATERAL (
    SELECT * FROM errata.groups AS g WHERE g.project_id = r.project_id AND g.id = r.group_id LIMIT 1
  ) AS g
  LEFT JOIN LATERAL (
    SELECT v.version FROM errata.releases AS v WHERE v.project_id = r.project_id AND v.id = r.release_id LIMIT 1
  ) AS v ON true`

/** `groupId` is the expression for the root's id, under which reports of merged groups are shown. */
export const summaryColumns = (groupId: string): string => summaries.select("r", { ...fromOthers, groupId })

/** Columns with the report's segment as `s`, and its mapped frames as `f`. */
export const reportColumns = reports.select("r", {
  ...fromOthers,
  groupId: "coalesce(g.merged_into_id, r.group_id)",
  ...SegmentRow.joinedColumns,
  frames: "f.body",
  framesBytes: "f.bytes",
})

/** `row` must have `summaryColumns`. */
export const toSummary = (row: object): ReportSummary => summaries.read(row)

/** A report without attachments and payload, and where its payload is. */
export interface ReadReport {
  readonly report: Omit<StoredReport, "attachments" | "payload" | "isPurged" | "unreadable">
  readonly place: Place
}

/** `row` must have `reportColumns`. */
export const toReport = (row: object): ReadReport => {
  const {
    blockBytes,
    body,
    dictionaryId,
    frames: block,
    framesBytes,
    indexBytes,
    releaseId,
    segmentId,
    segmentPosition,
    ...summary
  } = reports.read(row)
  const { projectId } = summary
  const release = releaseId === null ? null : { id: releaseId, version: summary.releaseVersion }
  const frames = block === null || framesBytes === null ? null : decompress(block, framesBytes)
  return {
    report: { ...summary, release, frames },
    place: { projectId, segmentId, segmentPosition, body, indexBytes, blockBytes, dictionaryId },
  }
}
