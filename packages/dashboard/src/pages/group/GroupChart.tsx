/** The reports of a group per hour, beside those of the period before, with the releases of the project. */
import type { Activity, ReleaseAppearance } from "@errata/api/promise"
import { useLocation } from "preact-iso/router"
import { fetchActivity } from "../../data/activity.js"
import { newestReleasesQuery } from "../../data/newestReleases.js"
import { pollEvery, useQuery } from "../../data/query.js"
import { href } from "../../data/root.js"
import { Bars } from "../../parts/Bars.js"
import { Problem } from "../../parts/Problem.js"
import { Toggle } from "../../parts/Toggle.js"
import { counted } from "../../text/Numbers.js"
import { periodOf } from "../groups/Comparison.js"
import { captionOf, marksOf } from "../groups/Marks.js"
import { chartSpan } from "./choices.js"
import { type GroupIds, groupPathOf } from "./paths.js"

export const GroupChart = ({ ids }: { readonly ids: GroupIds }) => {
  const hours = chartSpan.value === "7d" ? 168 : 24
  const { data, error } = useQuery({
    queryKey: ["activity", ids.projectId, [ids.groupId], hours],
    queryFn: ({ signal }) => fetchActivity(ids.projectId, hours * 2, [ids.groupId], signal),
    refetchInterval: pollEvery(60_000),
  })
  const releases = useQuery(newestReleasesQuery(ids.projectId)).data ?? []
  return (
    <div class="facts-chart">
      <div class="facts-spans">
        {(["24h", "7d"] as const).map((span) => (
          <Toggle
            key={span}
            isPressed={chartSpan.value === span}
            onClick={() => (chartSpan.value = span)}
            title={span === "24h" ? "The last 24 hours" : "The last 7 days"}
          >
            {span === "24h" ? "24 h" : "7 d"}
          </Toggle>
        ))}
      </div>
      {data !== undefined && <Chart ids={ids} data={data} hours={hours} releases={releases} />}
      {error !== null && data === undefined && (
        <Problem title="The chart could not be loaded." error={error} />
      )}
    </div>
  )
}

// internal

const Chart = ({
  data,
  hours,
  ids,
  releases,
}: {
  readonly ids: GroupIds
  readonly data: Activity
  readonly hours: number
  readonly releases: ReadonlyArray<ReleaseAppearance>
}) => {
  const { route } = useLocation()
  const { before, beforeName, change, reports, since, step, total } = periodOf(data, hours)
  const marked = marksOf(releases, since)
  return (
    <>
      <p class="facts-change">
        <strong>
          {counted(total, "report")} in {hours === 24 ? "24 hours" : counted(hours / 24, "day")}
        </strong>
        {change !== null && ` · ${change}`}
      </p>
      <Bars
        caption={captionOf(beforeName, marked)}
        beforeName={beforeName}
        marks={marked.marks}
        series={{ since, step, reports, before }}
        onPick={(bar) => {
          const until = new Date(Date.parse(bar.at) + 3_600_000).toISOString()
          route(href(groupPathOf(ids, `/reports?since=${bar.at}&until=${until}`)))
        }}
      />
    </>
  )
}
