import type { DateTime } from "effect"
import {
  activeMutes,
  type Group,
  maxExactUsers,
  mutedUntilRelease,
  mutedUntilReportsCount,
  muteSource,
} from "./Group.js"
import { groupUrl } from "./WebUrl.js"

/** Returns the fields of a group that the REST API and webhooks show. `address` is the public URL of the instance. */
export const groupFields = (
  group: Omit<Group, "grouping" | "hasMembers">,
  fingerprint: string,
  now: DateTime.Utc,
  address: string | null,
) => {
  const source = muteSource(group, now)
  const { mute, projectMute } = activeMutes(group, now)
  const condition = mute?.condition
  return {
    id: group.id,
    project_id: group.projectId,
    error_type: group.errorType,
    error_message: group.errorMessage,
    culprit: group.culprit,
    fingerprint,
    severity: group.severity,
    occurred_at: group.lastOccurredAt,
    first_occurred_at: group.firstOccurredAt,
    last_occurred_at: group.lastOccurredAt,
    reports_count: group.reportsCount,
    users_count: group.usersCount,
    users_count_estimated: group.usersCount > maxExactUsers,
    notes_count: group.notesCount,
    resolved_at: group.resolution?.at ?? null,
    resolver_id: group.resolution?.by ?? null,
    resolved_in_release: group.resolution?.inRelease ?? null,
    reopened_at: group.reopenedAt,
    muted_at: mute?.at ?? null,
    muter_id: mute?.by ?? null,
    muted_until: condition?._tag === "Until" ? condition.until : null,
    muted_until_reports_count: mutedUntilReportsCount(mute),
    muted_until_release: mutedUntilRelease(mute),
    project_muted_at: projectMute?.at ?? null,
    project_muted_until: projectMute?.until ?? null,
    mute_source: source,
    resolved: group.resolution !== null,
    muted: source !== null,
    assignee_id: group.assigneeId,
    issue_url: group.issueUrl,
    web_url: groupUrl(address, group),
    created_at: group.createdAt,
    updated_at: group.updatedAt,
  }
}
