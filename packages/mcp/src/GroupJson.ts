/** Groups and notes in results. */
import {
  activeMutes,
  fingerprint,
  type Group,
  isMuted,
  type ListedGroup,
  muteSource,
  type Note,
} from "@errata/core"
import { type DateTime, Schema } from "effect"
import { AnyObject, described, Flag, Integer, NullableInteger, NullableText, Text } from "./Fields.js"
import { iso, isoOrNull, untrusted, untrustedField } from "./Result.js"

const fields = {
  id: Integer,
  project_id: Integer,
  error_type: Text,
  error_message: Text,
  culprit: Text,
  severity: described("The highest ever seen: fatal, error, warning, info or debug", Text),
  resolved: Flag,
  muted: Flag,
  assignee_id: NullableInteger,
  reports_count: Integer,
  notes_count: Integer,
  first_occurred_at: Text,
  last_occurred_at: Text,
  ...untrustedField,
}

export const GroupJson = Schema.Struct(fields)

export const GroupDetailJson = Schema.Struct({
  ...fields,
  resolved_at: NullableText,
  resolver_id: NullableInteger,
  mute_source: NullableText,
  muted_until: NullableText,
  muted_until_reports_count: NullableInteger,
  fingerprint: Text,
  grouping: described("What its reports have in common, by the method that found it", AnyObject),
})

const untrusted_fields = ["error_type", "error_message", "culprit"]

export const groupJson = (group: ListedGroup, now: DateTime.Utc): typeof GroupJson.Type => ({
  id: group.id,
  project_id: group.projectId,
  error_type: untrusted(group.errorType, 200),
  error_message: untrusted(group.errorMessage),
  culprit: untrusted(group.culprit, 200),
  severity: group.severity,
  resolved: group.resolution !== null,
  muted: isMuted(group, now),
  assignee_id: group.assigneeId,
  reports_count: group.reportsCount,
  notes_count: group.notesCount,
  first_occurred_at: iso(group.firstOccurredAt),
  last_occurred_at: iso(group.lastOccurredAt),
  untrusted_fields,
})

export const groupDetailJson = (group: Group, now: DateTime.Utc): typeof GroupDetailJson.Type => {
  const condition = activeMutes(group, now).mute?.condition
  return {
    ...groupJson(group, now),
    resolved_at: isoOrNull(group.resolution?.at),
    resolver_id: group.resolution?.by ?? null,
    mute_source: muteSource(group, now),
    muted_until: condition?._tag === "Until" ? iso(condition.until) : null,
    muted_until_reports_count: condition?._tag === "UntilReportsCount" ? condition.reportsCount : null,
    fingerprint: fingerprint(group.grouping),
    grouping: groupingJson(group),
    untrusted_fields: [...untrusted_fields, "grouping"],
  }
}

/** The state of a group after a change. */
export const groupState = {
  group_id: Integer,
  project_id: Integer,
  resolved: Flag,
  muted: Flag,
  assignee_id: NullableInteger,
}

export const groupStateOf = (group: Group, now: DateTime.Utc) => ({
  group_id: group.id,
  project_id: group.projectId,
  resolved: group.resolution !== null,
  muted: isMuted(group, now),
  assignee_id: group.assigneeId,
})

export const NoteJson = Schema.Struct({
  id: Integer,
  group_id: Integer,
  content: Text,
  automated: described("Whether Errata wrote it about a change of the group", Flag),
  user_id: NullableInteger,
  user_name: NullableText,
  created_at: Text,
  ...untrustedField,
})

export const noteJson = (note: Note, maximum = 2_000): typeof NoteJson.Type => ({
  id: note.id,
  group_id: note.groupId,
  content: untrusted(note.content, maximum),
  automated: note.automated,
  user_id: note.user?.id ?? null,
  user_name: note.user?.name ?? null,
  created_at: iso(note.createdAt),
  // People who report feedback write notes as well.
  untrusted_fields: ["content", "user_name"],
})

// internal

const groupingJson = ({ grouping: { algorithm, data } }: Group): Readonly<Record<string, unknown>> => {
  switch (data.method) {
    case "exception":
      return { algorithm, method: data.method, type: untrusted(data.type, 200), value: untrusted(data.value) }
    case "backtrace":
      return {
        algorithm,
        method: data.method,
        frames: data.frames.slice(0, 10).map((text) => untrusted(text, 200)),
      }
    case "message":
      return { algorithm, method: data.method, message: untrusted(data.message) }
    case "custom":
      return {
        algorithm,
        method: data.method,
        fingerprint: data.fingerprint.slice(0, 10).map((text) => untrusted(text, 200)),
      }
    case "ungroupable":
      return { algorithm, method: data.method }
  }
}
