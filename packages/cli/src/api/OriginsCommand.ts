/** `errata origins`: origins from which Errata may fetch source maps. */
import type { SourcemapOriginView } from "@errata/api"
import { Effect, Option, Stream } from "effect"
import { Argument, Command } from "effect/cli"
import { CommandFailed, exitCodes } from "../ErrorOutput.js"
import { connectionOptions, pageOptions, projectOption } from "./ApiOptions.js"
import { type ListColumn, list as listing } from "./Listing.js"
import { relative } from "./Moments.js"
import { note } from "./Output.js"
import { inProject, show } from "./Session.js"

const columns: ReadonlyArray<ListColumn<SourcemapOriginView>> = [
  { title: "ID", align: "right", of: ({ id }) => String(id) },
  { title: "ORIGIN", flexible: true, of: ({ origin }) => origin },
  { title: "CREATED", of: (origin, now) => relative(origin.created_at, now) },
]

const list = Command.make("list", { ...pageOptions, ...projectOption, ...connectionOptions }, (choice) =>
  inProject(choice, ({ client, project }) =>
    listing({
      choice,
      columns,
      empty: "No origins.",
      page: (query) => client.sourcemapOrigins.list(project, query),
      items: (page) => page.hosted_sourcemap_origins,
      stream: (query) => client.sourcemapOrigins.stream(project, query),
    }),
  ),
).pipe(
  Command.withDescription(
    "List the origins from which Errata may fetch the source maps of a project (admin)",
  ),
)

const create = Command.make(
  "create",
  {
    origin: Argument.String("origin").pipe(
      Argument.withDescription("Public HTTPS origin, e.g. https://cdn.example.com"),
    ),
    ...projectOption,
    ...connectionOptions,
  },
  (choice) =>
    inProject(choice, ({ client, project }) =>
      Effect.gen(function* () {
        const created = yield* client.sourcemapOrigins.create(project, { origin: choice.origin })
        if (choice.json) yield* show(choice, created, () => [])
        else yield* note(`Authorized origin ${created.origin} (${created.id}).`)
      }),
    ),
).pipe(Command.withDescription("Authorize an origin for a project (admin)"))

const remove = Command.make(
  "delete",
  {
    origin: Argument.String("origin").pipe(Argument.withDescription("The origin or its id, as listed")),
    ...projectOption,
    ...connectionOptions,
  },
  (choice) =>
    inProject(choice, ({ client, project }) =>
      Effect.gen(function* () {
        const id = /^\d+$/.test(choice.origin)
          ? Number(choice.origin)
          : yield* client.sourcemapOrigins.stream(project).pipe(
              Stream.filter(({ origin }) => origin === choice.origin.replace(/\/$/, "")),
              Stream.runHead,
              Effect.flatMap(
                Option.match({
                  onNone: () =>
                    new CommandFailed({
                      message: `Not found: the project has no origin ${choice.origin}`,
                      exitCode: exitCodes.notFound,
                    }),
                  onSome: (origin) => Effect.succeed(origin.id),
                }),
              ),
            )
        yield* client.sourcemapOrigins.remove(project, id)
        yield* note(`Deleted origin ${id}.`)
      }),
    ),
).pipe(Command.withDescription("Remove an origin and the source maps fetched from it (admin)"))

export const origins = Command.make("origins").pipe(
  Command.withDescription("Manage the origins from which Errata may fetch source maps"),
  Command.withSubcommands([list, create, remove]),
)
