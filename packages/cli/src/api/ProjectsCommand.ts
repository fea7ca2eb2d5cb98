/** `errata projects`. */
import type { ProjectView } from "@errata/api"
import { type DateTime, Option } from "effect"
import { Command } from "effect/cli"
import { CommandFailed, exitCodes, usageError } from "../ErrorOutput.js"
import { apiCommand } from "./ApiCommand.js"
import {
  given,
  optionalFlag,
  optionalText,
  pageOptions,
  projectArgument,
  textArgument,
} from "./ApiOptions.js"
import { confirm, yesOption } from "./Confirmation.js"
import { type Field, fieldLines, yesNo } from "./Detail.js"
import { type ListColumn, list as listing } from "./Listing.js"
import { absolute, momentFrom, relative } from "./Moments.js"
import { note } from "./Output.js"
import { readProfile, writeProfile } from "./Profile.js"
import { findProject, show } from "./Session.js"

const columns: ReadonlyArray<ListColumn<ProjectView>> = [
  { title: "ID", align: "right", of: ({ id }) => String(id) },
  { title: "NAME", flexible: true, of: ({ name }) => name },
  { title: "PLATFORM", of: ({ platform }) => platform },
  { title: "GROUPS", align: "right", of: (project) => String(project.groups_count) },
  { title: "REPORTS", align: "right", of: (project) => String(project.reports_count) },
  {
    title: "MUTED",
    of: ({ muted, muted_until: until }, now) =>
      muted ? (until === null ? "indefinitely" : `ends ${relative(until, now)}`) : "",
  },
  { title: "CREATED", of: (project, now) => relative(project.created_at, now) },
]

const list = apiCommand(
  "list",
  "List the projects",
  {
    name: optionalText("name", "List only the project with this exact name"),
    ...pageOptions,
  },
  function* (choice, { client }) {
    const filter = given({ name: choice.name })
    yield* listing({
      choice,
      columns,
      empty: "No projects.",
      page: (query) => client.projects.list({ ...filter, ...query }),
      items: ({ projects }) => projects,
      stream: (query) => client.projects.stream({ ...filter, ...query }),
    })
  },
)

const get = apiCommand(
  "get",
  "Show a project and its DSN",
  projectArgument,
  function* (choice, { client, projectId, url }) {
    const project = yield* client.projects.get(yield* projectId(choice.project))
    yield* show(choice, project, (answer, now) => projectLines(answer, now, url))
  },
)

const dsn = apiCommand(
  "dsn",
  "Print the DSN of a project, to configure a Sentry SDK",
  projectArgument,
  function* (choice, { client, projectId, url }) {
    const project = yield* client.projects.get(yield* projectId(choice.project))
    yield* show(choice, { dsn: dsnOf(project, url) }, ({ dsn }) => [dsn])
  },
)

const timezone = optionalText("timezone", "IANA time zone, e.g. Europe/Berlin")

const create = apiCommand(
  "create",
  "Create a project (admin)",
  {
    name: textArgument("name", "Name of the project, unique among projects"),
    platform: optionalText("platform", "Platform of the project, e.g. node. Default: other"),
    timezone,
  },
  function* (choice, { client, url }) {
    const project = yield* client.projects.create({
      name: choice.name,
      ...given({ platform: choice.platform, timezone: choice.timezone }),
    })
    yield* show(choice, project, (answer, now) => projectLines(answer, now, url))
  },
)

const update = apiCommand(
  "update",
  "Rename a project or change its time zone (admin)",
  {
    ...projectArgument,
    name: optionalText("name", "New name"),
    timezone,
  },
  function* (choice, { client, projectId, url }) {
    const changes = given({ name: choice.name, timezone: choice.timezone })
    if (Object.keys(changes).length === 0) {
      return yield* usageError("No change was given. Give --name or --timezone.")
    }
    const project = yield* client.projects.update(yield* projectId(choice.project), changes)
    yield* show(choice, project, (answer, now) => projectLines(answer, now, url))
  },
)

const remove = apiCommand(
  "delete",
  "Delete a project and all its data (admin)",
  {
    project: textArgument("project", "Id or exact name of the project"),
    ...yesOption,
  },
  function* (choice, { client }) {
    const { id, name, reports_count } = yield* client.projects.get(yield* findProject(client, choice.project))
    yield* confirm(choice, `Permanently delete the project "${name}" and its ${reports_count} reports?`)
    yield* client.projects.remove(id)
    yield* note(`Deleted the project "${name}".`)
  },
)

const mute = apiCommand(
  "mute",
  "Mute all existing and new groups of a project (admin)",
  {
    ...projectArgument,
    until: optionalText(
      "until",
      "End of the mute: a date, an ISO 8601 timestamp, or a time span like 12h or 7d. Default: no end",
    ),
  },
  function* (choice, { client, projectId }) {
    const id = yield* projectId(choice.project)
    const until = Option.isSome(choice.until)
      ? yield* momentFrom("--until", choice.until.value, "future")
      : null
    yield* client.projects.mute(id, until === null ? {} : { snooze_until: until })
    yield* note(`Muted project ${id} ${until === null ? "indefinitely" : `until ${until}`}.`)
  },
)

const unmute = apiCommand(
  "unmute",
  "Stop muting new groups of a project (admin)",
  projectArgument,
  function* (choice, { client, projectId }) {
    const id = yield* projectId(choice.project)
    yield* client.projects.unmute(id)
    yield* note(`New groups of project ${id} are no longer muted. Groups that are muted stay muted.`)
  },
)

const settings = apiCommand(
  "settings",
  "Show or change the notification settings of a project (admin)",
  {
    ...projectArgument,
    errorAndFatalOnly: optionalFlag(
      "error-and-fatal-only",
      "Set to true to send webhooks only about groups of severity error and fatal",
    ),
  },
  function* (choice, { client, projectId }) {
    const id = yield* projectId(choice.project)
    const answer = yield* Option.match(choice.errorAndFatalOnly, {
      onNone: () => client.projects.getNotificationSettings(id),
      onSome: (value) =>
        client.projects.updateNotificationSettings(id, { error_and_fatal_notifications_only: value }),
    })
    yield* show(choice, answer, ({ error_and_fatal_notifications_only: only }) =>
      fieldLines([["Only error and fatal", yesNo(only)]]),
    )
  },
)

const use = apiCommand(
  "use",
  "Select the default project",
  { project: textArgument("project", "Id or exact name of the project") },
  function* (choice, { client, url }) {
    const { id, name } = yield* client.projects.get(yield* findProject(client, choice.project))
    const profile = Option.filter(yield* readProfile, (known) => known.url === url)
    if (Option.isNone(profile)) {
      return yield* new CommandFailed({
        message: `No profile exists for ${url}. Log in first with errata login --url ${url}.`,
        exitCode: exitCodes.denied,
      })
    }
    // The id, because names can change.
    yield* writeProfile({ ...profile.value, project: String(id) })
    yield* note(`The default project is "${name}" (${id}).`)
  },
)

export const projects = Command.make("projects").pipe(
  Command.withDescription("Manage projects"),
  Command.withSubcommands([list, get, create, update, remove, mute, unmute, settings, dsn, use]),
)

// internal

const projectLines = (project: ProjectView, now: DateTime.DateTime, url: string): ReadonlyArray<string> => {
  const fields: ReadonlyArray<Field> = [
    ["Project", project.name],
    ["Id", project.id],
    ["Platform", project.platform],
    ["Time zone", project.timezone],
    ["DSN", dsnOf(project, url)],
    ["Groups", project.groups_count],
    ["Reports", project.reports_count],
    ["Muted", mutedText(project, now)],
    ["Created", absolute(project.created_at, now)],
  ]
  return fieldLines(fields)
}

const mutedText = (project: ProjectView, now: DateTime.DateTime): string => {
  if (!project.muted) return ""
  return project.muted_until === null ? "indefinitely" : `until ${absolute(project.muted_until, now)}`
}

const dsnOf = (project: ProjectView, url: string): string => {
  const { host, pathname, protocol } = new URL(url)
  return `${protocol}//${project.token}@${host}${pathname.replace(/\/$/, "")}/${project.id}`
}
