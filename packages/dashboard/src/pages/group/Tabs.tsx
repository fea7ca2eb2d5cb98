/** The parts of a group's page as links, and the way through its reports. */

import type { ReportDetail } from "@errata/api/promise"
import { useEffect } from "preact/hooks"
import { useLocation } from "preact-iso/router"
import { prefetchReport, refreshReports } from "../../data/report.js"
import { href } from "../../data/root.js"
import { opened, trail } from "../../data/trail.js"
import { useKeys } from "../../keys/Keys.js"
import { Link } from "../../parts/Link.js"
import { TimeButton } from "../../parts/Time.js"
import { count } from "../../text/Numbers.js"
import { Jump } from "./Jump.js"
import { type GroupIds, groupPathOf, placeIn, reportPath } from "./paths.js"
import type { ShownGroup } from "./ShownGroup.js"

interface Props {
  readonly ids: GroupIds
  readonly tab: string
  readonly item: string
  readonly group: ShownGroup | undefined
  readonly report: ReportDetail | undefined
}

export const Tabs = ({ group, ids, item, report, tab }: Props) => {
  useGroupKeys(ids)
  const isReport = tab === "" || (tab === "reports" && item !== "")
  return (
    <div class="tabs">
      <nav aria-label="Parts of the group">
        <Tab to={groupPathOf(ids)} isCurrent={isReport}>
          Report
        </Tab>
        <Tab
          to={groupPathOf(ids, "/reports")}
          isCurrent={tab === "reports" && item === ""}
          total={group?.reports_count}
        >
          Reports
        </Tab>
        <Tab to={groupPathOf(ids, "/tags")} isCurrent={tab === "tags"}>
          Tags
        </Tab>
        <Tab to={groupPathOf(ids, "/notes")} isCurrent={tab === "notes"} total={group?.notes_count}>
          Notes
        </Tab>
        <Tab to={groupPathOf(ids, "/merges")} isCurrent={tab === "merges"}>
          Merges
        </Tab>
      </nav>
      {isReport && <Walk ids={ids} report={report} lastAt={group?.last_occurred_at ?? ""} />}
    </div>
  )
}

// internal

const Tab = ({
  children,
  isCurrent,
  to,
  total,
}: {
  readonly to: string
  readonly isCurrent: boolean
  readonly total?: number | undefined
  readonly children: string
}) => (
  <Link to={to} aria-current={isCurrent ? "page" : undefined}>
    {children}
    {total !== undefined && <span class="num"> {count(total)}</span>}
  </Link>
)

/** Links to the first, previous, next and last report, empty until the report is loaded. Neighbors are preloaded. */
const Walk = ({
  ids,
  lastAt,
  report,
}: {
  readonly ids: GroupIds
  readonly report: ReportDetail | undefined
  /** Time of the latest occurrence, by the latest poll. */
  readonly lastAt: string
}) => {
  const { route } = useLocation()
  const { first_id = null, last_id = null, next_id = null, previous_id = null } = report?.navigation ?? {}
  useEffect(() => {
    prefetchReport(ids.projectId, ids.groupId, previous_id)
    prefetchReport(ids.projectId, ids.groupId, next_id)
  }, [report?.id])
  const pathOf = (id: number | null) => (id === null || id === report?.id ? null : reportPath(ids, id))
  const go = (id: number | null) => {
    if (id !== null) route(href(reportPath(ids, id)))
  }
  useKeys("Reports", [
    { key: "n", label: "Next report", run: () => go(next_id) },
    { key: "p", label: "Previous report", run: () => go(previous_id) },
  ])
  const isOutdated = report !== undefined && next_id === null && lastAt > report.occurred_at
  return (
    <nav class="walk" aria-label="Reports of the group">
      <Jump to={pathOf(first_id)} name="Oldest report" sign="«" />
      <Jump to={pathOf(previous_id)} name="Previous report (p)" sign="‹" letter="p" />
      <span class="walk-time">
        {report !== undefined && <TimeButton value={report.occurred_at} isAbsolute />}
        {report?.navigation !== undefined && next_id === null && !isOutdated && (
          <span class="faint"> · newest</span>
        )}
        {report?.navigation !== undefined && previous_id === null && <span class="faint"> · oldest</span>}
      </span>
      {isOutdated && (
        <button type="button" class="chip" onClick={() => refreshReports(ids.projectId, ids.groupId)}>
          newer reports
        </button>
      )}
      <Jump to={pathOf(next_id)} name="Next report (n)" sign="›" letter="n" />
      <Jump to={pathOf(last_id)} name="Newest report" sign="»" />
    </nav>
  )
}

/** On in the list, and back to it. */
const useGroupKeys = (ids: GroupIds): void => {
  const { route } = useLocation()
  const from = trail.value
  const place = placeIn(from, ids)
  useEffect(() => {
    opened.value = { project_id: ids.projectId, id: ids.groupId }
  }, [ids.projectId, ids.groupId])
  const go = (group: { readonly project_id: number; readonly id: number } | undefined) => {
    if (group !== undefined) route(href(groupPathOf({ projectId: group.project_id, groupId: group.id })))
  }
  useKeys("List", [
    { key: "J", label: "Next group of the list", run: () => go(place?.next) },
    { key: "K", label: "Previous group of the list", run: () => go(place?.previous) },
    {
      key: "u",
      label: "Back to the list",
      run: () =>
        route(from !== null && place !== null ? from.href : href(`projects/${ids.projectId}/groups`)),
    },
  ])
}
