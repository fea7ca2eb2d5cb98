import type { EventId, GroupId, ProjectId, ReportId, ReportRelease, ReportSummary } from "@errata/core"
import type { EventSummary, EventTitle, PayloadPlace, SourcemapResolution } from "@errata/core/ports"
import { DateTime } from "effect"

/** A stored report. It keeps the event unchanged, because far more reports are written than read. */
export interface ReportRow {
  readonly id: ReportId
  readonly projectId: ProjectId
  readonly groupId: GroupId
  readonly event: EventSummary
  readonly place: PayloadPlace | null
  readonly title: EventTitle
  readonly release: ReportRelease | null
  readonly resolution: SourcemapResolution
  readonly attemptedAt: DateTime.Utc | null
  readonly createdAt: DateTime.Utc
  readonly updatedAt: DateTime.Utc
}

export const toSummary = ({
  attemptedAt,
  createdAt,
  event,
  groupId,
  id,
  projectId,
  resolution,
  title,
  updatedAt,
}: ReportRow): ReportSummary => ({
  id,
  groupId,
  projectId,
  eventId: event.eventId as EventId,
  errorType: title.errorType,
  errorMessage: title.errorMessage,
  culprit: title.culprit,
  occurredAt: DateTime.makeUnsafe(event.occurredAt),
  platform: event.platform,
  severity: event.severity,
  handled: event.handled,
  serverName: event.serverName,
  environment: event.environment,
  releaseVersion: event.release,
  sourcemapStatus: resolution.status,
  sourcemapFailureCode: resolution.failureCode,
  sourcemapAttemptedAt: attemptedAt,
  tags: event.tags,
  createdAt,
  updatedAt,
})
