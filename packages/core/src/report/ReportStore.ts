import { Context, type DateTime, type Effect, type Option } from "effect"
import type { GroupId } from "../group/Group.js"
import type { Attachment } from "../ingest/PayloadDecoder.js"
import type { ProjectId } from "../project/Project.js"
import type { Page, PageRequest } from "../storage/Page.js"
import type { StorageError } from "../storage/StorageError.js"
import type { EventSummary } from "./ErrorEvent.js"
import type { EventTitle } from "./EventTitle.js"
import type { EventId, Report, ReportId, ReportSummary } from "./Report.js"

export interface NewReport {
  readonly projectId: ProjectId
  readonly groupId: GroupId
  readonly event: EventSummary
  /** The event's tags as JSON in UTF-8. The bytes are the caller's again once the report is inserted. */
  readonly tags: Uint8Array
  /** The event's `EventDetails` likewise: no storage looks into it. */
  readonly details: Uint8Array
  readonly title: EventTitle
  /** Epoch milliseconds. */
  readonly receivedAt: number
}

export interface NewAttachment extends Attachment {
  readonly projectId: ProjectId
  readonly reportId: ReportId
}

export interface ReportLocation {
  readonly reportId: ReportId
  readonly groupId: GroupId
}

/** Bounds of `occurredAt`; both exclusive. */
export interface ReportRange {
  readonly since: DateTime.Utc | null
  readonly until: DateTime.Utc | null
}

/** Keeps reports, their releases and their attachments. */
export class ReportStore extends Context.Tag("@errata/core/report/ReportStore")<
  ReportStore,
  {
    /**
     * Inserts reports, and releases first seen. The answer has the order of the input: the new report's id, or null
     * where the project already has the event. Also two transactions with the same event insert it once. Works in a
     * fixed number of statements, however many reports there are.
     */
    readonly insert: (
      reports: ReadonlyArray<NewReport>,
      now: DateTime.Utc,
    ) => Effect.Effect<ReadonlyArray<ReportId | null>, StorageError>

    readonly addAttachments: (attachments: ReadonlyArray<NewAttachment>) => Effect.Effect<void, StorageError>

    /** What is in an attachment of a report. */
    readonly attachmentBody: (
      projectId: ProjectId,
      reportId: ReportId,
      id: number,
    ) => Effect.Effect<Option.Option<Uint8Array>, StorageError>

    /** Reports of a group, newest first. */
    readonly list: (
      projectId: ProjectId,
      groupId: GroupId,
      range: ReportRange,
      page: PageRequest,
    ) => Effect.Effect<Page<ReportSummary>, StorageError>

    readonly find: (
      projectId: ProjectId,
      groupId: GroupId,
      id: ReportId,
    ) => Effect.Effect<Option.Option<Report>, StorageError>

    /** Where the reports of events are, in the order of the input; null for events without a report. */
    readonly locate: (
      events: ReadonlyArray<{ readonly projectId: ProjectId; readonly eventId: string }>,
    ) => Effect.Effect<ReadonlyArray<ReportLocation | null>, StorageError>

    readonly findByEventId: (
      projectId: ProjectId,
      eventId: EventId,
    ) => Effect.Effect<Option.Option<Report>, StorageError>
  }
>() {}
