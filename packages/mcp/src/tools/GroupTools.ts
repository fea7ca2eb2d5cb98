/** Looking at groups, and at what is written on them. */
import {
  type GroupFilter,
  type GroupListParameters,
  Groups,
  Notes,
  Severity,
  Triage,
  ValidationError,
} from "@errata/core"
import { DateTime, Effect, Schema } from "effect"
import { described, Flag, Id, Integer, NullableText, oneOf, optional, pageFields, Text } from "../Fields.js"
import { GroupDetailJson, GroupJson, groupDetailJson, groupJson, NoteJson, noteJson } from "../GroupJson.js"
import { fitted, noted, noteField, pageOutput, pageRequest, untrusted } from "../Result.js"
import { reading, type Tool } from "../Tool.js"

const listGroups = reading({
  name: "list_groups",
  title: "List and search groups",
  description:
    "Groups of reports of the same error in a project, newest first. Without a severity, info and debug are left out. " +
    'The query knows filters such as is:unresolved, environment:production, release:1.2.3, "a phrase" and words.',
  input: {
    project_id: described("The project", Id),
    query: optional("A search expression, e.g. is:unresolved environment:production timeout", Text),
    status: optional("Only groups in this state", oneOf("unresolved", "resolved", "muted", "unmuted", "all")),
    resolved: optional("Only groups that are resolved, or are not", Flag),
    severity: optional("Only these levels, of fatal, error, warning, info, debug; several with commas", Text),
    since: optional("Last seen on it or later: a date or an ISO 8601 timestamp", Text),
    until: optional("Last seen on it or earlier", Text),
    ...pageFields,
  },
  names: { until: "until" },
  output: {
    ...pageOutput,
    groups: Schema.Array(GroupJson),
    hints: described(
      "Tokens of the query that have the form of a filter and are text",
      Schema.Array(Schema.Struct({ token: Text, did_you_mean: NullableText })),
    ),
  },
  handle: (input) =>
    Effect.gen(function* () {
      const triage = yield* Triage
      const groups = yield* Groups
      const project = yield* triage.project("groups.read", input.project_id)
      const { filter, hints } = yield* groups.filterOf(project, {
        ...input,
        ...(input.resolved !== undefined && { resolved: String(input.resolved) }),
      } as GroupListParameters.GroupListTexts)
      const levels = yield* levelsOf(input.severity)
      const page = yield* groups.list(project, withSeverities(filter, levels), pageRequest(input))
      const now = yield* DateTime.now
      const { items, ...rest } = fitted(page, (group) => groupJson(group, now))
      return {
        ...noted,
        groups: items,
        ...rest,
        hints: hints.map(({ didYouMean, token }) => ({
          token: untrusted(token, 100),
          did_you_mean: didYouMean,
        })),
      }
    }),
})

const getGroup = reading({
  name: "get_group",
  title: "Get a group",
  description:
    "A group with what its reports have in common, who is to see to it, and the ids of its newest reports. " +
    "To look into an error, get_investigation_context tells more in one call.",
  input: { group_id: described("The group", Id) },
  output: {
    ...noteField,
    group: GroupDetailJson,
    recent_report_ids: described("The newest first", Schema.Array(Integer)),
  },
  handle: ({ group_id }) =>
    Effect.gen(function* () {
      const triage = yield* Triage
      const { groupId, project } = yield* triage.group("groups.read", group_id)
      const { group, recentReportIds } = yield* triage.investigate(project, groupId)
      return {
        ...noted,
        group: groupDetailJson(group, yield* DateTime.now),
        recent_report_ids: recentReportIds,
      }
    }),
})

const listNotes = reading({
  name: "list_notes",
  title: "List the notes on a group",
  description: "What people, and Errata itself, wrote on a group, newest first.",
  input: { group_id: described("The group", Id), ...pageFields },
  output: { ...pageOutput, notes: Schema.Array(NoteJson) },
  handle: (input) =>
    Effect.gen(function* () {
      const triage = yield* Triage
      const notes = yield* Notes
      const { groupId, project } = yield* triage.group("groups.read", input.group_id)
      const page = yield* notes.list(project, groupId, pageRequest(input))
      const { items, ...rest } = fitted(page, (note) => noteJson(note))
      return { ...noted, notes: items, ...rest }
    }),
})

export const groupReadingTools: ReadonlyArray<Tool> = [listGroups, getGroup]
export const noteReadingTools: ReadonlyArray<Tool> = [listNotes]

// internal

/** What is worth a model's words unless it asks for the rest. */
const usual = ["warning", "error", "fatal"] as const

const levelsOf = (
  text: string | undefined,
): Effect.Effect<ReadonlyArray<Severity.Severity> | null, ValidationError> => {
  if (text === undefined) return Effect.succeed(null)
  const wanted = text.split(",").map((level) => level.trim())
  const levels = Severity.severities.filter((level) => wanted.includes(level))
  return wanted.every((level) => levels.some((known) => known === level))
    ? Effect.succeed(levels)
    : ValidationError.of("severity", `must be of ${Severity.severities.toReversed().join(", ")}`)
}

const withSeverities = (
  filter: GroupFilter.GroupFilter,
  asked: ReadonlyArray<Severity.Severity> | null,
): GroupFilter.GroupFilter => {
  const { severities } = filter
  const levels = asked ?? (severities === undefined ? usual : severities)
  return {
    ...filter,
    severities: severities === undefined ? levels : severities.filter((level) => levels.includes(level)),
  }
}
