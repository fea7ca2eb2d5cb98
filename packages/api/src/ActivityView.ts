/** Numbers of reports over time, in the API. */
import type { ActivityAnswer } from "@errata/core"
import { DateTime, Schema } from "effect"
import { int, intOrNull, time } from "./Fields.js"
import { described, named } from "./Json.js"

const Counts = Schema.Array(Schema.Int)

const SeriesView = Schema.Struct({
  group_id: intOrNull("Id of the group. Null for the project"),
  reports: described("Number of reports that occurred in each step, from `since` on", Counts),
  new_groups: described(
    "Number of groups whose first report occurred in each step. Null for a group",
    Schema.NullOr(Counts),
  ),
  total: int("Sum of `reports`"),
}).pipe(Schema.annotateEncoded({ identifier: "ActivitySeries" }))

/** Counts of reports, as REST shows it. */
export const ActivityView = Schema.Struct({
  since: time("Start of the first step, in UTC"),
  until: time("End of the last step, in UTC"),
  step: described("Length of a step", Schema.Literals(["hour", "day"])),
  complete_until: time("All reports that were recorded by this time are counted"),
  series: described(
    "One series for each group id, in their order. Without group ids, the project's series",
    Schema.Array(SeriesView),
  ),
}).pipe(
  named("Activity", {
    since: "2026-01-05T07:00:00.000Z",
    until: "2026-01-05T10:00:00.000Z",
    step: "hour",
    complete_until: "2026-01-05T09:30:00.000Z",
    series: [{ group_id: 42, reports: [0, 12, 3], new_groups: null, total: 15 }],
  }),
)
export type ActivityView = typeof ActivityView.Type

export const activityView = ({
  completeUntil,
  series,
  since,
  step,
  until,
}: ActivityAnswer): ActivityView => ({
  since: timeOf(since),
  until: timeOf(until),
  step: step === "day" ? "day" : "hour",
  complete_until: completeUntil,
  series: series.map(({ groupId, newGroups, reports }) => ({
    group_id: groupId,
    reports,
    new_groups: newGroups,
    total: reports.reduce((sum, count) => sum + count, 0),
  })),
})

// internal

const timeOf = (minute: number): DateTime.Utc => DateTime.makeUnsafe(minute * 60_000)
