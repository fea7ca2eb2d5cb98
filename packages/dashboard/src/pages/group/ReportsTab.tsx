/** The reports of a group, newest first, page by page. */

import type { ReportsPage } from "@errata/api/promise"
import { useLocation } from "preact-iso/router"
import { type Range, reportsQuery } from "../../data/report.js"
import { Link } from "../../parts/Link.js"
import { Pages, rowOf } from "../../parts/Pages.js"
import { Time, zone } from "../../parts/Time.js"
import { cut, line } from "../../text/SafeText.js"
import { dateTime } from "../../text/Times.js"
import { type GroupIds, groupPathOf, reportPath } from "./paths.js"

export const ReportsTab = ({ ids }: { readonly ids: GroupIds }) => {
  const { since, until } = useLocation().query
  const range: Range = { ...(since && { since }), ...(until && { until }) }
  return (
    <>
      {(range.since !== undefined || range.until !== undefined) && (
        <p class="range">
          Reports
          {range.since !== undefined && ` from ${dateTime(range.since, zone.value)}`}
          {range.until !== undefined && ` until ${dateTime(range.until, zone.value)}`}.{" "}
          <Link to={groupPathOf(ids, "/reports")}>Show all</Link>
        </p>
      )}
      <div class="card reports">
        <table class="values">
          <thead>
            <tr>
              <th scope="col">Time</th>
              <th scope="col">Message</th>
              <th scope="col">Environment</th>
              <th scope="col">Release</th>
              <th scope="col">Server</th>
            </tr>
          </thead>
          <tbody>
            <Pages
              key={`${since}-${until}`}
              queryOf={(cursor) => reportsQuery(ids.projectId, ids.groupId, range, cursor)}
              name="reports"
              rows={5}
              more="Older reports"
              entry={rowOf(5)}
            >
              {({ reports }, isFirst) => <Rows ids={ids} range={range} reports={reports} isFirst={isFirst} />}
            </Pages>
          </tbody>
        </table>
      </div>
    </>
  )
}

// internal

const Rows = ({
  ids,
  isFirst,
  range,
  reports,
}: {
  readonly ids: GroupIds
  readonly range: Range
  readonly reports: ReportsPage["reports"]
  readonly isFirst: boolean
}) => (
  <>
    {reports.length === 0 && isFirst && (
      <tr>
        <td colSpan={5} class="nothing">
          No reports are kept{range.since === undefined ? "" : " of this time"}.
        </td>
      </tr>
    )}
    {reports.map((report) => (
      <tr key={report.id}>
        <td class="nowrap">
          <Link to={reportPath(ids, report.id)}>
            <Time value={report.occurred_at} isAbsolute />
          </Link>
        </td>
        <td>{line(cut(report.error_message || report.error_type, 200))}</td>
        <td>{line(cut(report.environment, 60))}</td>
        <td>{line(cut(report.release_version, 60))}</td>
        <td>{line(cut(report.server_name, 60))}</td>
      </tr>
    ))}
  </>
)
