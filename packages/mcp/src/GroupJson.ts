/** Groups and notes in results. */
import {
  activeMutes,
  type Group,
  groupUrl,
  isMuted,
  type ListedGroup,
  mutedUntilRelease,
  mutedUntilReportsCount,
  muteSource,
  type Note,
} from "@errata/core"
import type { LatestReport } from "@errata/core/ports"
import type { DateTime } from "effect"
import { AnyObject, described, extending, Flag, Integer, optional, present, shape, Text } from "./Fields.js"
import { iso, isoOrNull, untrusted } from "./Result.js"

const fields = {
  id: Integer,
  error_type: Text,
  error_message: Text,
  culprit: Text,
  severity: described("Highest of its reports", Text),
  resolved: Flag,
  muted: Flag,
  assignee_id: Integer,
  reopened_at: Text,
  reports_count: Integer,
  users_count: described("Affected users, estimated above 1,000", Integer),
  notes_count: Integer,
  first_occurred_at: Text,
  last_occurred_at: Text,
  web_url: Text,
}

const detailFields = {
  project_id: Integer,
  issue_url: Text,
  resolved_at: Text,
  resolver_id: Integer,
  resolved_in_release: Text,
  mute_source: Text,
  muted_until: Text,
  muted_until_reports_count: Integer,
  muted_until_release: Text,
  grouping: described("Shared by its reports", AnyObject),
}

const fieldsOfLatest = { last_environment: Text, last_release_version: Text }

export const GroupJson = shape({ ...fields, ...fieldsOfLatest })
export const GroupDetailJson = extending("list_groups", shape({ ...fields, ...detailFields }), detailFields)

/** Fields of groups that contain text of applications. */
export const untrustedOfGroup = ["error_type", "error_message", "culprit"]
export const untrustedOfListed = [...untrustedOfGroup, ...Object.keys(fieldsOfLatest)]

export const groupJson = (
  group: ListedGroup,
  now: DateTime.Utc,
  address: string | null,
  latest: LatestReport | undefined,
): typeof GroupJson.Type =>
  present<typeof GroupJson.Type>({
    ...listed(group, now, address),
    error_message: untrusted(group.errorMessage, 200),
    last_environment: untrusted(latest?.environment ?? "", 100),
    last_release_version: untrusted(latest?.releaseVersion ?? "", 200),
  })

/** A group similar to another one: same project and type of error. */
export const similarGroupJson = (group: ListedGroup): typeof GroupJson.Type => ({
  id: group.id,
  error_message: untrusted(group.errorMessage, 200),
  culprit: untrusted(group.culprit, 200),
  reports_count: group.reportsCount,
  last_occurred_at: iso(group.lastOccurredAt),
})

export const groupDetailJson = (
  group: Group,
  now: DateTime.Utc,
  address: string | null,
): typeof GroupDetailJson.Type => {
  const { mute } = activeMutes(group, now)
  return present<typeof GroupDetailJson.Type>({
    ...listed(group, now, address),
    project_id: group.projectId,
    issue_url: group.issueUrl,
    resolved_at: isoOrNull(group.resolution?.at),
    resolver_id: group.resolution?.by ?? null,
    resolved_in_release: group.resolution?.inRelease ?? null,
    mute_source: muteSource(group, now),
    muted_until: mute?.condition._tag === "Until" ? iso(mute.condition.until) : null,
    muted_until_reports_count: mutedUntilReportsCount(mute),
    muted_until_release: mutedUntilRelease(mute),
    grouping: groupingJson(group),
  })
}

/** The state of a group after a change. */
export const groupState = {
  group_id: Integer,
  resolved: Flag,
  muted: Flag,
  assignee_id: optional(Integer),
}

export const groupStateOf = (group: Group, now: DateTime.Utc) => ({
  group_id: group.id,
  resolved: group.resolution !== null,
  muted: isMuted(group, now),
  ...(group.assigneeId !== null && { assignee_id: group.assigneeId }),
})

export const NoteJson = shape({
  id: Integer,
  group_id: Integer,
  content: Text,
  automated: described("Written by Errata", Flag),
  user_id: Integer,
  user_name: Text,
  created_at: Text,
})

/** Fields of notes that contain text of strangers: users of applications can write notes as feedback. */
export const untrustedOfNote = ["content", "user_name"]

export const noteJson = (note: Note, maximum = 2_000): typeof NoteJson.Type =>
  present<typeof NoteJson.Type>({
    id: note.id,
    group_id: note.groupId,
    content: untrusted(note.content, maximum),
    automated: note.automated,
    user_id: note.user?.id ?? null,
    user_name: note.user?.name ?? null,
    created_at: iso(note.createdAt),
  })

// internal

const listed = (group: ListedGroup, now: DateTime.Utc, address: string | null) => ({
  id: group.id,
  error_type: untrusted(group.errorType, 200),
  error_message: untrusted(group.errorMessage),
  culprit: untrusted(group.culprit, 200),
  severity: group.severity,
  resolved: group.resolution !== null,
  muted: isMuted(group, now),
  assignee_id: group.assigneeId,
  reopened_at: isoOrNull(group.reopenedAt),
  reports_count: group.reportsCount,
  users_count: group.usersCount,
  notes_count: group.notesCount === 0 ? null : group.notesCount,
  first_occurred_at: iso(group.firstOccurredAt),
  last_occurred_at: iso(group.lastOccurredAt),
  web_url: groupUrl(address, group),
})

/** The evidence of the method that grouped the reports, without the type of the error: the group has that. */
const groupingJson = ({ grouping: { data } }: Group): Readonly<Record<string, unknown>> => {
  const { method } = data
  switch (method) {
    case "exception":
      return { method, value: untrusted(data.value, 200) }
    case "backtrace":
      return { method, frames: data.frames.slice(0, maxParts).map((text) => untrusted(text, 200)) }
    case "message":
      return { method, message: untrusted(data.message, 200) }
    case "custom":
      return { method, fingerprint: data.fingerprint.slice(0, maxParts).map((text) => untrusted(text, 200)) }
    case "ungroupable":
      return { method }
  }
}

const maxParts = 3
