/** A report: one stored occurrence of an error. */
import { type DateTime, Schema } from "effect"
import type { EventDetails, Tag } from "../event/ErrorEvent.js"
import type { Severity } from "../event/Severity.js"
import type { GroupId } from "../id/GroupId.js"
import { ReportId } from "../id/ReportId.js"
import type { ProjectId } from "../project/Project.js"
import type { SourcemapStatus } from "../sourcemap/SourcemapFailure.js"

export type { SourcemapStatus }
export { ReportId }

/** 32 lowercase hexadecimal characters. */
export const EventId = Schema.String.pipe(
  Schema.check(Schema.isPattern(/^[0-9a-f]{32}$/)),
  Schema.brand("EventId"),
)
export type EventId = typeof EventId.Type

/** Parses an event id in any case: 32 hexadecimal digits, or a UUID (8-4-4-4-12). Returns null for other texts. */
export const parseEventId = (text: string): EventId | null => {
  if (!/^(?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i.test(text)) return null
  return EventId.make(text.replaceAll("-", "").toLowerCase(), { disableChecks: true })
}

/** The list fields of a report. Plain data, because thousands are written per second. */
export interface ReportSummary {
  readonly id: ReportId
  readonly groupId: GroupId
  readonly projectId: ProjectId
  readonly eventId: EventId | null
  readonly errorType: string
  readonly errorMessage: string
  readonly culprit: string
  readonly occurredAt: DateTime.Utc
  readonly platform: string
  readonly severity: Severity
  readonly handled: boolean
  readonly serverName: string
  readonly environment: string
  readonly releaseVersion: string
  readonly sourcemapStatus: SourcemapStatus
  readonly sourcemapFailureCode: string | null
  readonly sourcemapAttemptedAt: DateTime.Utc | null
  readonly tags: ReadonlyArray<Tag>
  readonly createdAt: DateTime.Utc
  readonly updatedAt: DateTime.Utc
}

/** Where the latest report of a group came from. Texts are empty if unknown. */
export interface LatestReport {
  readonly groupId: GroupId
  readonly environment: string
  readonly releaseVersion: string
}

/** The release of a report. */
export interface ReportRelease {
  readonly id: number
  readonly version: string
}

/** An attachment without its content. */
export interface AttachmentSummary {
  readonly id: number
  readonly filename: string
  readonly contentType: string
  readonly type: string
  readonly size: number
}

/**
 * Why a body cannot be read: it is damaged, its object is missing, the object store did not respond, or this server has no
 * object store.
 */
export type BodyProblem = "missing" | "damaged" | "unreachable" | "no_store"

/** The text that takes the place of the details. */
export const bodyProblemText: Readonly<Record<BodyProblem, string>> = {
  missing: "The details of this report are missing from the object store.",
  damaged: "The details of this report are damaged.",
  unreachable: "The object store with the details of this report did not respond. Try again later.",
  no_store:
    "The details of this report are in an object store, and this server has none. Set ERRATA_BLOBS to the store.",
}

/** A report with its details. */
export interface Report extends ReportSummary {
  readonly release: ReportRelease | null
  /** Null if only the list fields are stored. */
  readonly details: EventDetails | null
  /** True if retention deleted the details. */
  readonly isPurged: boolean
  /** Why the details cannot be read from the object store. Null if they were read or do not exist. */
  readonly unreadable: BodyProblem | null
  readonly attachments: ReadonlyArray<AttachmentSummary>
}
