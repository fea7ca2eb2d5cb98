import { Context, type DateTime, type Effect, type Option } from "effect"
import type { EventHead } from "../event/ErrorEvent.js"
import type { EventTitle } from "../event/EventTitle.js"
import type { GroupPlace } from "../group/GroupStore.js"
import type { GroupId } from "../id/GroupId.js"
import type { Attachment, Payload, PayloadPlace } from "../payload/PayloadDecoder.js"
import type { ProjectId } from "../project/Project.js"
import type { SourcemapResolution } from "../sourcemap/SourcemapResolution.js"
import type { Page, PageRequest } from "../storage/Page.js"
import type { StorageError } from "../storage/StorageError.js"
import type {
  AttachmentSummary,
  BodyProblem,
  EventId,
  ReportId,
  ReportRelease,
  ReportSummary,
} from "./Report.js"

/** A new report. */
export interface NewReport {
  readonly projectId: ProjectId
  /** The group of its grouping key, whether that is merged or not. */
  readonly groupId: GroupId
  readonly event: EventHead
  /** Where all of the event is kept; null where there is nothing but this. */
  readonly place: PayloadPlace | null
  /** The event's tags as JSON in UTF-8. The bytes are the caller's again once the report is inserted. */
  readonly tags: Uint8Array
  readonly title: EventTitle
  readonly resolution: SourcemapResolution
  /** Epoch milliseconds. */
  readonly receivedAt: number
}

/** An attachment without its content, which stays where it arrived. */
export interface NewAttachment extends Omit<Attachment, "body"> {
  readonly projectId: ProjectId
  readonly reportId: ReportId
  readonly place: PayloadPlace
  /** Which of the payload's attachments it is, from 0. */
  readonly index: number
  readonly size: number
}

/** Where the content of an attachment is. */
export interface AttachmentSource {
  readonly payload: Payload
  readonly index: number
}

/** The attachments of a payload as those of a report. */
export const newAttachments = (
  attachments: ReadonlyArray<Attachment>,
  { place, projectId, reportId }: Pick<NewAttachment, "projectId" | "reportId" | "place">,
): ReadonlyArray<NewAttachment> =>
  attachments.map(({ body, contentType, filename, type }, index) => {
    return { projectId, reportId, place, index, filename, contentType, type, size: body.byteLength }
  })

/** A report as it is stored. */
export interface StoredReport extends ReportSummary {
  readonly release: ReportRelease | null
  readonly attachments: ReadonlyArray<AttachmentSummary>
  /** What it was recorded from; null where retention has removed it, and where there is nothing but the report. */
  readonly payload: Payload | null
  /** In the places of those in the payload, as `ResolvedFrames` writes them; null where none is mapped. */
  readonly frames: Uint8Array | null
  /** Whether retention has removed what it was recorded from. */
  readonly isPurged: boolean
  /** Why the payload cannot be read from the object store; null if it was read, or is not there. */
  readonly unreadable: BodyProblem | null
}

/** Where a report belongs. */
export interface ReportLocation {
  readonly reportId: ReportId
  /** The group that it was recorded in, whether that is merged or not. */
  readonly groupId: GroupId
}

/** Where a report stands among those of its group, in the order of their ids. */
export interface ReportNavigation {
  readonly firstId: ReportId | null
  /** The next older one. */
  readonly previousId: ReportId | null
  readonly nextId: ReportId | null
  readonly lastId: ReportId | null
}

/** Bounds of `occurredAt`; both exclusive. */
export interface ReportRange {
  readonly since: DateTime.Utc | null
  readonly until: DateTime.Utc | null
}

/** Keeps reports, their releases and their attachments. The reports of merged groups read as their root's. */
export class ReportStore extends Context.Service<
  ReportStore,
  {
    /**
     * Inserts reports, and releases first seen. The answer has the order of the input: the new report's id, or null
     * where the project already has the event. Also two transactions with the same event insert it once. Mapped frames
     * are kept beside the report, and one that is `queued` can be leased (`SourcemapReportStore`). Works in a fixed number
     * of statements, however many reports there are.
     */
    readonly insert: (
      reports: ReadonlyArray<NewReport>,
      now: DateTime.Utc,
    ) => Effect.Effect<ReadonlyArray<ReportId | null>, StorageError>

    readonly addAttachments: (attachments: ReadonlyArray<NewAttachment>) => Effect.Effect<void, StorageError>

    /** The payload that an attachment of a report came in, and which of its attachments it is. */
    readonly findAttachment: (
      projectId: ProjectId,
      reportId: ReportId,
      id: number,
    ) => Effect.Effect<Option.Option<AttachmentSource>, StorageError>

    /** Reports of a group and of those that it stands for, newest first. */
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
    ) => Effect.Effect<Option.Option<StoredReport>, StorageError>

    /** The reports around a report of a group, as `list` shows them; the report itself need not be there any more. */
    readonly navigate: (
      projectId: ProjectId,
      groupId: GroupId,
      id: ReportId,
    ) => Effect.Effect<ReportNavigation, StorageError>

    /** Where the reports of events are, in the order of the input; null for events without a report. */
    readonly locate: (
      events: ReadonlyArray<{ readonly projectId: ProjectId; readonly eventId: string }>,
    ) => Effect.Effect<ReadonlyArray<ReportLocation | null>, StorageError>

    /** The project of a report, and the group that it reads as one of; see `GroupStore.locate`. */
    readonly place: (
      id: ReportId,
      projectIds: ReadonlyArray<number> | null,
    ) => Effect.Effect<Option.Option<GroupPlace>, StorageError>

    /** The projects that have a report of the event, the latest report first; see `GroupStore.locate`. */
    readonly projectsOfEvent: (
      eventId: EventId,
      projectIds: ReadonlyArray<number> | null,
    ) => Effect.Effect<ReadonlyArray<ProjectId>, StorageError>

    readonly findByEventId: (
      projectId: ProjectId,
      eventId: EventId,
    ) => Effect.Effect<Option.Option<StoredReport>, StorageError>
  }
>()("@errata/core/report/ReportStore") {}
