/** What is decided about groups, and what is written on them. Each change can say why, and both happen or none. */
import {
  type AccessibleGroups,
  type GroupId,
  Groups,
  maxIds,
  Notes,
  readMute,
  Triage,
  UserId,
} from "@errata/core"
import { DateTime, Effect, Schema } from "effect"
import { described, Flag, Id, Integer, ids, optional, Text } from "../Fields.js"
import { groupState, groupStateOf, NoteJson, noteJson } from "../GroupJson.js"
import { noted, noteField } from "../Result.js"
import { changing, type Tool } from "../Tool.js"

const group_id = described("The group", Id)
const note = optional("Why, in a sentence or two; becomes a note on the group", Text)
const why = described("Why, in a sentence or two; becomes a note on the group", Text)
const names = { content: "note" }

// With a note on each group, once for every call.
const annotated = { destructive: false, idempotent: false }

const resolveGroup = changing(
  {
    name: "resolve_group",
    title: "Resolve a group",
    description: "Marks a group as resolved, with a note that says what fixed it. A new report reopens it.",
    input: { group_id, note: why },
    output: groupState,
    names,
    handle: (input) =>
      changeOne(input.group_id, input.note, (groups, at) => groups.resolve(at.project, at.id)),
  },
  annotated,
)

const unresolveGroup = changing(
  {
    name: "unresolve_group",
    title: "Reopen a group",
    description: "Marks a resolved group as unresolved again.",
    input: { group_id, note },
    output: groupState,
    names,
    handle: (input) =>
      changeOne(input.group_id, input.note, (groups, at) => groups.unresolve(at.project, at.id)),
  },
  annotated,
)

const muteGroup = changing(
  {
    name: "mute_group",
    title: "Mute a group",
    description:
      "Stops notifications about a group: for ever, until a moment, or for a number of further reports. " +
      "With both, the number of reports wins.",
    input: {
      group_id,
      note,
      snooze_until: optional("When they resume: a date or an ISO 8601 timestamp in the future", Text),
      occurrences: optional("After how many more reports they resume", Id),
    },
    output: groupState,
    names,
    handle: (input) =>
      Effect.flatMap(readMute({ occurrences: input.occurrences, until: input.snooze_until }), (request) =>
        changeOne(input.group_id, input.note, (groups, at) => groups.mute(at.project, at.id, request)),
      ),
  },
  annotated,
)

const unmuteGroup = changing(
  {
    name: "unmute_group",
    title: "Unmute a group",
    description: "Lets a group notify again.",
    input: { group_id, note },
    output: groupState,
    names,
    handle: (input) =>
      changeOne(input.group_id, input.note, (groups, at) => groups.unmute(at.project, at.id)),
  },
  annotated,
)

const assignGroup = changing(
  {
    name: "assign_group",
    title: "Assign a group",
    description: "Says who is to see to a group: an active user with access to its project.",
    input: { group_id, user_id: described("The user", Id), note },
    output: groupState,
    names,
    handle: (input) =>
      changeOne(input.group_id, input.note, (groups, at) =>
        groups.assign(at.project, at.id, UserId.make(input.user_id)),
      ),
  },
  annotated,
)

const unassignGroup = changing(
  {
    name: "unassign_group",
    title: "Take a group from its assignee",
    description: "Leaves a group to nobody in particular.",
    input: { group_id, note },
    output: groupState,
    names,
    handle: (input) =>
      changeOne(input.group_id, input.note, (groups, at) => groups.unassign(at.project, at.id)),
  },
  annotated,
)

const group_ids = described(`The groups, at most ${maxIds}`, ids(maxIds))

const bulkOutput = {
  processed: described("How many groups were changed; the others needed no change", Integer),
  skipped_group_ids: described(
    "Those that were not found or that you have no access to",
    Schema.Array(Integer),
  ),
}

const bulkResolveGroups = changing(
  {
    name: "bulk_resolve_groups",
    title: "Resolve many groups",
    description: "Resolves groups, also of several projects, with one note on each.",
    input: { group_ids, note: why },
    output: bulkOutput,
    names,
    handle: (input) =>
      changeMany(input.group_ids, input.note, (groups, { groupIds, project }) =>
        groups.resolveMany(project, null, groupIds),
      ),
  },
  annotated,
)

const bulkMuteGroups = changing(
  {
    name: "bulk_mute_groups",
    title: "Mute many groups",
    description: "Mutes groups for ever, also of several projects.",
    input: { group_ids, note },
    output: bulkOutput,
    names,
    handle: (input) =>
      changeMany(input.group_ids, input.note, (groups, { groupIds, project }) =>
        groups.muteMany(project, null, groupIds),
      ),
  },
  annotated,
)

const mergeGroups = changing(
  {
    name: "merge_groups",
    title: "Merge groups",
    description:
      "Makes groups part of another one of the same project, which shows their reports as its own from then on.",
    input: { target_group_id: described("The group that stays", Id), group_ids },
    output: {
      processed: described("How many groups were merged", Integer),
      merged_into_id: described("The group that they are part of now", Integer),
    },
    handle: (input) =>
      Effect.gen(function* () {
        const triage = yield* Triage
        const groups = yield* Groups
        const { groupId, project } = yield* triage.group("groups.change", input.target_group_id)
        const { mergedIntoId, processed } = yield* groups.merge(project, groupId, input.group_ids)
        return { processed, merged_into_id: mergedIntoId }
      }),
  },
  { destructive: true, idempotent: false },
)

const addNote = changing(
  {
    name: "add_note",
    title: "Write a note",
    description: "Writes a note on a group, for the people who work with it.",
    input: { group_id, content: described("The text, at most 10,000 characters", Text) },
    output: { ...noteField, note: NoteJson },
    handle: (input) =>
      Effect.gen(function* () {
        const triage = yield* Triage
        const notes = yield* Notes
        const { groupId, project } = yield* triage.group("groups.change", input.group_id)
        return { ...noted, note: noteJson(yield* notes.create(project, groupId, input.content)) }
      }),
  },
  annotated,
)

const deleteNote = changing(
  {
    name: "delete_note",
    title: "Delete a note",
    description: "Deletes a note for good; for its author and for admins.",
    input: { note_id: described("The note", Id) },
    output: { note_id: Integer, deleted: Flag },
    handle: (input) =>
      Effect.gen(function* () {
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

/** Changes a group together with its note, and answers how the group stands then. */
const changeOne = <A, E, R>(
  id: number,
  content: string | undefined,
  change: (groups: Groups, place: Place) => Effect.Effect<A, E, R>,
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

/** Changes the groups that the caller may change, project by project, and tells which they are not. */
const changeMany = <E, R>(
  ids: ReadonlyArray<number>,
  content: string | undefined,
  change: (groups: Groups, found: AccessibleGroups<"groups.change">) => Effect.Effect<number, E, R>,
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
