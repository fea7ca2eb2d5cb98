/** `errata reports`: what happened, each time it did. */
import { Args, Command, Options } from "@effect/cli"
import type { ReportView } from "@errata/api"
import { Effect, Option } from "effect"
import { CommandFailed, exitCodes } from "../ErrorOutput.js"
import { connectionOptions, groupArgument, pageOptions, periodOptions, projectOption } from "./ApiOptions.js"
import { type ListColumn, list as listing } from "./Listing.js"
import { momentFrom, relative } from "./Moments.js"
import { reportLines } from "./ReportText.js"
import { type Client, connected, show } from "./Session.js"

const columns: ReadonlyArray<ListColumn<ReportView>> = [
  { title: "ID", align: "right", of: ({ id }) => String(id) },
  { title: "EVENT", of: (report) => report.event_id ?? "" },
  { title: "SEVERITY", of: ({ severity }) => severity },
  { title: "RELEASE", flexible: true, of: (report) => report.release_version },
  { title: "ENVIRONMENT", flexible: true, of: ({ environment }) => environment },
  { title: "SERVER", flexible: true, of: (report) => report.server_name },
  { title: "MESSAGE", flexible: true, of: (report) => report.error_message.split("\n", 1)[0]! },
  { title: "OCCURRED", of: (report, now) => relative(report.occurred_at, now) },
]

const list = Command.make(
  "list",
  { group: groupArgument, ...periodOptions, ...pageOptions, ...projectOption, ...connectionOptions },
  (choice) =>
    connected(choice, ({ client, projectId }) =>
      Effect.gen(function* () {
        const project = yield* projectId(choice.project)
        const filter = {
          ...(Option.isSome(choice.since) && {
            since: yield* momentFrom("--since", choice.since.value, "past"),
          }),
          ...(Option.isSome(choice.until) && {
            until: yield* momentFrom("--until", choice.until.value, "past"),
          }),
        }
        yield* listing({
          choice,
          columns,
          empty: "No reports.",
          page: (query) => client.reports.list(project, choice.group, { ...filter, ...query }),
          items: ({ reports }) => reports,
          stream: (query) => client.reports.stream(project, choice.group, { ...filter, ...query }),
        })
      }),
    ),
).pipe(Command.withDescription("List the reports of a group"))

const get = Command.make(
  "get",
  {
    report: Args.text({ name: "report" }).pipe(
      Args.optional,
      Args.withDescription("The id of its event; or its own id, with --group. Default: the last of --group"),
    ),
    group: Options.integer("group").pipe(
      Options.withAlias("g"),
      Options.optional,
      Options.withDescription("The group that it belongs to"),
    ),
    ...projectOption,
    ...connectionOptions,
  },
  (choice) =>
    connected(choice, ({ client, projectId }) =>
      Effect.gen(function* () {
        const project = yield* projectId(choice.project)
        yield* show(choice, yield* find(client, project, choice.group, choice.report), reportLines)
      }),
    ),
).pipe(Command.withDescription("Show a report with its stack and what else came with it"))

export const reports = Command.make("reports").pipe(
  Command.withDescription("Reports: what happened, each time it did"),
  Command.withSubcommands([list, get]),
)

// internal

const find = (client: Client, project: number, group: Option.Option<number>, report: Option.Option<string>) =>
  Effect.gen(function* () {
    if (Option.isNone(group)) {
      // A number of up to 15 digits is an id: it says nothing without its group. Event ids have 32.
      if (Option.isNone(report) || /^\d{1,15}$/.test(report.value)) {
        return yield* new CommandFailed({
          message: "Which report? Give the id of its event; or the group's id (--group) and the report's.",
          exitCode: exitCodes.usage,
        })
      }
      return yield* client.reports.findByEventId(project, report.value)
    }
    if (Option.isSome(report)) {
      return /^\d{1,15}$/.test(report.value)
        ? yield* client.reports.get(project, group.value, Number(report.value))
        : yield* client.reports.findByEventId(project, report.value)
    }
    const { reports } = yield* client.reports.list(project, group.value, { limit: 1 })
    const [last] = reports
    if (last === undefined) {
      return yield* new CommandFailed({
        message: `Not found: group ${group.value} has no reports`,
        exitCode: exitCodes.notFound,
      })
    }
    return yield* client.reports.get(project, group.value, last.id)
  })
