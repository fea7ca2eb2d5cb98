import { projectActivityQuery } from "../../data/activity.js"
import { useQuery } from "../../data/query.js"
import { Bars } from "../../parts/Bars.js"
import { counted } from "../../text/Numbers.js"
import { periodOf } from "./Comparison.js"

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
  const activity = useQuery(projectActivityQuery(projectId, hours * 2)).data
  if (activity === undefined) return <div class="activity card" />
  const { change, newGroups, reports, since, total } = periodOf(activity, hours)
  const isDays = hours > 24 * 7
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
        caption=""
        series={{
          since,
          step: isDays ? "day" : "hour",
          reports: isDays ? daily(reports) : reports,
        }}
        onPick={({ at }) =>
          onPick(at, new Date(Date.parse(at) + (isDays ? 24 : 1) * 3_600_000 - 1).toISOString())
        }
      />
    </section>
  )
}

// internal

const daily = (hours: ReadonlyArray<number>): ReadonlyArray<number> =>
  Array.from({ length: Math.ceil(hours.length / 24) }, (_, day) =>
    hours.slice(day * 24, day * 24 + 24).reduce((sum, value) => sum + value, 0),
  )
