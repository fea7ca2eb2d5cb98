import { Effect, Option } from "effect"
import { Argument, Flag } from "effect/cli"
import { notFound, usageError } from "../ErrorOutput.js"
import { wholeNumber } from "./ApiOptions.js"
import type { Client } from "./Session.js"

export const reportOptions = {
  group: wholeNumber("group").pipe(
    Flag.withAlias("g"),
    Flag.optional,
    Flag.withDescription("Id of the report's group"),
  ),
}

export const reportArgument = Argument.String("report")

/** Finds a report by its event id, by its id in a group, or as the latest of a group. */
export const findReport = (
  client: Client,
  project: number,
  group: Option.Option<number>,
  report: Option.Option<string>,
  frames: "resolved" | "raw" = "resolved",
) =>
  Effect.gen(function* () {
    if (Option.isNone(group)) {
      // A number of up to 15 digits is a report id, which requires a group. Event ids have 32 digits.
      if (Option.isNone(report) || /^\d{1,15}$/.test(report.value)) {
        return yield* usageError(
          "No report is selected. Give its event id, or its report id and the group with --group.",
        )
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
      return yield* notFound(`group ${group.value} has no reports`)
    }
    return yield* client.reports.get(project, group.value, last.id, { frames })
  })
