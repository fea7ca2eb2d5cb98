import { HttpApiBuilder } from "effect/http-api"
import { type ErrataApi, pageFields, reportDetailView, reportView, sourcemapRetryView } from "@errata/api"
import {
  AccessPolicy,
  GroupId,
  ProjectId,
  type Report,
  ReportId,
  ReportNotFound,
  Reports,
  readRange,
  reportMarkdown,
  SourcemapRetries,
} from "@errata/core"
import { Effect } from "effect"
import * as AttachmentResponse from "./AttachmentResponse.js"
import * as MarkdownResponse from "./MarkdownResponse.js"
import { pageRequest } from "./Paging.js"
import { toProblems } from "./Problems.js"

export const layer = (api: ErrataApi) =>
  HttpApiBuilder.group(api, "reports", (handlers) =>
    Effect.gen(function* () {
      const access = yield* AccessPolicy.AccessPolicy
      const reports = yield* Reports
      const retries = yield* SourcemapRetries

      const readable = (id: number) => access.project("groups.read", ProjectId.make(id))

      return handlers
        .handle("list", ({ path, urlParams }) =>
          Effect.gen(function* () {
            const project = yield* readable(path.project_id)
            const range = yield* readRange(urlParams)
            const groupId = GroupId.make(path.group_id)
            const page = yield* reports.list(project, groupId, range, pageRequest(urlParams))
            return { reports: page.items.map(reportView), ...pageFields(page) }
          }).pipe(toProblems),
        )
        .handle("get", ({ path, urlParams }) =>
          Effect.gen(function* () {
            const project = yield* readable(path.project_id)
            const report = yield* reports.get(
              project,
              GroupId.make(path.group_id),
              ReportId.make(path.report_id),
              urlParams.frames,
            )
            return yield* shown(report)
          }).pipe(toProblems),
        )
        .handle("getAttachment", ({ path }) =>
          Effect.gen(function* () {
            const project = yield* readable(path.project_id)
            const attachment = yield* reports.getAttachment(
              project,
              GroupId.make(path.group_id),
              ReportId.make(path.report_id),
              path.attachment_id,
            )
            return AttachmentResponse.of(attachment)
          }).pipe(toProblems),
        )
        .handle("retrySourcemaps", ({ path }) =>
          Effect.gen(function* () {
            const project = yield* access.project("project.administer", ProjectId.make(path.project_id))
            const groupId = GroupId.make(path.group_id)
            return sourcemapRetryView(yield* retries.retry(project, groupId, ReportId.make(path.report_id)))
          }).pipe(toProblems),
        )
        .handle("findByEventId", ({ path, urlParams }) =>
          Effect.gen(function* () {
            const project = yield* readable(path.project_id)
            return yield* shown(yield* reports.findByEventId(project, path.event_id, urlParams.frames))
          }).pipe(
            // What the caller may not see does not exist for them.
            Effect.catchTag("AccessDenied", () => new ReportNotFound({ report: path.event_id })),
            toProblems,
          ),
        )
    }),
  )

// internal

const shown = (report: Report) =>
  Effect.map(MarkdownResponse.isWanted, (isWanted) =>
    isWanted ? MarkdownResponse.of(reportMarkdown(report)) : reportDetailView(report),
  )
