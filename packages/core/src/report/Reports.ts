import { Effect, Option, Schema } from "effect"
import type { AuthorizedProject } from "../access/AccessPolicy.js"
import type { GroupId } from "../group/Group.js"
import { Groups } from "../group/Groups.js"
import type { PageRequest } from "../storage/Page.js"
import { type AttachmentSummary, parseEventId, type ReportId } from "./Report.js"
import { type ReportRange, ReportStore } from "./ReportStore.js"

/** No such report in the group or project. */
export class ReportNotFound extends Schema.TaggedError<ReportNotFound>()("ReportNotFound", {
  /** The report's id or event id, as it was asked for. */
  report: Schema.String,
}) {}

/** The report has no such attachment, or none any more. */
export class AttachmentNotFound extends Schema.TaggedError<AttachmentNotFound>()("AttachmentNotFound", {
  attachmentId: Schema.Int,
}) {}

/** A file that came with a report. Its name and content type are the sender's words. */
export interface ReportAttachment extends AttachmentSummary {
  readonly body: Uint8Array
}

/** The reports of a project. */
export class Reports extends Effect.Service<Reports>()("@errata/core/report/Reports", {
  effect: Effect.gen(function* () {
    const reports = yield* ReportStore
    const groups = yield* Groups

    /** Reports of a group within a range of time, newest first. */
    const list = Effect.fn("Reports.list")(function* (
      project: AuthorizedProject<"groups.read">,
      groupId: GroupId,
      range: ReportRange,
      page: PageRequest,
    ) {
      const group = yield* groups.get(project, groupId)
      return yield* reports.list(group.projectId, group.id, range, page)
    })

    const get = Effect.fn("Reports.get")(function* (
      project: AuthorizedProject<"groups.read">,
      groupId: GroupId,
      id: ReportId,
    ) {
      const group = yield* groups.get(project, groupId)
      const found = yield* reports.find(group.projectId, group.id, id)
      return found._tag === "None" ? yield* new ReportNotFound({ report: String(id) }) : found.value
    })

    /** The report of an event id, written in any case, with or without dashes. */
    const findByEventId = Effect.fn("Reports.findByEventId")(function* (
      { project }: AuthorizedProject<"groups.read">,
      text: string,
    ) {
      const eventId = parseEventId(text)
      if (eventId === null) return yield* new ReportNotFound({ report: text })
      const found = yield* reports.findByEventId(project.id, eventId)
      return found._tag === "None" ? yield* new ReportNotFound({ report: text }) : found.value
    })

    /** An attachment of a report, for whoever may read the report. */
    const getAttachment = Effect.fn("Reports.getAttachment")(function* (
      project: AuthorizedProject<"groups.read">,
      groupId: GroupId,
      reportId: ReportId,
      attachmentId: number,
    ) {
      const report = yield* get(project, groupId, reportId)
      const summary = report.attachments.find(({ id }) => id === attachmentId)
      if (summary === undefined) return yield* new AttachmentNotFound({ attachmentId })
      const found = yield* reports.attachmentBody(report.projectId, report.id, attachmentId)
      return yield* Option.match(found, {
        onNone: () => new AttachmentNotFound({ attachmentId }),
        onSome: (body) => Effect.succeed<ReportAttachment>({ ...summary, body }),
      })
    })

    return { list, get, getAttachment, findByEventId }
  }),
}) {}
