/** `errata releases`: versions, and what was recorded of them. */
import { Args, Command } from "@effect/cli"
import type { ReleaseView } from "@errata/api"
import { type DateTime, Effect } from "effect"
import { CommandFailed, exitCodes } from "../ErrorOutput.js"
import { connectionOptions, pageOptions, projectOption } from "./ApiOptions.js"
import { fieldLines } from "./Detail.js"
import { type ListColumn, list as listing } from "./Listing.js"
import { absolute, relative } from "./Moments.js"
import { connected, show } from "./Session.js"

const columns: ReadonlyArray<ListColumn<ReleaseView>> = [
  { title: "ID", align: "right", of: ({ id }) => String(id) },
  {
    title: "VERSION",
    flexible: true,
    of: ({ status, version }) => (status === "open" ? version : `${version} (archived)`),
  },
  { title: "REPORTS", align: "right", of: (release) => String(release.reports_count) },
  { title: "NEW GROUPS", align: "right", of: (release) => String(release.new_groups_count) },
  { title: "FIRST SEEN", of: ({ first_seen_at: at }, now) => (at === null ? "" : relative(at, now)) },
  { title: "RELEASED", of: ({ released_at: at }, now) => (at === null ? "" : relative(at, now)) },
]

const list = Command.make("list", { ...pageOptions, ...projectOption, ...connectionOptions }, (choice) =>
  connected(choice, ({ client, projectId }) =>
    Effect.flatMap(projectId(choice.project), (project) =>
      listing({
        choice,
        columns,
        empty: "No releases.",
        page: (query) => client.releases.list(project, query),
        items: ({ releases }) => releases,
        stream: (query) => client.releases.stream(project, query),
      }),
    ),
  ),
).pipe(Command.withDescription("List the releases of a project"))

const get = Command.make(
  "get",
  {
    release: Args.text({ name: "release" }).pipe(
      Args.withDescription("The version, or the release's id as listed"),
    ),
    ...projectOption,
    ...connectionOptions,
  },
  (choice) =>
    connected(choice, ({ client, projectId }) =>
      Effect.gen(function* () {
        const project = yield* projectId(choice.project)
        // A version can look like an id.
        const [named] = (yield* client.releases.list(project, { version: choice.release })).releases
        const release =
          named ??
          (/^\d+$/.test(choice.release)
            ? yield* client.releases.get(project, Number(choice.release))
            : yield* new CommandFailed({
                message: `Not found: the project has no release ${choice.release}`,
                exitCode: exitCodes.notFound,
              }))
        yield* show(choice, release, releaseLines)
      }),
    ),
).pipe(Command.withDescription("Show a release with what was recorded of it"))

export const releases = Command.make("releases").pipe(
  Command.withDescription("Versions of applications, as events and build tools tell of them"),
  Command.withSubcommands([list, get]),
)

// internal

const releaseLines = (release: ReleaseView, now: DateTime.DateTime): ReadonlyArray<string> => {
  const when = (at: DateTime.Utc | null) => (at === null ? null : absolute(at, now))
  return fieldLines([
    ["Release", release.version],
    ["ID", release.id],
    ["Status", release.status],
    ["Reports", release.reports_count],
    ["Groups", release.groups_count],
    ["New groups", release.new_groups_count],
    ["First seen", when(release.first_seen_at)],
    ["Last seen", when(release.last_seen_at)],
    ["Started", when(release.started_at)],
    ["Released", when(release.released_at)],
    ["Ref", release.ref],
    ["URL", release.url],
    ["Commits", release.commits_count],
    ["Last commit", release.last_commit],
    ["Deploys", release.deploys_count],
    ["Last deploy", when(release.last_deployed_at)],
    ["Created", when(release.created_at)],
  ])
}
