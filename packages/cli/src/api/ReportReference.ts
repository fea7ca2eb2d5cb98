import { Args, Options } from "@effect/cli"
import { Effect, Option } from "effect"
import { CommandFailed, exitCodes } from "../ErrorOutput.js"
import type { Client } from "./Session.js"

export const reportOptions = {
  group: Options.integer("group").pipe(
    Options.withAlias("g"),
    Options.optional,
    Options.withDescription("The group that it belongs to"),
  ),
}

export const reportArgument = Args.text({ name: "report" })

/** The report that is meant: by its event, by its own id in a group, or the last of a group. */
export const findReport = (
  client: Client,
  project: number,
  group: Option.Option<number>,
  report: Option.Option<string>,
  frames: "resolved" | "raw" = "resolved",
) =>
  Effect.gen(function* () {
    if (Option.isNone(group)) {
      // A number of up to 15 digits is an id: it says nothing without its group. Event ids have 32.
      if (Option.isNone(report) || /^\d{1,15}$/.test(report.value)) {
        return yield* new CommandFailed({
          message: "Which report? Give the id of its event; or the group's id (--group) and the report's.",
          exitCode: exitCodes.usage,
        })
      }
      return yield* client.reports.findByEventId(project, report.value, { frames })
    }
    if (Option.isSome(report)) {
      return /^\d{1,15}$/.test(report.value)
        ? yield* client.reports.get(project, group.value, Number(report.value), { frames })
        : yield* client.reports.findByEventId(project, report.value, { frames })
    }
    const { reports } = yield* client.reports.list(project, group.value, { limit: 1 })
    const [last] = reports
    if (last === undefined) {
      return yield* new CommandFailed({
        message: `Not found: group ${group.value} has no reports`,
        exitCode: exitCodes.notFound,
      })
    }
    return yield* client.reports.get(project, group.value, last.id, { frames })
  })
