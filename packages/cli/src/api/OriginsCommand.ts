/** `errata origins`: origins from which Errata may fetch source maps. */
import type { SourcemapOriginView } from "@errata/api"
import { Command } from "effect/cli"
import { projectCommand } from "./ApiCommand.js"
import { pageOptions, textArgument } from "./ApiOptions.js"
import { type ListColumn, list as listing } from "./Listing.js"
import { relative } from "./Moments.js"
import { note, printJson } from "./Output.js"
import { findId } from "./Session.js"

const columns: ReadonlyArray<ListColumn<SourcemapOriginView>> = [
  { title: "ID", align: "right", of: ({ id }) => String(id) },
  { title: "ORIGIN", flexible: true, of: ({ origin }) => origin },
  { title: "CREATED", of: (origin, now) => relative(origin.created_at, now) },
]

const list = projectCommand(
  "list",
  "List the origins from which Errata may fetch the source maps of a project (admin)",
  pageOptions,
  function* (choice, { client, project }) {
    yield* listing({
      choice,
      columns,
      empty: "No origins.",
      page: (query) => client.sourcemapOrigins.list(project, query),
      items: (page) => page.hosted_sourcemap_origins,
      stream: (query) => client.sourcemapOrigins.stream(project, query),
    })
  },
)

const create = projectCommand(
  "create",
  "Authorize an origin for a project (admin)",
  {
    origin: textArgument("origin", "Public HTTPS origin, e.g. https://cdn.example.com"),
  },
  function* (choice, { client, project }) {
    const created = yield* client.sourcemapOrigins.create(project, { origin: choice.origin })
    if (choice.json) yield* printJson(created)
    else yield* note(`Authorized origin ${created.origin} (${created.id}).`)
  },
)

const remove = projectCommand(
  "delete",
  "Remove an origin and the source maps fetched from it (admin)",
  { origin: textArgument("origin", "The origin or its id, as listed") },
  function* (choice, { client, project }) {
    const id = yield* findId(
      choice.origin,
      client.sourcemapOrigins.stream(project),
      ({ origin }) => origin === choice.origin.replace(/\/$/, ""),
      `the project has no origin ${choice.origin}`,
    )
    yield* client.sourcemapOrigins.remove(project, id)
    yield* note(`Deleted origin ${id}.`)
  },
)

export const origins = Command.make("origins").pipe(
  Command.withDescription("Manage the origins from which Errata may fetch source maps"),
  Command.withSubcommands([list, create, remove]),
)
