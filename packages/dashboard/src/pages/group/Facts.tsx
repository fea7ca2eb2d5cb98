/** The counts of a group, its first and last report, and its reports per hour. */
import type { ReportDetail } from "@errata/api/promise"
import { useQuery } from "../../data/query.js"
import { reportQuery } from "../../data/report.js"
import { TimeButton } from "../../parts/Time.js"
import { count } from "../../text/Numbers.js"
import { cut, line } from "../../text/SafeText.js"
import { GroupChart } from "./GroupChart.js"
import type { GroupIds } from "./paths.js"
import type { ShownGroup } from "./ShownGroup.js"
import { WorseSince } from "./WorseSince.js"

interface Props {
  readonly ids: GroupIds
  readonly group: ShownGroup | undefined
  readonly report: ReportDetail | undefined
}

export const Facts = ({ group, ids, report }: Props) => {
  const first = useRelease(ids, report, report?.navigation?.first_id)
  const last = useRelease(ids, report, report?.navigation?.last_id)
  return (
    <div class="card facts">
      <div class="facts-numbers">
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
          <Seen name="first seen" release={first} at={group?.first_occurred_at} />
          <Seen name="last seen" release={last} at={group?.last_occurred_at} />
        </dl>
        <WorseSince ids={ids} />
      </div>
      <GroupChart ids={ids} />
    </div>
  )
}

// internal

const Seen = ({
  at,
  name,
  release,
}: {
  readonly name: string
  /** Empty if it is unknown. */
  readonly release: string
  readonly at: string | undefined
}) => (
  <div>
    <dt>
      {name} {release !== "" && <span title={release}>{release}</span>}
    </dt>
    <dd>{at === undefined ? "…" : <TimeButton value={at} />}</dd>
  </div>
)

/** The release of the first or the last report. It is loaded only if it is not the one that is shown. */
const useRelease = (
  ids: GroupIds,
  shown: ReportDetail | undefined,
  id: number | null | undefined,
): string => {
  // At the ends there is no id: the shown report is the one.
  const wanted = shown === undefined ? null : (id ?? shown.id)
  const { data } = useQuery({
    ...reportQuery(ids.projectId, ids.groupId, wanted),
    enabled: wanted !== null && wanted !== shown?.id,
  })
  return line(cut((wanted === shown?.id ? shown : data)?.release_version ?? "", 60))
}
