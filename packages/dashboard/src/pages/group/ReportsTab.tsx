/** The reports of a group, newest first, page by page. */

import { useState } from "preact/hooks"
import { useLocation } from "preact-iso/router"
import { useQuery } from "../../data/query.js"
import { type Range, reportsQuery } from "../../data/report.js"
import { Link } from "../../parts/Link.js"
import { Problem } from "../../parts/Problem.js"
import { Skeleton } from "../../parts/Skeleton.js"
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
          <Pages key={`${since}-${until}`} ids={ids} range={range} />
        </table>
      </div>
    </>
  )
}

// internal

/** The pages that are loaded. Cursors belong to a range: another range starts at its first page. */
const Pages = ({ ids, range }: { readonly ids: GroupIds; readonly range: Range }) => {
  const [cursors, setCursors] = useState<ReadonlyArray<number | null>>([null])
  return (
    <tbody>
      {cursors.map((cursor, i) => (
        <Rows
          key={cursor}
          ids={ids}
          range={range}
          cursor={cursor}
          {...(i === cursors.length - 1 ? { onMore: (next: number) => setCursors([...cursors, next]) } : {})}
        />
      ))}
    </tbody>
  )
}

const Rows = ({
  cursor,
  ids,
  onMore,
  range,
}: {
  readonly ids: GroupIds
  readonly range: Range
  readonly cursor: number | null
  readonly onMore?: (cursor: number) => void
}) => {
  const { data, error } = useQuery(reportsQuery(ids.projectId, ids.groupId, range, cursor))
  if (data === undefined) {
    return (
      <tr>
        <td colSpan={5}>
          {error === null ? (
            <Skeleton rows={5} label="the reports" />
          ) : (
            <Problem title="The reports could not be loaded." error={error} />
          )}
        </td>
      </tr>
    )
  }
  const { next_cursor: next, reports } = data
  return (
    <>
      {reports.length === 0 && cursor === null && (
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
      {next !== null && onMore !== undefined && (
        <tr>
          <td colSpan={5}>
            <button type="button" onClick={() => onMore(next)}>
              Older reports
            </button>
          </td>
        </tr>
      )}
    </>
  )
}
