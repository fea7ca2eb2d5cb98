/**
 * Tools that change groups and notes. A change and its note are one transaction. Most are not idempotent, since every call
 * adds a note.
 */
import { type AccessibleGroups, type GroupId, Groups, Notes, Triage, UserId } from "@errata/core"
import { maxIds, readMute } from "@errata/core/internal"
import { DateTime, Effect, Schema } from "effect"
import { asIn, described, Flag, Id, Integer, ids, optional, Text } from "../Fields.js"
import { groupState, groupStateOf, NoteJson, noteJson, untrustedOfNote } from "../GroupJson.js"
import { untrustedFields } from "../Result.js"
import { changing, type Tool } from "../Tool.js"

const note = optional(Text)
const requiredNote = described("Reason or fix", Text)
const in_release = optional(Text, "Release with the fix: a version, or next")
const names = { content: "note", inRelease: "in_release", untilRelease: "until_release" }

const until_release = optional(Text, "next: until a new release")

const resolveGroup = changing({
  name: "resolve_group",
  title: "Resolve a group",
  description:
    "Resolves a group. A new report reopens it, with in_release only one of that or a newer release.",
  input: { group_id: Id, note: requiredNote, in_release },
  output: groupState,
  names,
  handle: (input) =>
    changeOne(input.group_id, input.note, (groups, at) =>
      groups.resolve(at.project, at.id, input.in_release),
    ),
})

const unresolveGroup = changing({
  name: "unresolve_group",
  title: "Reopen a group",
  description: "Reopens a resolved group.",
  input: { group_id: Id, note },
  output: groupState,
  names,
  handle: (input) =>
    changeOne(input.group_id, input.note, (groups, at) => groups.unresolve(at.project, at.id)),
})

const muteGroup = changing({
  name: "mute_group",
  title: "Mute a group",
  description:
    "Stops notifications about a group, by default permanently. occurrences takes precedence over snooze_until.",
  input: {
    group_id: Id,
    note,
    snooze_until: optional(Text, "End of the mute: date, ISO 8601 time, or span such as 24h"),
    occurrences: optional(Id, "Number of reports until the mute ends"),
    until_release,
  },
  output: groupState,
  names,
  handle: (input) =>
    Effect.flatMap(
      readMute({
        occurrences: input.occurrences,
        until: input.snooze_until,
        untilRelease: input.until_release,
      }),
      (request) =>
        changeOne(input.group_id, input.note, (groups, at) => groups.mute(at.project, at.id, request)),
    ),
})

const unmuteGroup = changing({
  name: "unmute_group",
  title: "Unmute a group",
  description: "Resumes notifications about a group.",
  input: { group_id: Id, note },
  output: groupState,
  names,
  handle: (input) => changeOne(input.group_id, input.note, (groups, at) => groups.unmute(at.project, at.id)),
})

const assignGroup = changing({
  name: "assign_group",
  title: "Assign a group",
  description: "Assigns a group to a user. list_project_users returns the users.",
  input: { group_id: Id, user_id: Id, note },
  output: groupState,
  names,
  handle: (input) =>
    changeOne(input.group_id, input.note, (groups, at) =>
      groups.assign(at.project, at.id, UserId.make(input.user_id)),
    ),
})

const unassignGroup = changing({
  name: "unassign_group",
  title: "Unassign a group",
  description: "Removes the assignee of a group.",
  input: { group_id: Id, note },
  output: groupState,
  names,
  handle: (input) =>
    changeOne(input.group_id, input.note, (groups, at) => groups.unassign(at.project, at.id)),
})

const bulkOutput = {
  processed: described("Number of changed groups", Integer),
  skipped_group_ids: described("Groups not found or access denied", Schema.Array(Integer)),
}

const bulkResolveGroups = changing({
  name: "bulk_resolve_groups",
  title: "Resolve many groups",
  description: "Resolves groups of one or more projects.",
  input: { group_ids: ids(maxIds), note: requiredNote, in_release },
  output: bulkOutput,
  names,
  handle: (input) =>
    changeMany(input.group_ids, input.note, (groups, { groupIds, project }) =>
      groups.resolveMany(project, null, groupIds, input.in_release),
    ),
})

const bulkMuteGroups = changing({
  name: "bulk_mute_groups",
  title: "Mute many groups",
  description: "Mutes groups of one or more projects, by default permanently.",
  input: { group_ids: ids(maxIds), note, until_release },
  output: bulkOutput,
  names,
  handle: (input) =>
    Effect.flatMap(readMute({ untilRelease: input.until_release }), (request) =>
      changeMany(input.group_ids, input.note, (groups, { groupIds, project }) =>
        groups.muteMany(project, null, groupIds, request),
      ),
    ),
})

const mergeGroups = changing(
  {
    name: "merge_groups",
    title: "Merge groups",
    description: "Merges groups into a target group of the same project, which then contains their reports.",
    input: { target_group_id: Id, group_ids: ids(maxIds) },
    output: {
      processed: described("Number of merged groups", Integer),
      merged_into_id: Integer,
      muted_until_reports_count: optional(Integer),
    },
    handle: Effect.fnUntraced(function* (input) {
      const triage = yield* Triage
      const groups = yield* Groups
      const { groupId, project } = yield* triage.group("groups.change", input.target_group_id)
      const merged = yield* groups.merge(project, groupId, input.group_ids)
      return {
        processed: merged.processed,
        merged_into_id: merged.mergedIntoId,
        ...(merged.movedMute !== null && { muted_until_reports_count: merged.movedMute }),
      }
    }),
  },
  { destructive: true },
)

const addNote = changing({
  name: "add_note",
  title: "Add a note",
  description: "Adds a note to a group.",
  input: { group_id: Id, content: described("Text, at most 10,000 characters", Text) },
  output: { note: asIn("list_notes", NoteJson) },
  handle: Effect.fnUntraced(function* (input) {
    const triage = yield* Triage
    const notes = yield* Notes
    const { groupId, project } = yield* triage.group("groups.change", input.group_id)
    return {
      ...untrustedFields(...untrustedOfNote),
      note: noteJson(yield* notes.create(project, groupId, input.content)),
    }
  }),
})

const deleteNote = changing(
  {
    name: "delete_note",
    title: "Delete a note",
    description: "Deletes a note permanently. Only its author and admins can.",
    input: { note_id: Id },
    output: { note_id: Integer, deleted: Flag },
    handle: Effect.fnUntraced(function* (input) {
      const triage = yield* Triage
      const notes = yield* Notes
      const { groupId, noteId, project } = yield* triage.note(input.note_id)
      yield* notes.remove(project, groupId, noteId)
      return { note_id: noteId, deleted: true }
    }),
  },
  { destructive: true, idempotent: true },
)

export const triageTools: ReadonlyArray<Tool> = [
  resolveGroup,
  unresolveGroup,
  muteGroup,
  unmuteGroup,
  bulkResolveGroups,
  bulkMuteGroups,
  mergeGroups,
  assignGroup,
  unassignGroup,
  addNote,
  deleteNote,
]

// internal

interface Place {
  readonly project: AccessibleGroups<"groups.change">["project"]
  readonly id: GroupId
}

/** Changes a group, adds the note, and returns the new state. */
const changeOne = <A, E, R>(
  id: number,
  content: string | undefined,
  change: (groups: Groups["Service"], place: Place) => Effect.Effect<A, E, R>,
) =>
  Effect.gen(function* () {
    const triage = yield* Triage
    const groups = yield* Groups
    const { groupId, project } = yield* triage.group("groups.change", id)
    yield* triage.explained(
      { project, groupIds: [groupId] },
      content,
      change(groups, { project, id: groupId }),
    )
    const readable = yield* triage.group("groups.read", id)
    return groupStateOf(yield* groups.get(readable.project, groupId), yield* DateTime.now)
  })

/** Changes the groups that the caller may change, project by project, and returns the ids of the others. */
const changeMany = <E, R>(
  ids: ReadonlyArray<number>,
  content: string | undefined,
  change: (
    groups: Groups["Service"],
    found: AccessibleGroups<"groups.change">,
  ) => Effect.Effect<number, E, R>,
) =>
  Effect.gen(function* () {
    const triage = yield* Triage
    const groups = yield* Groups
    const found = yield* triage.groups("groups.change", ids)
    const processed = yield* Effect.forEach(found, (each) =>
      triage.explained(each, content, change(groups, each)),
    )
    const known = new Set<number>(found.flatMap(({ groupIds }) => groupIds))
    return {
      processed: processed.reduce((sum, count) => sum + count, 0),
      skipped_group_ids: ids.filter((id) => !known.has(id)),
    }
  })
