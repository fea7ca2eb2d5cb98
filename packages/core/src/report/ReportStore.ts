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
  LatestReport,
  ReportId,
  ReportRelease,
  ReportSummary,
} from "./Report.js"

/** A new report. */
export interface NewReport {
  readonly projectId: ProjectId
  /** The group of the report's grouping key, merged or not. */
  readonly groupId: GroupId
  readonly event: EventHead
  /** The place of the stored payload; null if there is none. */
  readonly place: PayloadPlace | null
  /**
   * The event's tags. See `TagList`. `GroupStore.addTagCounts` counts them in the same transaction, and a storage may keep
   * their keys and values with these counts only.
   */
  readonly tags: Uint8Array
  readonly title: EventTitle
  /** The title of its group, which never changes; null if unknown. Storages may store equal texts only once. */
  readonly groupTitle: EventTitle | null
  readonly resolution: SourcemapResolution
  /** Epoch milliseconds. */
  readonly receivedAt: number
}

/** An attachment. Its content stays in the payload. */
export interface NewAttachment extends Omit<Attachment, "body"> {
  readonly projectId: ProjectId
  readonly reportId: ReportId
  readonly place: PayloadPlace
  /** Its index among the payload's attachments. */
  readonly index: number
  readonly size: number
}

/** The payload of an attachment, and its index there. */
export interface AttachmentSource {
  readonly payload: Payload
  readonly index: number
}

/** Assigns the attachments of a payload to a report. */
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
  /** The recorded payload; null if there is none or retention deleted it. */
  readonly payload: Payload | null
  /** Mapped frames by their position in the payload, as `ResolvedFrames` writes them; null if none is mapped. */
  readonly frames: Uint8Array | null
  /** True if retention deleted the payload. */
  readonly isPurged: boolean
  /** Why the payload cannot be read from the object store. Null if it was read or does not exist. */
  readonly unreadable: BodyProblem | null
}

/** A report and its group. */
export interface ReportLocation {
  readonly reportId: ReportId
  /** The group in which it was recorded, merged or not. */
  readonly groupId: GroupId
}

/** The neighbors of a report in its group, by id. */
export interface ReportNavigation {
  readonly firstId: ReportId | null
  /** The next older report. */
  readonly previousId: ReportId | null
  readonly nextId: ReportId | null
  readonly lastId: ReportId | null
}

/** Bounds of `occurredAt`, both exclusive. */
export interface ReportRange {
  readonly since: DateTime.Utc | null
  readonly until: DateTime.Utc | null
}

/** Stores reports, their releases and attachments. Reports of merged groups belong to their root. */
export class ReportStore extends Context.Service<
  ReportStore,
  {
    /**
     * Inserts reports, and releases first seen. Returns the new ids by position, null for duplicates
     * (`ingest/DuplicateEvents.ts`), even if inserted concurrently. Mapped frames are stored with the report. A `queued` report can be
     * leased (`SourcemapReportStore`). Uses a fixed number of statements.
     */
    readonly insert: (
      reports: ReadonlyArray<NewReport>,
      now: DateTime.Utc,
    ) => Effect.Effect<ReadonlyArray<ReportId | null>, StorageError>

    readonly addAttachments: (attachments: ReadonlyArray<NewAttachment>) => Effect.Effect<void, StorageError>

    /** The payload of an attachment, and its index there. */
    readonly findAttachment: (
      projectId: ProjectId,
      reportId: ReportId,
      id: number,
    ) => Effect.Effect<Option.Option<AttachmentSource>, StorageError>

    /** Reports of a group and of groups merged into it, newest first. */
    readonly list: (
      projectId: ProjectId,
      groupId: GroupId,
      range: ReportRange,
      page: PageRequest,
    ) => Effect.Effect<Page<ReportSummary>, StorageError>

    /**
     * Where the report with the highest id of each group came from. Reports of groups merged into it count as its own.
     * Leaves out merged groups, and groups without reports.
     */
    readonly latest: (
      projectId: ProjectId,
      groupIds: ReadonlyArray<GroupId>,
    ) => Effect.Effect<ReadonlyArray<LatestReport>, StorageError>

    readonly find: (
      projectId: ProjectId,
      groupId: GroupId,
      id: ReportId,
    ) => Effect.Effect<Option.Option<StoredReport>, StorageError>

    /** The neighbors of a report in `list`. The report itself may be deleted. */
    readonly navigate: (
      projectId: ProjectId,
      groupId: GroupId,
      id: ReportId,
    ) => Effect.Effect<ReportNavigation, StorageError>

    /** Reports of events, by position; null for events without a report. */
    readonly locate: (
      events: ReadonlyArray<{ readonly projectId: ProjectId; readonly eventId: string }>,
    ) => Effect.Effect<ReadonlyArray<ReportLocation | null>, StorageError>

    /** The project of a report and the root of its group; see `GroupStore.locate`. */
    readonly place: (
      id: ReportId,
      projectIds: ReadonlyArray<number> | null,
    ) => Effect.Effect<Option.Option<GroupPlace>, StorageError>

    /** The projects with a report of the event, latest report first; see `GroupStore.locate`. */
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
