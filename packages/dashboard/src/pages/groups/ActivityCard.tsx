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
  const { before, beforeName, change, newGroups, reports, since, step, total } = periodOf(activity, hours)
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
        caption={`Line: ${beforeName}`}
        beforeName={beforeName}
        series={{ since, step, reports, before }}
        onPick={({ at }) => onPick(at, new Date(Date.parse(at) + stepMillis - 1).toISOString())}
      />
    </section>
  )
}
