import { projectActivityQuery } from "../../data/activity.js"
import { isMissing } from "../../data/failure.js"
import { newestReleasesQuery } from "../../data/newestReleases.js"
import { useQuery } from "../../data/query.js"
import { Bars } from "../../parts/Bars.js"
import { Problem } from "../../parts/Problem.js"
import { counted } from "../../text/Numbers.js"
import { periodOf } from "./Comparison.js"
import { captionOf, marksOf } from "./Marks.js"

export const spans = { "24h": 24, "7d": 168, "30d": 720 } as const
export type Span = keyof typeof spans

/** The reports of a project over time. A click on a bar filters the list by its hour. */
export const ActivityCard = ({
  projectId,
  span,
  onPick,
}: {
  readonly projectId: number
  readonly span: Span
  readonly onPick: (since: string, until: string) => void
}) => {
  const hours = spans[span]
  const { data: activity, error } = useQuery(projectActivityQuery(projectId, hours * 2))
  // Requested after the counts, which do not need them.
  const { data: releases = [] } = useQuery({
    ...newestReleasesQuery(projectId),
    enabled: activity !== undefined,
  })
  if (activity === undefined) {
    // The list says that the project does not exist.
    if (isMissing(error)) return null
    return error === null ? (
      <div class="activity card" />
    ) : (
      <Problem title="The chart was not loaded." error={error} />
    )
  }
  const { before, beforeName, change, newGroups, reports, since, step, total } = periodOf(activity, hours)
  const marked = marksOf(releases, since)
  const stepMillis = step === "day" ? 86_400_000 : 3_600_000
  return (
    <section class="activity card" aria-label="Activity">
      <p>
        <strong>
          {counted(total, "report")} in {hours === 24 ? "24 hours" : counted(hours / 24, "day")}
        </strong>
        {change !== null && ` · ${change}`}
        {newGroups > 0 && ` · ${counted(newGroups, "new group")}`}
      </p>
      <Bars
        caption={captionOf(beforeName, marked)}
        beforeName={beforeName}
        marks={marked.marks}
        series={{ since, step, reports, before }}
        onPick={({ at }) => onPick(at, new Date(Date.parse(at) + stepMillis - 1).toISOString())}
      />
    </section>
  )
}
