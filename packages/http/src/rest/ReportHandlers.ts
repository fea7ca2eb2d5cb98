import { pageFields, reportDetailView, reportView, sourcemapRetryView } from "@errata/api/internal"
import {
  AccessPolicy,
  GroupId,
  ProjectId,
  type Report,
  ReportId,
  ReportNotFound,
  Reports,
  reportMarkdown,
  SourcemapRetries,
  Triage,
  WebAddress,
} from "@errata/core"
import { readRange } from "@errata/core/internal"
import { Effect } from "effect"
import * as AttachmentResponse from "./AttachmentResponse.js"
import * as MarkdownResponse from "./MarkdownResponse.js"
import { pageRequest } from "./Paging.js"
import { toProblems } from "./Problems.js"
import type { HandlersOf } from "./ServedApi.js"

export const make = (handlers: HandlersOf<"reports">) =>
  Effect.gen(function* () {
    const access = yield* AccessPolicy.AccessPolicy
    const reports = yield* Reports
    const retries = yield* SourcemapRetries

    const triage = yield* Triage

    const shown = (
      project: AccessPolicy.AuthorizedProject<"groups.read">,
      report: Report,
      { include }: { readonly include?: "navigation" },
      request: MarkdownResponse.MarkdownRequest,
    ) =>
      Effect.gen(function* () {
        const address = yield* WebAddress
        if (MarkdownResponse.isWanted(request)) {
          return yield* MarkdownResponse.of(reportMarkdown(report, address))
        }
        const navigation = include === undefined ? null : yield* reports.navigate(project, report)
        return reportDetailView(report, address, navigation)
      })

    const readable = (id: number) => access.project("groups.read", ProjectId.make(id))

    return handlers
      .handle("list", ({ params, query }) =>
        Effect.gen(function* () {
          const project = yield* readable(params.project_id)
          const range = yield* readRange(query)
          const groupId = GroupId.make(params.group_id)
          const page = yield* reports.list(project, groupId, range, pageRequest(query))
          const address = yield* WebAddress
          return { reports: page.items.map((report) => reportView(report, address)), ...pageFields(page) }
        }).pipe(toProblems),
      )
      .handle("get", ({ params, query, request }) =>
        Effect.gen(function* () {
          const project = yield* readable(params.project_id)
          const report = yield* reports.get(
            project,
            GroupId.make(params.group_id),
            ReportId.make(params.report_id),
            query.frames,
          )
          return yield* shown(project, report, query, request)
        }).pipe(toProblems),
      )
      .handle("latest", ({ params, query, request }) =>
        Effect.gen(function* () {
          const project = yield* readable(params.project_id)
          const report = yield* reports.latest(project, GroupId.make(params.group_id), query.frames)
          return yield* shown(project, report, query, request)
        }).pipe(toProblems),
      )
      .handle("getAttachment", ({ params }) =>
        Effect.gen(function* () {
          const project = yield* readable(params.project_id)
          const attachment = yield* reports.getAttachment(
            project,
            GroupId.make(params.group_id),
            ReportId.make(params.report_id),
            params.attachment_id,
          )
          return yield* AttachmentResponse.of(attachment)
        }).pipe(toProblems),
      )
      .handle("retrySourcemaps", ({ params }) =>
        Effect.gen(function* () {
          const project = yield* access.project("project.administer", ProjectId.make(params.project_id))
          const groupId = GroupId.make(params.group_id)
          return sourcemapRetryView(yield* retries.retry(project, groupId, ReportId.make(params.report_id)))
        }).pipe(toProblems),
      )
      .handle("findByEventId", ({ params, query, request }) =>
        Effect.gen(function* () {
          const project = yield* readable(params.project_id)
          const report = yield* reports.findByEventId(project, params.event_id, query.frames)
          return yield* shown(project, report, query, request)
        }).pipe(
          // 404 and not 403: the caller must not learn that the report exists.
          Effect.catchTag("AccessDenied", () => new ReportNotFound({ report: params.event_id })),
          toProblems,
        ),
      )
      .handle("findAnywhere", ({ params, query, request }) =>
        Effect.gen(function* () {
          const [project] = yield* triage.projectsOfEvent(params.event_id)
          if (project === undefined) return yield* new ReportNotFound({ report: params.event_id })
          const report = yield* reports.findByEventId(project, params.event_id, query.frames)
          return yield* shown(project, report, query, request)
        }).pipe(toProblems),
      )
  })
