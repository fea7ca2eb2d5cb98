/** Rows of `errata.reports`. */
import type { GroupId, ProjectId, ReportId, ReportSummary, SourcemapStatus } from "@errata/core"
import type { NewReport, PayloadPlace, StoredReport } from "@errata/core/ports"
import * as Batch from "./Batch.js"
import { decompress } from "./Compression.js"
import * as Rows from "./Rows.js"
import * as SegmentRow from "./SegmentRow.js"
import * as Segments from "./Segments.js"
import {
  boolean,
  bytea,
  eventId,
  int4,
  int8,
  millis,
  nullable,
  severity,
  tagList,
  text,
  time,
  uuids,
} from "./SqlType.js"

const { once } = Rows.writtenFrom<NewReport>()

/** Columns of a report in lists. */
const summary = {
  id: int8<ReportId>(),
  /** Selected as the root's id. */
  groupId: once(int8<GroupId>(), (report) => report.groupId),
  projectId: once(int8<ProjectId>(), (report) => report.projectId),
  eventId: once(nullable(eventId), (report) => report.event.eventId),
  errorType: once(text(), (report) => report.title.errorType),
  errorMessage: once(text(), (report) => report.title.errorMessage),
  culprit: once(text(), (report) => report.title.culprit),
  occurredAt: time,
  platform: once(text(), (report) => report.event.platform),
  severity: once(severity, (report) => report.event.severity),
  handled: once(boolean, (report) => report.event.handled),
  serverName: once(text(), (report) => report.event.serverName),
  environment: once(text(), (report) => report.event.environment),
  releaseVersion: once(text(), (report) => report.event.release),
  sourcemapStatus: once(text<SourcemapStatus>(), (report) => report.resolution.status),
  sourcemapFailureCode: once(nullable(text()), (report) => report.resolution.failureCode),
  sourcemapAttemptedAt: nullable(time),
  /** Written separately: see `PostgresReportStore.insert`. */
  tags: tagList,
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
  /** Null if the segment is no longer in the database, like the two columns below. */
  body: nullable(SegmentRow.stored.body),
  indexBytes: nullable(int4()),
  blockBytes: nullable(int4()),
  /** Null if no frame is mapped. */
  frames: nullable(bytea),
  framesBytes: nullable(int4()),
}

const summaries = Rows.make(summary)
const reports = Rows.make(report)

/** Inserts reports; `position` is their place in the batch. */
export const inserted = Batch.make<NewReport>(
  {
    ...report,
    occurredAt: once(millis, ({ event }) => event.occurredAt),
    sourcemapWanted: once(uuids, ({ resolution: { wantedIds } }) =>
      wantedIds.length === 0 ? null : wantedIds,
    ),
  },
  "position",
)

/** `groupId` is the expression for the root's id, under which reports of merged groups are shown. */
export const summaryColumns = (groupId: string): string => summaries.select("r", { groupId })

/** Columns with the report's segment as `s`, its mapped frames as `f`, and its own group as `g`. */
export const reportColumns = reports.select("r", {
  groupId: "coalesce(g.merged_into_id, r.group_id)",
  body: "s.body",
  indexBytes: "s.index_bytes",
  blockBytes: "s.block_bytes",
  frames: "f.body",
  framesBytes: "f.bytes",
})

/** `row` must have `summaryColumns`. */
export const toSummary = (row: object): ReportSummary => summaries.read(row)

/** A report without attachments. `elsewhere` is the place of its payload if the database does not have it. */
export interface ReadReport {
  readonly report: Omit<StoredReport, "attachments">
  readonly elsewhere: PayloadPlace | null
}

/** `row` must have `reportColumns`. */
export const toReport = (row: object): ReadReport => {
  const {
    blockBytes,
    body,
    frames: block,
    framesBytes,
    indexBytes,
    releaseId,
    segmentId,
    segmentPosition,
    ...summary
  } = reports.read(row)
  const release = releaseId === null ? null : { id: releaseId, version: summary.releaseVersion }
  const position = segmentPosition ?? 0
  const payload =
    body !== null && blockBytes !== null && indexBytes !== null
      ? Segments.payloadAt({ projectId: summary.projectId, body, blockBytes, indexBytes }, position)
      : null
  const frames = block === null || framesBytes === null ? null : decompress(block, framesBytes)
  const report = { ...summary, release, payload, frames, isPurged: false, unreadable: null }
  const isElsewhere = segmentId !== null && body === null
  return { report, elsewhere: isElsewhere ? { segmentId, position } : null }
}
