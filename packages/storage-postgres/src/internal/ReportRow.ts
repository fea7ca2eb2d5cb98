import {
  type AttachmentSummary,
  type EventId,
  type GroupId,
  type Payload,
  type ProjectId,
  type ReportId,
  type ReportSummary,
  Severity,
  type SourcemapStatus,
  type StoredReport,
  type Tag,
} from "@errata/core"
import { toUtc, toUtcOrNull } from "./PgTime.js"
import * as Segments from "./Segments.js"

/** The list fields of a row of `errata.reports` as the driver reads it. */
export interface SummaryRow {
  readonly id: ReportId
  readonly group_id: GroupId
  readonly project_id: ProjectId
  /** With dashes, as PostgreSQL writes UUIDs. */
  readonly event_id: string | null
  readonly error_type: string
  readonly error_message: string
  readonly culprit: string
  readonly occurred_at: Date
  readonly platform: string
  readonly severity: number
  readonly handled: boolean
  readonly server_name: string
  readonly environment: string
  readonly release_version: string
  readonly sourcemap_status: SourcemapStatus
  readonly sourcemap_failure_code: string | null
  readonly sourcemap_attempted_at: Date | null
  readonly tags: string
  readonly created_at: Date
  readonly updated_at: Date
}

export interface ReportRow extends SummaryRow {
  readonly release_id: number | null
  readonly segment_position: number | null
  /** Null where there is none any more, as are those below. */
  readonly body: Uint8Array | null
  readonly index_bytes: number
  readonly block_bytes: number
}

/** `groupId` is that of the root, which the reports of merged groups read as being of. */
export const summaryColumns = (groupId: string) => `r.id, ${groupId} AS group_id, r.project_id, r.event_id,
  r.error_type, r.error_message, r.culprit, r.occurred_at, r.platform, r.severity, r.handled, r.server_name,
  r.environment, r.release_version, r.sourcemap_status, r.sourcemap_failure_code, r.sourcemap_attempted_at, r.tags,
  r.created_at, r.updated_at`

/** With the segment of the report as `s` and the group that it was recorded in as `g`. */
export const reportColumns = `${summaryColumns("coalesce(g.merged_into_id, r.group_id)")}, r.release_id,
  r.segment_position, s.body, s.index_bytes, s.block_bytes`

export const toSummary = (row: SummaryRow): ReportSummary => ({
  id: row.id,
  groupId: row.group_id,
  projectId: row.project_id,
  eventId: row.event_id === null ? null : (row.event_id.replaceAll("-", "") as EventId),
  errorType: row.error_type,
  errorMessage: row.error_message,
  culprit: row.culprit,
  occurredAt: toUtc(row.occurred_at),
  platform: row.platform,
  severity: Severity.fromRank(row.severity),
  handled: row.handled,
  serverName: row.server_name,
  environment: row.environment,
  releaseVersion: row.release_version,
  sourcemapStatus: row.sourcemap_status,
  sourcemapFailureCode: row.sourcemap_failure_code,
  sourcemapAttemptedAt: toUtcOrNull(row.sourcemap_attempted_at),
  tags: JSON.parse(row.tags) as ReadonlyArray<Tag>,
  createdAt: toUtc(row.created_at),
  updatedAt: toUtc(row.updated_at),
})

export const toReport = (row: ReportRow, attachments: ReadonlyArray<AttachmentSummary>): StoredReport => ({
  ...toSummary(row),
  release: row.release_id === null ? null : { id: row.release_id, version: row.release_version },
  payload: payloadOf(row),
  attachments,
})

// internal

const payloadOf = ({ body, segment_position, ...row }: ReportRow): Payload | null => {
  if (body === null || segment_position === null) return null
  return Segments.unpack(Segments.blockOf({ ...row, body }), row)[segment_position] ?? null
}
