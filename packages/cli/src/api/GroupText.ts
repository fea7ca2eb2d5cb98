/** Formats a group for people. */
import type { GroupDetailView, GroupView } from "@errata/api"
import { nextRelease } from "@errata/core/group"
import type { DateTime } from "effect"
import { printable } from "../Table.js"
import { fieldLines } from "./Detail.js"
import { absolute } from "./Moments.js"

/** Returns the state: `open`, `resolved`, `muted`, or `resolved, muted`. */
export const stateText = (group: Pick<GroupView, "resolved" | "muted">): string =>
  [group.resolved ? "resolved" : "", group.muted ? "muted" : ""].filter(Boolean).join(", ") || "open"

export const groupLines = (group: GroupDetailView, now: DateTime.DateTime): ReadonlyArray<string> => {
  const [message = "", ...more] = group.error_message.split(/\r?\n/).map(printable)
  return [
    [printable(group.error_type), message].filter(Boolean).join(": "),
    ...more,
    "",
    ...fieldLines([
      ["Group", group.id],
      ["Project", group.project_id],
      ["State", stateText(group)],
      ["Severity", group.severity],
      ["Culprit", group.culprit],
      ["Reports", group.reports_count],
      ["Notes", group.notes_count === 0 ? null : group.notes_count],
      ["First seen", absolute(group.first_occurred_at, now)],
      ["Last seen", absolute(group.last_occurred_at, now)],
      ["Resolved", group.resolved_at && by(group.resolved_at, group.resolver_id, now)],
      ["Resolved in", group.resolved_in_release && releaseText(group.resolved_in_release)],
      ["Muted", group.muted_at && by(group.muted_at, group.muter_id, now)],
      ["Muted until", muteEnd(group, now)],
      ["Project muted", absolute(group.project_muted_at, now)],
      ["Project muted until", absolute(group.project_muted_until, now)],
      ["Assignee", group.assignee_id === null ? null : `user ${group.assignee_id}`],
      ["Issue", group.issue_url],
      ["Grouped by", group.grouping.data.method],
      ["Fingerprint", group.fingerprint],
      ["Link", group.web_url],
    ]),
  ]
}

// internal

const by = (moment: DateTime.DateTime, user: number | null, now: DateTime.DateTime): string =>
  `${absolute(moment, now)}${user === null ? "" : ` by user ${user}`}`

const releaseText = (release: string): string => (release === nextRelease ? "the next release" : release)

const muteEnd = (group: GroupView, now: DateTime.DateTime): string => {
  if (group.muted_until_reports_count !== null)
    return `${group.muted_until_reports_count} reports are recorded`
  if (group.muted_until_release !== null) return releaseText(group.muted_until_release)
  return absolute(group.muted_until, now)
}
