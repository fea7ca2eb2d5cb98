/** `errata releases`: versions of applications and their counts. */
import type { ReleaseView } from "@errata/api"
import type { DateTime } from "effect"
import { Command } from "effect/cli"
import { notFound } from "../ErrorOutput.js"
import { projectCommand } from "./ApiCommand.js"
import { pageOptions, textArgument } from "./ApiOptions.js"
import { fieldLines } from "./Detail.js"
import { type ListColumn, list as listing } from "./Listing.js"
import { absolute, relative } from "./Moments.js"
import { show } from "./Session.js"

const columns: ReadonlyArray<ListColumn<ReleaseView>> = [
  { title: "ID", align: "right", of: ({ id }) => String(id) },
  {
    title: "VERSION",
    flexible: true,
    of: ({ status, version }) => (status === "open" ? version : `${version} (archived)`),
  },
  { title: "REPORTS", align: "right", of: (release) => String(release.reports_count) },
  { title: "NEW GROUPS", align: "right", of: (release) => String(release.new_groups_count) },
  { title: "FIRST SEEN", of: ({ first_seen_at: at }, now) => relative(at, now) },
  { title: "RELEASED", of: ({ released_at: at }, now) => relative(at, now) },
]

const list = projectCommand(
  "list",
  "List the releases of a project",
  pageOptions,
  function* (choice, { client, project }) {
    yield* listing({
      choice,
      columns,
      empty: "No releases.",
      page: (query) => client.releases.list(project, query),
      items: ({ releases }) => releases,
      stream: (query) => client.releases.stream(project, query),
    })
  },
)

const get = projectCommand(
  "get",
  "Show a release and its counts",
  {
    release: textArgument("release", "Version of the release, or its id as listed"),
  },
  function* (choice, { client, project }) {
    // A version can have the form of an id.
    const [named] = (yield* client.releases.list(project, { version: choice.release })).releases
    const release =
      named ??
      (/^\d+$/.test(choice.release)
        ? yield* client.releases.get(project, Number(choice.release))
        : yield* notFound(`the project has no release ${choice.release}`))
    yield* show(choice, release, releaseLines)
  },
)

export const releases = Command.make("releases").pipe(
  Command.withDescription("Inspect releases, which are versions of applications"),
  Command.withSubcommands([list, get]),
)

// internal

const releaseLines = (release: ReleaseView, now: DateTime.DateTime): ReadonlyArray<string> =>
  fieldLines([
    ["Release", release.version],
    ["ID", release.id],
    ["Status", release.status],
    ["Reports", release.reports_count],
    ["Groups", release.groups_count],
    ["New groups", release.new_groups_count],
    ["First seen", absolute(release.first_seen_at, now)],
    ["Last seen", absolute(release.last_seen_at, now)],
    ["Started", absolute(release.started_at, now)],
    ["Released", absolute(release.released_at, now)],
    ["Ref", release.ref],
    ["URL", release.url],
    ["Commits", release.commits_count],
    ["Last commit", release.last_commit],
    ["Deploys", release.deploys_count],
    ["Last deploy", absolute(release.last_deployed_at, now)],
    ["Created", absolute(release.created_at, now)],
  ])
