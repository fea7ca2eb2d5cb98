/** `errata apps`: sets of projects. */
import type { AppView } from "@errata/api"
import { type DateTime, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { usageError } from "../ErrorOutput.js"
import { toggle } from "../Toggle.js"
import { apiCommand } from "./ApiCommand.js"
import { optionalText, pageOptions, textArgument } from "./ApiOptions.js"
import { fieldLines } from "./Detail.js"
import { type ListColumn, list as listing } from "./Listing.js"
import { absolute, relative } from "./Moments.js"
import { note } from "./Output.js"
import { type Client, findId, findProject, show } from "./Session.js"

const columns: ReadonlyArray<ListColumn<AppView>> = [
  { title: "ID", align: "right", of: ({ id }) => String(id) },
  { title: "NAME", flexible: true, of: ({ name }) => name },
  { title: "PROJECTS", flexible: true, of: (app) => app.project_ids.join(", ") },
  { title: "CREATED", of: (app, now) => relative(app.created_at, now) },
]

const app = textArgument("app", "Id or exact name of the app")

const projects = Flag.String("project").pipe(Flag.withAlias("p"), Flag.atLeast(0))

const list = apiCommand("list", "List the apps", pageOptions, function* (choice, { client }) {
  yield* listing({
    choice,
    columns,
    empty: "No apps.",
    page: (query) => client.apps.list(query),
    items: ({ apps }) => apps,
    stream: (query) => client.apps.stream(query),
  })
})

const create = apiCommand(
  "create",
  "Create an app (admin)",
  {
    name: textArgument("name", "Name of the app, unique among apps"),
    projects: projects.pipe(
      Flag.withDescription("Id or exact name of a project in the app. May be repeated"),
    ),
  },
  function* (choice, { client }) {
    const ids = yield* Effect.forEach(choice.projects, (text) => findProject(client, text))
    const created = yield* client.apps.create({
      name: choice.name,
      ...(ids.length > 0 && { project_ids: ids }),
    })
    yield* show(choice, created, appLines)
  },
)

const update = apiCommand(
  "update",
  "Rename an app or replace its projects (admin)",
  {
    app,
    name: optionalText("name", "New name"),
    projects: projects.pipe(
      Flag.withDescription("Id or exact name of a project. Replaces the app's projects. May be repeated"),
    ),
    noProjects: toggle("no-projects", "Remove all projects from the app"),
  },
  function* (choice, { client }) {
    const ids = yield* Effect.forEach(choice.projects, (text) => findProject(client, text))
    const changes = {
      ...(Option.isSome(choice.name) && { name: choice.name.value }),
      ...((ids.length > 0 || choice.noProjects) && { project_ids: choice.noProjects ? [] : ids }),
    }
    if (Object.keys(changes).length === 0 || (choice.noProjects && ids.length > 0)) {
      return yield* usageError("Give --name, --project or --no-projects. Do not combine the last two.")
    }
    yield* show(choice, yield* client.apps.update(yield* findApp(client, choice.app), changes), appLines)
  },
)

const remove = apiCommand(
  "delete",
  "Delete an app, but not its projects (admin)",
  { app },
  function* (choice, { client }) {
    const id = yield* findApp(client, choice.app)
    yield* client.apps.remove(id)
    yield* note(`Deleted app ${id}. Its projects were not deleted.`)
  },
)

export const apps = Command.make("apps").pipe(
  Command.withDescription("Manage apps, which are sets of projects"),
  Command.withSubcommands([list, create, update, remove]),
)

// internal

const appLines = (answer: AppView, now: DateTime.DateTime): ReadonlyArray<string> =>
  fieldLines([
    ["App", answer.name],
    ["Id", answer.id],
    ["Projects", answer.project_ids.join(", ") || "none"],
    ["Created", absolute(answer.created_at, now)],
  ])

const findApp = (client: Client, text: string) =>
  findId(
    text,
    client.apps.stream(),
    ({ name }) => name === text,
    `this API key has access to no app named "${text}"`,
  )
