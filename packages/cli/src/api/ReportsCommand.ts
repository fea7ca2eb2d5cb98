/** `errata reports`: single occurrences of errors. */
import type { ReportView } from "@errata/api"
import { Argument, Command } from "effect/cli"
import { toggle } from "../Toggle.js"
import { projectCommand } from "./ApiCommand.js"
import {
  checkFormat,
  groupArgument,
  markdownOption,
  pageOptions,
  periodOf,
  periodOptions,
} from "./ApiOptions.js"
import { attachment } from "./AttachmentCommand.js"
import { type ListColumn, list as listing } from "./Listing.js"
import { relative } from "./Moments.js"
import { print } from "./Output.js"
import { findReport, reportArgument, reportOptions } from "./ReportReference.js"
import { reportLines } from "./ReportText.js"
import { show } from "./Session.js"

const optionalReport = reportArgument.pipe(
  Argument.optional,
  Argument.withDescription(
    "Event id of the report, or the report id with --group. Default: the latest report of --group",
  ),
)

/** A terminal has the room for MESSAGE first. The event id is omitted before all else: ID and --group name a report too. */
const columns: ReadonlyArray<ListColumn<ReportView>> = [
  { title: "ID", align: "right", of: ({ id }) => String(id) },
  { title: "EVENT", omit: 1, of: (report) => report.event_id ?? "" },
  { title: "SEVERITY", omit: 3, of: ({ severity }) => severity },
  { title: "RELEASE", flexible: true, omit: 4, of: (report) => report.release_version },
  { title: "ENVIRONMENT", flexible: true, omit: 5, of: ({ environment }) => environment },
  { title: "SERVER", flexible: true, omit: 2, of: (report) => report.server_name },
  { title: "MESSAGE", flexible: true, main: true, of: (report) => report.error_message.split("\n", 1)[0]! },
  { title: "OCCURRED", of: (report, now) => relative(report.occurred_at, now) },
]

const list = projectCommand(
  "list",
  "List the reports of a group",
  { group: groupArgument, ...periodOptions, ...pageOptions },
  function* (choice, { client, project }) {
    const filter = yield* periodOf(choice)
    yield* listing({
      choice,
      columns,
      empty: "No reports.",
      page: (query) => client.reports.list(project, choice.group, { ...filter, ...query }),
      items: ({ reports }) => reports,
      stream: (query) => client.reports.stream(project, choice.group, { ...filter, ...query }),
    })
  },
)

const get = projectCommand(
  "get",
  "Show a report with its stack and details",
  {
    report: optionalReport,
    ...reportOptions,
    rawFrames: toggle("raw-frames", "Show stacks as received, not mapped by source maps"),
    ...markdownOption,
  },
  function* (choice, { client, markdown, project }) {
    yield* checkFormat(choice)
    const frames = choice.rawFrames ? "raw" : "resolved"
    const report = yield* findReport(client, project, choice.group, choice.report, frames)
    if (!choice.markdown) return yield* show(choice, report, reportLines)
    const path = `/projects/${project}/groups/${report.group_id}/reports/${report.id}?frames=${frames}`
    yield* print(yield* markdown(path))
  },
)

const retrySourcemaps = projectCommand(
  "retry-sourcemaps",
  "Map the frames of a report with source maps again (admin)",
  { report: optionalReport, ...reportOptions },
  function* (choice, { client, project }) {
    const report = yield* findReport(client, project, choice.group, choice.report)
    const retry = yield* client.reports.retrySourcemaps(project, report.group_id, report.id)
    yield* show(choice, retry, ({ report_id, result, sourcemap_status: status }) => [
      result === "resolved"
        ? `The frames of report ${report_id} are already mapped.`
        : result === "queued"
          ? `Report ${report_id} is queued. Its frames will be mapped soon.`
          : `Report ${report_id} is already being mapped (${status}).`,
    ])
  },
)

export const reports = Command.make("reports").pipe(
  Command.withDescription("Inspect reports, which are single occurrences of an error"),
  Command.withSubcommands([list, get, attachment, retrySourcemaps]),
)
