/** Tools that read reports, and the one that returns everything for an investigation. */
import { groupMarkdown, type Report, Reports, reportMarkdown, Triage, WebAddress } from "@errata/core"
import {
  briefLevel,
  fittingExcerpt,
  maxMarkdownLength,
  type ReportExcerpt,
  readRange,
} from "@errata/core/internal"
import { DateTime, Effect, Schema } from "effect"
import { Failure, Missing, notFound, toFailure } from "../Failure.js"
import { asIn, described, Flag, Id, optional, pageFields, Text } from "../Fields.js"
import {
  GroupDetailJson,
  GroupJson,
  groupDetailJson,
  NoteJson,
  noteJson,
  similarGroupJson,
  untrustedOfGroup,
  untrustedOfNote,
} from "../GroupJson.js"
import {
  ReportDetailJson,
  ReportJson,
  reportDetailJson,
  reportJson,
  untrustedOfReport,
} from "../ReportJson.js"
import { fitted, pageOutput, pageRequest, untrusted, untrustedFields } from "../Result.js"
import { reading, type Tool } from "../Tool.js"

const listReports = reading({
  name: "list_reports",
  title: "List reports",
  description: "Lists the reports of a group, newest first. A report is one occurrence.",
  input: {
    group_id: Id,
    since: optional(Text, "Occurred after: date, ISO 8601 time, or span such as 24h"),
    until: optional(Text, "Occurred before"),
    ...pageFields,
  },
  output: { reports: Schema.Array(ReportJson), ...pageOutput },
  handle: Effect.fnUntraced(function* (input) {
    const triage = yield* Triage
    const reports = yield* Reports
    const { groupId, project } = yield* triage.group("groups.read", input.group_id)
    const range = yield* readRange(input)
    const address = yield* WebAddress
    const { items, next } = fitted(
      yield* reports.list(project, groupId, range, pageRequest(input)),
      (report) => reportJson(report, address),
    )
    return { ...untrustedFields(...untrustedOfReport), reports: items, ...next }
  }),
})

/** Arguments that select the report of an event. */
const eventArguments = {
  project_id: optional(Id),
  event_id: optional(Text),
}

const getReport = reading({
  name: "get_report",
  title: "Get a report",
  description:
    "Returns a report with stack, source and breadcrumbs. Requires report_id, or project_id and event_id.",
  input: {
    report_id: optional(Id),
    ...eventArguments,
    full: optional(Flag, "Return more frames, variables and breadcrumbs"),
  },
  output: { report: ReportDetailJson },
  handle: Effect.fnUntraced(function* ({ event_id, full = false, project_id, report_id }) {
    if (report_id !== undefined && (project_id !== undefined || event_id !== undefined)) {
      return yield* ambiguous("report_id")
    }
    const report =
      report_id === undefined
        ? yield* byEvent(project_id, event_id, "report_id")
        : yield* reportById(report_id)
    const address = yield* WebAddress
    return {
      ...untrustedFields("report"),
      report: excerptJson(report, address, maxMarkdownLength - 1_000, full),
    }
  }),
})

const getInvestigationContext = reading({
  name: "get_investigation_context",
  title: "Get investigation context",
  description:
    "Returns a group with its newest useful report, notes, and unresolved groups with the same type of error. " +
    "Start here to investigate an error. Requires group_id, or project_id and event_id.",
  input: { group_id: optional(Id), ...eventArguments },
  output: {
    group: asIn("get_group", GroupDetailJson),
    report: described("Empty if no report is kept", Schema.Array(asIn("get_report", ReportDetailJson))),
    notes: described("Newest first", Schema.Array(asIn("list_notes", NoteJson))),
    similar_groups: Schema.Array(asIn("list_groups", GroupJson)),
    truncated: optional(Flag),
  },
  handle: Effect.fnUntraced(function* ({ event_id, group_id, project_id }) {
    if (group_id !== undefined && (project_id !== undefined || event_id !== undefined)) {
      return yield* ambiguous("group_id")
    }
    const asked = group_id === undefined ? yield* byEvent(project_id, event_id, "group_id") : null
    const found = yield* investigation(asked?.groupId ?? group_id ?? 0)
    const shown = asked ?? found.report
    const now = yield* DateTime.now
    const address = yield* WebAddress
    const around = (noteLength: number) => ({
      ...untrustedFields(...untrustedOfGroup, "grouping", "report", ...untrustedOfNote),
      group: groupDetailJson(found.group, now, address),
      notes: found.notes.map((note) => noteJson(note, noteLength)),
      similar_groups: found.similar.map(similarGroupJson),
    })
    // The report gets the rest of the space, half of it or more.
    const [long, short] = [around(500), around(200)]
    const rest = lengthOf(long) <= maxAround ? long : short
    const report =
      shown === null
        ? []
        : [besides(excerptJson(shown, address, maxMarkdownLength - 1_000 - lengthOf(rest)), rest.group)]
    const isCut =
      rest === short ||
      found.notes.some(({ content }) => content.length > 500) ||
      report.some(({ truncated }) => truncated === true)
    return { ...rest, report, ...(isCut && { truncated: true }) }
  }),
})

export const reportReadingTools: ReadonlyArray<Tool> = [listReports, getReport]
export const investigationTools: ReadonlyArray<Tool> = [getInvestigationContext]

/** A group with its newest useful report, notes and similar groups as Markdown. */
export const readGroupMarkdown = (id: number) =>
  Effect.gen(function* () {
    return groupMarkdown(yield* investigation(id), yield* DateTime.now, yield* WebAddress).text
  }).pipe(toFailure({}))

/** A report as Markdown. */
export const readReportMarkdown = (id: number) =>
  Effect.gen(function* () {
    return reportMarkdown(yield* reportById(id), yield* WebAddress).text
  }).pipe(toFailure({}))

// internal

/** The longest that group, notes and similar groups may be beside a report. */
const maxAround = 25_000

const lengthOf = (value: object): number => JSON.stringify(value).length

const reportById = Effect.fnUntraced(function* (id: number) {
  const triage = yield* Triage
  const reports = yield* Reports
  const { groupId, project, reportId } = yield* triage.report(id)
  return yield* reports.get(project, groupId, reportId)
})

const investigation = Effect.fnUntraced(function* (id: number) {
  const triage = yield* Triage
  const { groupId, project } = yield* triage.group("groups.read", id)
  return yield* triage.investigate(project, groupId)
})

/** The report of an event. Invisible projects fail like missing reports. */
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
  new Failure({ message: `Invalid arguments: pass either ${id}, or project_id and event_id` })

/** A report without the facts that its group states. */
const besides = (
  { culprit, group_id: _, project_id: __, ...rest }: typeof ReportDetailJson.Type,
  group: typeof GroupDetailJson.Type,
): typeof ReportDetailJson.Type => ({
  ...rest,
  ...(culprit !== undefined && culprit !== group.culprit && { culprit }),
})

/** A report, brief or with as much detail as the budget allows. */
const excerptJson = (report: Report, address: string | null, budget: number, full = false) => {
  const render = (excerpt: ReportExcerpt) => JSON.stringify(reportDetailJson(report, excerpt, address))
  const { excerpt } = fittingExcerpt(report, budget, render, full ? 0 : briefLevel)
  return reportDetailJson(report, excerpt, address)
}
