/** `errata groups`: lists, shows and changes groups. */
import type { GroupView, MergeView, SearchHintView } from "@errata/api"
import { GroupSort } from "@errata/core/group"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { usageError } from "../ErrorOutput.js"
import { printable } from "../Table.js"
import { apiCommand, projectCommand } from "./ApiCommand.js"
import {
  checkFormat,
  given,
  groupArgument,
  idArgument,
  markdownOption,
  optionalNumber,
  optionalText,
  pageOptions,
  periodOf,
  periodOptions,
  projectOption,
  textArgument,
} from "./ApiOptions.js"
import { groupLines, stateText, usersText } from "./GroupText.js"
import { type ListColumn, list as listing } from "./Listing.js"
import { age, momentFrom, relative } from "./Moments.js"
import { note, print, printJson } from "./Output.js"
import { lastReportLines } from "./ReportText.js"
import { type Client, show } from "./Session.js"
import { findAssignee, type NameOf, userNames } from "./UserReference.js"
import { assigneeColumns } from "./UserText.js"

const titleOf = (type: string, message: string): string =>
  [type, message.split("\n", 1)[0]].filter(Boolean).join(": ")

/**
 * A terminal has the room for ERROR first: at 80 columns, the culprit is omitted. A list sorted by users always shows
 * them.
 */
const columnsFor = (sort: Option.Option<GroupSort.GroupSort>): ReadonlyArray<ListColumn<GroupView>> => [
  { title: "ID", align: "right", of: ({ id }) => String(id) },
  { title: "SEVERITY", omit: 3, of: ({ severity }) => severity },
  {
    title: "ERROR",
    flexible: true,
    main: true,
    of: (group) => titleOf(group.error_type, group.error_message),
  },
  { title: "CULPRIT", flexible: true, least: 20, omit: 1, of: ({ culprit }) => culprit },
  { title: "SEEN", align: "right", of: (group, now) => age(group.last_occurred_at, now) },
  { title: "COUNT", align: "right", of: (group) => String(group.reports_count) },
  {
    title: "USERS",
    align: "right",
    of: usersText,
    ...(!Option.contains(sort, "users_count") && { omit: 2 }),
  },
  { title: "STATE", omit: 4, of: stateText },
]

/** With the project's name, if the caller can see another project too. */
const withProject = (columns: ReadonlyArray<ListColumn<GroupView>>, client: Client, project: number) =>
  Effect.gen(function* () {
    const { projects } = yield* client.projects.list({ limit: 2 })
    if (projects.length < 2) return columns
    const { name } = projects.find(({ id }) => id === project) ?? (yield* client.projects.get(project))
    return [...columns, { title: "PROJECT", flexible: true, of: () => name }]
  })

const list = projectCommand(
  "list",
  "List, filter and search the groups of a project",
  {
    query: Argument.String("query").pipe(
      Argument.atLeast(0),
      Argument.withDescription(
        "Search expression, e.g. is:unresolved severity:error environment:production tags.browser:Firefox timeout",
      ),
    ),
    status: Flag.Literals("status", ["unresolved", "resolved", "muted", "unmuted", "all"]).pipe(
      Flag.optional,
      Flag.withDescription("List only groups in this state"),
    ),
    resolved: Flag.Literals("resolved", ["true", "false"]).pipe(
      Flag.optional,
      Flag.withDescription("List only resolved groups (true) or unresolved groups (false)"),
    ),
    sort: Flag.Literals("sort", GroupSort.groupSorts).pipe(
      Flag.optional,
      Flag.withDescription(
        "Order by id (newest, the default), by last report, or by number of reports or users",
      ),
    ),
    ...periodOptions,
    ...pageOptions,
  },
  function* (choice, { client, project }) {
    const order = {
      ...given({ sort: choice.sort }),
      // Columns have no room for environments and releases.
      ...(choice.json && { include: "last_report" as const }),
    }
    const filter = {
      ...(choice.query.length > 0 && { query: choice.query.join(" ") }),
      ...given({ status: choice.status, resolved: choice.resolved }),
      ...(yield* periodOf(choice)),
    }
    const columns = columnsFor(choice.sort)
    yield* listing({
      choice,
      columns: choice.json ? columns : yield* withProject(columns, client, project),
      empty: Object.keys(filter).length === 0 ? "No groups." : "No groups match.",
      page: (query) => client.groups.list(project, { ...filter, ...order, ...query }),
      items: ({ groups }) => groups,
      notes: choice.query.length === 0 ? null : ({ hints = [] }) => hints.map(hintText),
      stream: (query) => client.groups.stream(project, { ...filter, ...order, ...query }),
    })
  },
)

const get = projectCommand(
  "get",
  "Show a group and the stack of its latest report",
  { group: groupArgument, ...markdownOption },
  function* (choice, { client, markdown, project }) {
    yield* checkFormat(choice)
    const group = yield* client.groups.get(project, choice.group)
    if (choice.markdown) return yield* print(yield* markdown(`/projects/${project}/groups/${group.id}`))
    if (choice.json) return yield* printJson(group)
    const nameOf = yield* userNames(client)
    yield* show(choice, group, (group, now) => groupLines(group, now, nameOf))
    const { reports } = yield* client.reports.list(project, group.id, { limit: 1 })
    const [last] = reports
    if (last === undefined) return
    const report = yield* client.reports.get(project, group.id, last.id)
    yield* show(choice, report, lastReportLines)
  },
)

const groupIds = idArgument("group", "Ids of the groups").pipe(Argument.atLeast(1))

const inRelease = optionalText(
  "in-release",
  "Release that has the fix, a version or next: reports of older releases do not reopen the groups",
)

const resolve = projectCommand(
  "resolve",
  "Resolve groups, also in a release that has the fix",
  { groups: groupIds, inRelease },
  function* (choice, { client, project }) {
    const how = given({ in_release: choice.inRelease })
    yield* change(choice, "Resolved", {
      one: (id) => client.groups.resolve(project, id, how),
      many: (ids) => client.groups.bulkResolve(project, ids, undefined, how),
    })
  },
)

/** A command that changes groups, several with one request. */
const changing = (
  verb: string,
  done: string,
  description: string,
  calls: (groups: Client["groups"], project: number) => Change,
) =>
  projectCommand(verb, description, { groups: groupIds }, function* (choice, { client, project }) {
    yield* change(choice, done, calls(client.groups, project))
  })

const unresolve = changing("unresolve", "Reopened", "Reopen groups", (groups, project) => ({
  one: (id) => groups.unresolve(project, id),
  many: (ids) => groups.bulkUnresolve(project, ids),
}))

const mute = apiCommand(
  "mute",
  "Mute groups: indefinitely, for a number of reports, until a time, or until the next release",
  {
    groups: groupIds,
    reports: optionalNumber("reports", "End the mute after this number of further reports"),
    until: optionalText(
      "until",
      "End the mute at a date, an ISO 8601 timestamp, or after a time span like 12h or 7d",
    ),
    untilRelease: Flag.Literals("until-release", ["next"]).pipe(
      Flag.optional,
      Flag.withDescription("End the mute with the first report of a release that is first seen later"),
    ),
    ...projectOption,
  },
  function* (choice, { client, projectId }) {
    const { reports, until, untilRelease } = choice
    const ends: ReadonlyArray<Option.Option<unknown>> = [reports, until, untilRelease]
    if (ends.filter(Option.isSome).length > 1) {
      return yield* usageError(
        "A mute ends after a number of reports, at a time, or with the next release. Give one of --reports, --until and --until-release.",
      )
    }
    const project = yield* projectId(choice.project)
    const condition = {
      ...given({ occurrences: choice.reports }),
      ...(Option.isSome(choice.until) && {
        snooze_until: yield* momentFrom("--until", choice.until.value, "future"),
      }),
    }
    if (Object.keys(condition).length === 0) {
      const how = given({ until_release: choice.untilRelease })
      return yield* change(choice, "Muted", {
        one: (group) => client.groups.mute(project, group, how),
        many: (groups) => client.groups.bulkMute(project, groups, undefined, how),
      })
    }
    // The API has no bulk request for mutes until a time or for a number of reports.
    for (const group of choice.groups) {
      yield* client.groups.mute(project, group, condition)
      yield* note(`Muted group ${group}.`)
    }
  },
)

const unmute = changing("unmute", "Unmuted", "Unmute groups", (groups, project) => ({
  one: (id) => groups.unmute(project, id),
  many: (ids) => groups.bulkUnmute(project, ids),
}))

const merge = projectCommand(
  "merge",
  "Merge groups into another",
  {
    target: idArgument("target", "Id of the group to merge into"),
    sources: idArgument("source", "Ids of the groups to merge into it").pipe(Argument.atLeast(1)),
  },
  function* (choice, { client, project }) {
    const answer = yield* client.groups.bulkMerge(project, choice.target, choice.sources)
    if (choice.json) return yield* printJson(answer)
    const rest = new Set(choice.sources).size - answer.processed
    yield* note(`Merged ${counted(answer.processed)} into ${answer.merged_into_id}.${skipped(rest)}`)
    const { muted_until_reports_count: count } = answer
    if (count !== undefined) yield* note(`Its mute now ends at ${count} reports.`)
  },
)

const mergeColumns = (nameOf: NameOf): ReadonlyArray<ListColumn<MergeView>> => [
  { title: "ID", align: "right", of: ({ id }) => String(id) },
  { title: "GROUP", align: "right", of: ({ source_id }) => String(source_id) },
  {
    title: "ERROR",
    flexible: true,
    main: true,
    of: (merge) => titleOf(merge.source_error_type, merge.source_error_message),
  },
  { title: "INTO", align: "right", of: ({ target_id }) => String(target_id) },
  { title: "BY", flexible: true, of: ({ merged_by }) => (merged_by === null ? "" : nameOf(merged_by)) },
  { title: "MERGED", of: ({ merged_at }, now) => relative(merged_at, now) },
]

const merges = projectCommand(
  "merges",
  "List the merges into a group",
  { group: groupArgument, ...pageOptions },
  function* (choice, { client, project }) {
    yield* listing({
      choice,
      columns: mergeColumns(choice.json ? String : yield* userNames(client)),
      empty: "No groups were merged into this group.",
      page: (query) => client.merges.list(project, choice.group, query),
      items: ({ merges }) => merges,
      stream: (query) => client.merges.stream(project, choice.group, query),
    })
  },
)

const unmerge = projectCommand(
  "unmerge",
  "Undo a merge, so that the merged group is separate again",
  {
    group: groupArgument,
    merge: idArgument("merge", "Id of the merge, as errata groups merges lists it"),
  },
  function* (choice, { client, project }) {
    yield* client.merges.undo(project, choice.group, choice.merge)
    yield* note(`Undid merge ${choice.merge}.`)
  },
)

const assign = projectCommand(
  "assign",
  "Assign a group to a user with access to its project",
  {
    group: groupArgument,
    user: textArgument("user", "Id or name of the user. Admins may give the email address instead"),
  },
  function* (choice, { client, project }) {
    const user = yield* findAssignee(client, project, choice.user)
    yield* client.groups.assign(project, choice.group, user)
    yield* note(`Assigned group ${choice.group} to user ${user}.`)
  },
)

const assignees = projectCommand(
  "assignees",
  "List the possible assignees of groups",
  pageOptions,
  function* (choice, { client, project }) {
    yield* listing({
      choice,
      columns: assigneeColumns,
      empty: "No users.",
      page: (query) => client.assignees.list(project, query),
      items: ({ assignees }) => assignees,
      stream: (query) => client.assignees.stream(project, query),
    })
  },
)

const unassign = projectCommand(
  "unassign",
  "Remove the assignee of a group",
  { group: groupArgument },
  function* (choice, { client, project }) {
    yield* client.groups.unassign(project, choice.group)
    yield* note(`Unassigned group ${choice.group}.`)
  },
)

export const groups = Command.make("groups").pipe(
  Command.withDescription("Find, resolve, mute, merge and assign groups of reports"),
  Command.withSubcommands([
    list,
    get,
    resolve,
    unresolve,
    mute,
    unmute,
    merge,
    merges,
    unmerge,
    assign,
    unassign,
    assignees,
  ]),
)

// internal

type Groups = Client["groups"]

interface Change {
  readonly one: (group: number) => ReturnType<Groups["resolve"] | Groups["mute"]>
  readonly many: (groups: ReadonlyArray<number>) => ReturnType<Groups["bulkResolve"]>
}

/**
 * Changes one group with its own request, which reports a missing group. Changes several with one request, which skips
 * groups that need no change.
 */
const change = (
  choice: { readonly groups: ReadonlyArray<number>; readonly json: boolean },
  done: string,
  { many, one }: Change,
) =>
  Effect.gen(function* () {
    const ids = Array.from(new Set(choice.groups))
    const [first] = ids
    if (ids.length === 1 && first !== undefined) {
      yield* one(first)
      return yield* note(`${done} group ${first}.`)
    }
    const answer = yield* many(ids)
    if (choice.json) return yield* printJson(answer)
    yield* note(`${done} ${counted(answer.processed)}.${skipped(ids.length - answer.processed)}`)
  })

const hintText = ({ did_you_mean: meant, token }: SearchHintView): string =>
  printable(
    `${token} is not a filter or a tag of the project, so it was searched as text.${meant === null ? "" : ` Did you mean ${meant}?`}`,
  )

const skipped = (count: number): string =>
  count === 0 ? "" : ` Skipped ${counted(count)}: not in this project, or no change needed.`

const counted = (count: number): string => `${count} ${count === 1 ? "group" : "groups"}`
