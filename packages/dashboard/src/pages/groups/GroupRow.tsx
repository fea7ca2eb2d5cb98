import { useComputed } from "@preact/signals"
import { barsOf } from "../../data/activity.js"
import type { Row } from "../../data/groups.js"
import { useNames } from "../../data/me.js"
import { groupPath } from "../../data/trail.js"
import { SmallBars } from "../../parts/Bars.js"
import { ErrorTitle } from "../../parts/ErrorTitle.js"
import { Link } from "../../parts/Link.js"
import { Severity } from "../../parts/Severity.js"
import { clock, Time } from "../../parts/Time.js"
import { errorTitle } from "../../text/ErrorTitle.js"
import { count, shortCount } from "../../text/Numbers.js"
import { resolvedText } from "../../text/ReleaseText.js"
import { cut, line } from "../../text/SafeText.js"
import { duration } from "../../text/Times.js"
import { type GroupList, rowAt } from "./GroupList.js"

/** A row. It renders again when its group or its tick changes, and not with the list. */
export const GroupRow = ({
  list,
  rowKey,
  project,
}: {
  readonly list: GroupList
  readonly rowKey: string
  /** The name of the project, in lists of several. */
  readonly project: string | null
}) => {
  const isSelected = useComputed(() => list.selected.value.has(rowKey)).value
  const isGone = useComputed(() => list.state.value?.gone.has(rowKey) ?? false).value
  const row = rowAt(rowKey)?.value
  if (row === undefined) return null
  return (
    <li
      class={`row${isSelected ? " selected" : ""}${isGone || row.resolved ? " done" : ""}`}
      onFocusCapture={() => (list.current.value = rowKey)}
    >
      <label class="check">
        <input
          type="checkbox"
          aria-label={`Select ${errorTitle(row)}`}
          checked={isSelected}
          onClick={(event) => {
            if (event.shiftKey) list.extend(rowKey)
            else list.toggle(rowKey)
          }}
        />
      </label>
      <div class="what">
        <div class="title">
          <Severity value={row.severity} />
          <Link to={groupPath(row)} id={`row-${rowKey}`} class="name">
            <ErrorTitle of={row} />
          </Link>
        </div>
        <div class="labels">
          <Labels row={row} isGone={isGone} />
        </div>
        <div class="where">
          {project !== null && <span class="project">{project}</span>}
          <span>{cut(line(row.culprit), 200) || "no location"}</span>
          {[row.last_environment, row.last_release_version].map(
            (text) => text && <span class="origin">{cut(line(text), 100)}</span>,
          )}
        </div>
      </div>
      <div class="trend">
        <Trend row={row} />
      </div>
      <span class="num reports" title={count(row.reports_count)}>
        {shortCount(row.reports_count)}
        <span class="visually-hidden">{row.reports_count === 1 ? " report" : " reports"}</span>
      </span>
      <span class="num users">
        {row.users_count ? (
          <>
            {row.users_count_estimated ? "≈" : ""}
            {shortCount(row.users_count)}
            <span class="visually-hidden">{row.users_count === 1 ? " user" : " users"}</span>
          </>
        ) : (
          "—"
        )}
      </span>
      <span class="num seen">
        <span class="visually-hidden">Last seen </span>
        <Time value={row.last_occurred_at} isShort />
      </span>
    </li>
  )
}

// internal

const day = 86_400_000

/** The bars come later than the row, and change more often. */
const Trend = ({ row }: { readonly row: Row }) => {
  const bars = barsOf(row).value
  return bars !== null && <SmallBars series={bars} />
}

/** A separate component, so that rows without an assignee do not load names. */
const Assignee = ({ id }: { readonly id: number }) => <span class="tag">@{useNames()(id)}</span>

const Labels = ({ row, isGone }: { readonly row: Row; readonly isGone: boolean }) => {
  const isNew = clock.value - Date.parse(row.first_occurred_at) < day
  const isBack = row.reopened_at !== null && clock.value - Date.parse(row.reopened_at) < 7 * day
  const resolved = resolvedText(row)
  return (
    <>
      {resolved !== null ? (
        <span class="tag ok">{resolved}</span>
      ) : isBack ? (
        <span class="tag warn">reopened</span>
      ) : (
        isNew && <span class="tag new">new</span>
      )}
      {row.muted && <span class="tag">{muteText(row)}</span>}
      {row.assignee_id !== null && <Assignee id={row.assignee_id} />}
      {row.notes_count > 0 && (
        <span class="tag" title={`${row.notes_count} notes`}>
          <span aria-hidden="true">✎ </span>
          {row.notes_count}
          <span class="visually-hidden"> notes</span>
        </span>
      )}
      {isGone && !row.resolved && <span class="tag">no longer matches</span>}
    </>
  )
}

const muteText = ({
  muted_until,
  muted_until_release,
  muted_until_reports_count,
  project_muted_until,
  reports_count,
}: Row): string => {
  if (muted_until_release != null) return "muted until the next release"
  const until = muted_until ?? project_muted_until
  if (until !== null) return `muted ${duration(Math.max(0, Date.parse(until) - clock.value))}`
  if (muted_until_reports_count !== null) {
    return `muted, ${shortCount(Math.max(0, muted_until_reports_count - reports_count))} more`
  }
  return "muted"
}
