/** The state of a group in words. Pure functions. */
import type { Group, Note } from "@errata/api/promise"
import { counted } from "../../text/Numbers.js"
import { dateTime, duration, type Zone } from "../../text/Times.js"

/** Returns how a group is muted, e.g. `muted for 2 h`; null if it is not. */
export const muteText = (group: Group, now: number, zone: Zone = "local"): string | null => {
  if (!group.muted) return null
  const { muted_at, muted_until, muted_until_reports_count, project_muted_until, reports_count } = group
  if (group.muted_until_release != null) return "muted until the next release"
  if (muted_at === null) {
    return project_muted_until === null
      ? "project muted"
      : `project muted until ${dateTime(project_muted_until, zone)}`
  }
  if (muted_until !== null) {
    const left = Date.parse(muted_until) - now
    return left > 0 ? `muted for ${duration(left)}` : "muted"
  }
  if (muted_until_reports_count !== null) {
    return `muted for ${counted(Math.max(1, muted_until_reports_count - reports_count), "more report")}`
  }
  return "muted"
}

/** Returns the release in which a group was reopened (empty if unknown), or null. Notes are newest first. */
export const reopenedIn = (group: Group, notes: ReadonlyArray<Note>): string | null => {
  if (group.reopened_at === null) return null
  for (const { automated, content } of notes) {
    const reopened = automated && /^Reopened by a new report(?: in release ([\s\S]*))?$/.exec(content)
    if (reopened) return reopened[1] ?? ""
  }
  return ""
}
