/** Looking at reports, and at everything that somebody needs who looks into an error. */
import {
  fittingExcerpt,
  groupMarkdown,
  maxMarkdownLength,
  type Report,
  Reports,
  readRange,
  reportMarkdown,
  Triage,
} from "@errata/core"
import { DateTime, Effect, Schema } from "effect"
import { Failure, Missing, notFound } from "../Failure.js"
import { described, Id, optional, pageFields, Text } from "../Fields.js"
import { GroupDetailJson, GroupJson, groupDetailJson, groupJson, NoteJson, noteJson } from "../GroupJson.js"
import { ReportDetailJson, ReportJson, reportDetailJson, reportJson } from "../ReportJson.js"
import { fitted, noted, noteField, pageOutput, pageRequest, truncatedField, untrusted } from "../Result.js"
import { reading, Told, type Tool } from "../Tool.js"

const listReports = reading({
  name: "list_reports",
  title: "List the reports of a group",
  description: "Each time an error occurred, newest first. get_report tells the rest of one.",
  input: {
    group_id: described("The group", Id),
    since: optional("Occurred after it: a date or an ISO 8601 timestamp", Text),
    until: optional("Occurred before it", Text),
    ...pageFields,
  },
  output: { ...pageOutput, reports: Schema.Array(ReportJson) },
  handle: (input) =>
    Effect.gen(function* () {
      const triage = yield* Triage
      const reports = yield* Reports
      const { groupId, project } = yield* triage.group("groups.read", input.group_id)
      const range = yield* readRange(input)
      const page = yield* reports.list(project, groupId, range, pageRequest(input))
      const { items, ...rest } = fitted(page, reportJson)
      return { ...noted, reports: items, ...rest }
    }),
})

/** What a report is asked for with: its own id, or the event's in a project. */
const reportArguments = {
  project_id: optional("The project of the event", Id),
  event_id: optional("The id of an event, in any case, with or without dashes", Text),
}

const getReport = reading({
  name: "get_report",
  title: "Get a report",
  description:
    "One occurrence of an error with its stack, source and breadcrumbs: by report_id, or by project_id and event_id. " +
    "The frames of the application come first, the others are folded.",
  input: { report_id: optional("The report", Id), ...reportArguments },
  output: { ...noteField, report: ReportDetailJson },
  handle: ({ event_id, project_id, report_id }) =>
    Effect.gen(function* () {
      const triage = yield* Triage
      const reports = yield* Reports
      if (report_id !== undefined) {
        if (project_id !== undefined || event_id !== undefined) return yield* ambiguous("report_id")
        const { groupId, project, reportId } = yield* triage.report(report_id)
        return toldReport(yield* reports.get(project, groupId, reportId))
      }
      return toldReport(yield* byEvent(project_id, event_id, "report_id"))
    }),
})

const getInvestigationContext = reading({
  name: "get_investigation_context",
  title: "Get what an investigation needs",
  description:
    "In one call: the group, its newest report that tells where in the application it happened, with stack, source, " +
    "breadcrumbs, tags and release, the notes, and similar open groups. By group_id, or by project_id and event_id.",
  input: { group_id: optional("The group", Id), ...reportArguments },
  output: {
    ...noteField,
    group: GroupDetailJson,
    report: described("The report; empty where none is kept", Schema.Array(ReportDetailJson)),
    notes: described("The newest first", Schema.Array(NoteJson)),
    similar_groups: described("Open groups of the same kind of error", Schema.Array(GroupJson)),
    ...truncatedField,
  },
  handle: ({ event_id, group_id, project_id }) =>
    Effect.gen(function* () {
      const triage = yield* Triage
      if (group_id !== undefined && (project_id !== undefined || event_id !== undefined)) {
        return yield* ambiguous("group_id")
      }
      const asked = group_id === undefined ? yield* byEvent(project_id, event_id, "group_id") : null
      const { groupId, project } = yield* triage.group("groups.read", asked?.groupId ?? group_id ?? 0)
      const found = yield* triage.investigate(project, groupId)
      const story = { ...found, report: asked ?? found.report }
      const now = yield* DateTime.now
      const document = groupMarkdown(story, now)
      const around = (noteLength: number) => ({
        ...noted,
        group: groupDetailJson(story.group, now),
        notes: story.notes.map((note) => noteJson(note, noteLength)),
        similar_groups: story.similar.map((group) => groupJson(group, now)),
      })
      // What the least of a report takes is left in any case.
      const [long, short] = [around(500), around(200)]
      const rest = lengthOf(long) <= maxAround ? long : short
      const report =
        story.report === null ? [] : [excerptJson(story.report, maxMarkdownLength - 1_000 - lengthOf(rest))]
      return new Told(
        {
          ...rest,
          report,
          truncated: document.truncated || rest === short || report.some(({ truncated }) => truncated),
        },
        document.text,
      )
    }),
})

export const reportReadingTools: ReadonlyArray<Tool> = [listReports, getReport]
export const investigationTools: ReadonlyArray<Tool> = [getInvestigationContext]

// internal

/** Of what stands around a report; the least that is told of one takes half of the rest. */
const maxAround = 25_000

const lengthOf = (value: object): number => JSON.stringify(value).length

/** The report of an event; what the caller may not see is not there. */
const byEvent = (projectId: number | undefined, eventId: string | undefined, other: string) =>
  Effect.gen(function* () {
    if (projectId === undefined || eventId === undefined) return yield* ambiguous(other)
    const triage = yield* Triage
    const reports = yield* Reports
    const named = `${untrusted(eventId, 40)} of project ${projectId}`
    return yield* Effect.flatMap(triage.project("groups.read", projectId), (project) =>
      reports.findByEventId(project, eventId),
    ).pipe(
      Effect.catchTags({
        NotAccessible: () => new Missing({ message: notFound("report", named) }),
        ReportNotFound: () => new Missing({ message: notFound("report", named) }),
      }),
    )
  })

const ambiguous = (id: string) =>
  new Failure({ message: `Invalid arguments: give ${id}, or project_id and event_id` })

const toldReport = (report: Report) =>
  new Told({ ...noted, report: excerptJson(report, maxMarkdownLength - 1_000) }, reportMarkdown(report).text)

/** As much of a report as there is room for in JSON. */
const excerptJson = (report: Report, budget: number) =>
  reportDetailJson(
    report,
    fittingExcerpt(report, budget, (excerpt) => JSON.stringify(reportDetailJson(report, excerpt))).excerpt,
  )
