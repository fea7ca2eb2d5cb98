/** The counts of a group, its first and last report, and its reports per hour. */
import type { Activity } from "@errata/api/promise"
import { useLocation } from "preact-iso/router"
import { fetchActivity, seriesOf } from "../../data/activity.js"
import { describe } from "../../data/failure.js"
import { pollEvery, useQuery } from "../../data/query.js"
import { reportQuery, type ShownReport } from "../../data/report.js"
import { href } from "../../data/root.js"
import { Bars } from "../../parts/Bars.js"
import { TimeButton } from "../../parts/Time.js"
import { Toggle } from "../../parts/Toggle.js"
import { count } from "../../text/Numbers.js"
import { cut, line } from "../../text/SafeText.js"
import { chartSpan } from "./choices.js"
import { type GroupIds, groupPathOf } from "./paths.js"
import type { ShownGroup } from "./ShownGroup.js"

interface Props {
  readonly ids: GroupIds
  readonly group: ShownGroup | undefined
  readonly report: ShownReport | undefined
}

export const Facts = ({ group, ids, report }: Props) => {
  const first = useRelease(ids, report, report?.navigation?.first_id)
  const last = useRelease(ids, report, report?.navigation?.last_id)
  return (
    <div class="card facts">
      <dl>
        <div>
          <dt>{group?.reports_count === 1 ? "report" : "reports"}</dt>
          <dd class="num">{group === undefined ? "…" : count(group.reports_count)}</dd>
        </div>
        {group?.users_count !== undefined && (
          <div>
            <dt>{group.users_count === 1 ? "user" : "users"}</dt>
            <dd class="num">
              {group.users_count_estimated === true && <span title="Estimated">≈ </span>}
              {count(group.users_count)}
            </dd>
          </div>
        )}
        {group !== undefined && (
          <>
            <div>
              <dt>first seen{first !== "" && ` · ${first}`}</dt>
              <dd>
                <TimeButton value={group.first_occurred_at} />
              </dd>
            </div>
            <div>
              <dt>last seen{last !== "" && ` · ${last}`}</dt>
              <dd>
                <TimeButton value={group.last_occurred_at} />
              </dd>
            </div>
          </>
        )}
      </dl>
      <Chart ids={ids} />
    </div>
  )
}

// internal

/** The release of the first or the last report. It is loaded only if it is not the one that is shown. */
const useRelease = (ids: GroupIds, shown: ShownReport | undefined, id: number | null | undefined): string => {
  // At the ends there is no id: the shown report is the one.
  const wanted = shown === undefined ? null : (id ?? shown.id)
  const { data } = useQuery<ShownReport>({
    ...reportQuery(ids.projectId, ids.groupId, wanted),
    enabled: wanted !== null && wanted !== shown?.id,
  })
  return line(cut((wanted === shown?.id ? shown : data)?.release_version ?? "", 60))
}

const Chart = ({ ids }: { readonly ids: GroupIds }) => {
  const { route } = useLocation()
  const hours = chartSpan.value === "7d" ? 168 : 24
  const { data, error, refetch } = useQuery<Activity>({
    queryKey: ["activity", ids.projectId, [ids.groupId], hours],
    queryFn: ({ signal }) => fetchActivity(ids.projectId, hours, [ids.groupId], signal),
    refetchInterval: pollEvery(60_000),
  })
  const series = seriesOf(data, ids.groupId)
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
      {data !== undefined && (
        <Bars
          series={{
            since: data.since,
            step: data.step,
            reports: series?.reports ?? Array<number>(hours).fill(0),
          }}
          onPick={(bar) => {
            const until = new Date(Date.parse(bar.at) + 3_600_000).toISOString()
            route(href(groupPathOf(ids, `/reports?since=${bar.at}&until=${until}`)))
          }}
        />
      )}
      {error !== null && data === undefined && (
        <p class="faint" role="alert">
          The chart could not be loaded. {describe(error)}{" "}
          <button type="button" class="link" onClick={() => refetch()}>
            Retry
          </button>
        </p>
      )}
    </div>
  )
}
