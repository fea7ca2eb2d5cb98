/** Formats a group for people. */
import type { GroupDetailView, GroupView } from "@errata/api"
import { nextRelease } from "@errata/core/group"
import type { DateTime } from "effect"
import { printable } from "../Table.js"
import { fieldLines } from "./Detail.js"
import { absolute } from "./Moments.js"
import type { NameOf } from "./UserReference.js"

/** Returns the state: `open`, `resolved`, `muted`, or `resolved, muted`. */
export const stateText = (group: Pick<GroupView, "resolved" | "muted">): string =>
  [group.resolved ? "resolved" : "", group.muted ? "muted" : ""].filter(Boolean).join(", ") || "open"

/** Returns the number of affected users, with a mark if it is an estimate. */
export const usersText = (group: Pick<GroupView, "users_count" | "users_count_estimated">): string =>
  `${group.users_count_estimated ? "~" : ""}${group.users_count}`

export const groupLines = (
  group: GroupDetailView,
  now: DateTime.DateTime,
  nameOf: NameOf,
): ReadonlyArray<string> => {
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
      ["Users", usersText(group)],
      ["Notes", group.notes_count === 0 ? null : group.notes_count],
      ["First seen", absolute(group.first_occurred_at, now)],
      ["Last seen", absolute(group.last_occurred_at, now)],
      ["Resolved", group.resolved_at && by(group.resolved_at, group.resolver_id, now, nameOf)],
      ["Resolved in", group.resolved_in_release && releaseText(group.resolved_in_release)],
      ["Reopened", group.reopened_at && absolute(group.reopened_at, now)],
      ["Muted", group.muted_at && by(group.muted_at, group.muter_id, now, nameOf)],
      ["Muted until", muteEnd(group, now)],
      ["Project muted", absolute(group.project_muted_at, now)],
      ["Project muted until", absolute(group.project_muted_until, now)],
      ["Assignee", group.assignee_id === null ? null : nameOf(group.assignee_id)],
      ["Issue", group.issue_url],
      ["Grouped by", group.grouping.data.method],
      ["Fingerprint", group.fingerprint],
      ["Link", group.web_url],
    ]),
  ]
}

// internal

const by = (moment: DateTime.DateTime, user: number | null, now: DateTime.DateTime, nameOf: NameOf): string =>
  `${absolute(moment, now)}${user === null ? "" : ` by ${nameOf(user)}`}`

const releaseText = (release: string): string => (release === nextRelease ? "the next release" : release)

const muteEnd = (group: GroupView, now: DateTime.DateTime): string => {
  if (group.muted_until_reports_count !== null)
    return `${group.muted_until_reports_count} reports are recorded`
  if (group.muted_until_release !== null) return releaseText(group.muted_until_release)
  return absolute(group.muted_until, now)
}
