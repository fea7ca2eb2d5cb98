import { Context, Effect, Layer, Result, Schema } from "effect"
import type { AuthorizedProject } from "../access/AccessPolicy.js"
import type { GroupId, ListedGroup } from "../group/Group.js"
import { Groups } from "../group/Groups.js"
import { PayloadDecoder } from "../payload/PayloadDecoder.js"
import * as ResolvedFrames from "../sourcemap/ResolvedFrames.js"
import * as Page from "../storage/Page.js"
import { isMoment } from "../validation/Moment.js"
import { ValidationError } from "../validation/ValidationError.js"
import { type AttachmentSummary, parseEventId, type Report, type ReportId } from "./Report.js"
import * as ReportEvent from "./ReportEvent.js"
import { type ReportRange, ReportStore, type StoredReport } from "./ReportStore.js"

/** The group or project has no such report. */
export class ReportNotFound extends Schema.TaggedError<ReportNotFound>()("ReportNotFound", {
  /** The requested id or event id. */
  report: Schema.String,
}) {}

/** The report does not have the attachment, or it was deleted. */
export class AttachmentNotFound extends Schema.TaggedError<AttachmentNotFound>()("AttachmentNotFound", {
  /** The requested id. */
  attachmentId: Schema.Number,
}) {}

/** An attachment with its content. Name and content type are the sender's and not trusted. */
export interface ReportAttachment extends AttachmentSummary {
  readonly body: Uint8Array
}

/** Mapped frames where available, or frames as received. */
export type ShownFrames = "resolved" | "raw"

/** Reads the reports of a project. */
export class Reports extends Context.Service<Reports>()("@errata/core/report/Reports", {
  make: Effect.gen(function* () {
    const reports = yield* ReportStore
    const groups = yield* Groups
    const decoder = yield* PayloadDecoder

    /** Payloads are stored as received and decoded on reading. */
    const decoded = Effect.fnUntraced(function* (
      { frames, payload, ...report }: StoredReport,
      shown: ShownFrames,
    ) {
      if (payload === null) return { ...report, details: null } satisfies Report
      const details = Result.map(ReportEvent.decode(decoder, payload, report.eventId), (event) => {
        const details = event?.details ?? null
        return details === null || frames === null || shown === "raw"
          ? details
          : ResolvedFrames.overlay(details, frames)
      })
      if (Result.isFailure(details)) {
        yield* Effect.logError("The stored payload of a report cannot be decoded").pipe(
          Effect.annotateLogs({ reportId: report.id, reason: details.failure.reason }),
        )
      }
      return { ...report, details: Result.getOrElse(details, () => null) } satisfies Report
    })

    /** Reports of a group within a range of time, newest first. */
    const list = Effect.fn("Reports.list")(function* (
      project: AuthorizedProject<"groups.read">,
      groupId: GroupId,
      range: ReportRange,
      page: Page.PageRequest,
    ) {
      const checked = yield* Page.checked(page)
      yield* ValidationError.ensure({ range: rangeProblem(range) })
      const group = yield* groups.get(project, groupId)
      return yield* reports.list(group.projectId, group.id, range, checked)
    })

    const get = Effect.fn("Reports.get")(function* (
      project: AuthorizedProject<"groups.read">,
      groupId: GroupId,
      id: ReportId,
      shown: ShownFrames = "resolved",
    ) {
      // Concurrently, and without interruption: interrupting a query costs a cancel request.
      const [group, found] = yield* Effect.all(
        [Effect.result(groups.get(project, groupId)), reports.find(project.project.id, groupId, id)],
        { concurrency: 2 },
      )
      yield* Effect.fromResult(group)
      const report = yield* Effect.fromOption(found, () => new ReportNotFound({ report: String(id) }))
      return yield* decoded(report, shown)
    })

    /** The newest report of a group. */
    const latest = Effect.fn("Reports.latest")(function* (
      project: AuthorizedProject<"groups.read">,
      groupId: GroupId,
      shown: ShownFrames = "resolved",
    ) {
      const group = yield* groups.get(project, groupId)
      const { items } = yield* reports.list(group.projectId, group.id, anyTime, { limit: 1, cursor: null })
      const newest = items[0]
      return newest === undefined
        ? yield* new ReportNotFound({ report: "latest" })
        : yield* get(project, groupId, newest.id, shown)
    })

    /** The latest report of each group that a list returned to the caller. Leaves out groups without reports. */
    const latestOf = Effect.fn("Reports.latestOf")(function* (groups: ReadonlyArray<ListedGroup>) {
      const byProject = Map.groupBy(groups, ({ projectId }) => projectId)
      const found = yield* Effect.forEach(
        byProject,
        ([projectId, listed]) =>
          reports.latest(
            projectId,
            listed.map(({ id }) => id),
          ),
        { concurrency: projectsTogether },
      )
      return new Map(found.flat().map((report) => [report.groupId, report]))
    })

    /** The neighbors of a report. */
    const navigate = Effect.fn("Reports.navigate")(function* (
      { project }: AuthorizedProject<"groups.read">,
      { groupId, id }: Pick<Report, "groupId" | "id">,
    ) {
      return yield* reports.navigate(project.id, groupId, id)
    })

    /** The report of an event id, in any case, with or without hyphens. */
    const findByEventId = Effect.fn("Reports.findByEventId")(function* (
      { project }: AuthorizedProject<"groups.read">,
      text: string,
      shown: ShownFrames = "resolved",
    ) {
      const eventId = parseEventId(text)
      if (eventId === null) return yield* new ReportNotFound({ report: text })
      const found = yield* reports.findByEventId(project.id, eventId)
      const report = yield* Effect.fromOption(found, () => new ReportNotFound({ report: text }))
      return yield* decoded(report, shown)
    })

    /** An attachment of a report, for users who may read the report. */
    const getAttachment = Effect.fn("Reports.getAttachment")(function* (
      project: AuthorizedProject<"groups.read">,
      groupId: GroupId,
      reportId: ReportId,
      attachmentId: number,
    ) {
      const group = yield* groups.get(project, groupId)
      const report = yield* Effect.fromOption(
        yield* reports.find(group.projectId, group.id, reportId),
        () => new ReportNotFound({ report: String(reportId) }),
      )
      const summary = report.attachments.find(({ id }) => id === attachmentId)
      if (summary === undefined) return yield* new AttachmentNotFound({ attachmentId })
      const { index, payload } = yield* Effect.fromOption(
        yield* reports.findAttachment(group.projectId, reportId, summary.id),
        () => new AttachmentNotFound({ attachmentId }),
      )
      const decoded = decoder.decode(payload)
      const body = Result.isSuccess(decoded) ? decoded.success.attachments[index]?.body : undefined
      return body === undefined
        ? yield* new AttachmentNotFound({ attachmentId })
        : ({ ...summary, body } satisfies ReportAttachment)
    })

    return { list, get, latest, latestOf, navigate, getAttachment, findByEventId }
  }),
}) {
  static readonly Default = Layer.effect(this, this.make)
}

// internal

/** Each uses a connection. */
const projectsTogether = 2

const anyTime = { since: null, until: null }

const rangeProblem = ({ since, until }: ReportRange): string | null =>
  [since, until].every((bound) => bound === null || isMoment(bound.epochMilliseconds))
    ? null
    : "must be within the years 0 to 9999"
