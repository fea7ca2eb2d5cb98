/** Tools that read groups and notes. */
import {
  type GroupFilter,
  GroupSort,
  Groups,
  Notes,
  Reports,
  Severity,
  Triage,
  ValidationError,
  WebAddress,
} from "@errata/core"
import type { GroupListParameters } from "@errata/core/internal"
import { DateTime, Effect, Schema } from "effect"
import { described, Flag, Id, Integer, oneOf, optional, pageFields, present, shape, Text } from "../Fields.js"
import {
  GroupDetailJson,
  GroupJson,
  groupDetailJson,
  groupJson,
  NoteJson,
  noteJson,
  untrustedOfGroup,
  untrustedOfListed,
  untrustedOfNote,
} from "../GroupJson.js"
import { fitted, pageOutput, pageRequest, untrusted, untrustedFields } from "../Result.js"
import { reading, type Tool } from "../Tool.js"

const HintJson = shape({ token: Text, did_you_mean: Text })

const listGroups = reading({
  name: "list_groups",
  title: "List and search groups",
  description:
    "Lists the groups of a project, newest first. Omits severities info and debug unless you name a severity. " +
    'Example query: is:unresolved release:1.2.3 tags.tenant:acme "a phrase" timeout',
  input: {
    project_id: Id,
    query: optional(Text, "Filters and words, all of which must match"),
    status: optional(oneOf("unresolved", "resolved", "muted", "unmuted", "all")),
    resolved: optional(Flag, "Only resolved or only unresolved groups"),
    severity: optional(Text, "Comma-separated: fatal, error, warning, info, debug"),
    since: optional(Text, "Earliest last report: date, ISO 8601 time, or span such as 24h"),
    until: optional(Text, "Latest last report"),
    sort: optional(oneOf(...GroupSort.groupSorts), "Order"),
    ...pageFields,
  },
  names: { until: "until" },
  output: {
    groups: Schema.Array(GroupJson),
    ...pageOutput,
    hints: optional(Schema.Array(HintJson), "Misspelled filters"),
  },
  handle: Effect.fnUntraced(function* (input) {
    const triage = yield* Triage
    const groups = yield* Groups
    const reports = yield* Reports
    const project = yield* triage.project("groups.read", input.project_id)
    const { filter, hints } = yield* groups.filterOf(project, {
      ...input,
      ...(input.resolved !== undefined && { resolved: String(input.resolved) }),
    } as GroupListParameters.GroupListTexts)
    const levels = yield* levelsOf(input.severity)
    const page = yield* groups.list(project, withSeverities(filter, levels), {
      ...pageRequest(input),
      sort: input.sort,
    })
    const latest = yield* reports.latestOf(page.items)
    const now = yield* DateTime.now
    const address = yield* WebAddress
    const { items, next } = fitted(page, (group) => groupJson(group, now, address, latest.get(group.id)))
    return {
      ...untrustedFields(...untrustedOfListed),
      groups: items,
      ...next,
      ...(hints.length > 0 && {
        hints: hints.map(({ didYouMean, token }) =>
          present<typeof HintJson.Type>({ token: untrusted(token, 100), did_you_mean: didYouMean }),
        ),
      }),
    }
  }),
})

const getGroup = reading({
  name: "get_group",
  title: "Get a group",
  description:
    "Returns a group with its assignee, grouping and newest report ids. get_investigation_context returns more.",
  input: { group_id: Id },
  output: {
    group: GroupDetailJson,
    recent_report_ids: described("Newest first", Schema.Array(Integer)),
  },
  handle: Effect.fnUntraced(function* ({ group_id }) {
    const triage = yield* Triage
    const { groupId, project } = yield* triage.group("groups.read", group_id)
    const { group, recentReportIds } = yield* triage.investigate(project, groupId)
    return {
      ...untrustedFields(...untrustedOfGroup, "grouping"),
      group: groupDetailJson(group, yield* DateTime.now, yield* WebAddress),
      recent_report_ids: recentReportIds,
    }
  }),
})

const listNotes = reading({
  name: "list_notes",
  title: "List notes",
  description: "Lists the notes on a group, newest first.",
  input: { group_id: Id, ...pageFields },
  output: { notes: Schema.Array(NoteJson), ...pageOutput },
  handle: Effect.fnUntraced(function* (input) {
    const triage = yield* Triage
    const notes = yield* Notes
    const { groupId, project } = yield* triage.group("groups.read", input.group_id)
    const page = yield* notes.list(project, groupId, pageRequest(input))
    const { items, next } = fitted(page, (note) => noteJson(note))
    return { ...untrustedFields(...untrustedOfNote), notes: items, ...next }
  }),
})

export const groupReadingTools: ReadonlyArray<Tool> = [listGroups, getGroup]
export const noteReadingTools: ReadonlyArray<Tool> = [listNotes]

// internal

/** The severities that a list has by default. */
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
