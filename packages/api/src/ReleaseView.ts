/** A release as the API shows it. */
import type { CountedRelease, ReleaseAppearance } from "@errata/core"
import { Schema, Struct } from "effect"
import { int, text, textOrNull, time, timeOrNull, viewOf } from "./Fields.js"
import { described, named } from "./Json.js"

/** A release, as REST shows it. */
export const ReleaseView = Schema.Struct({
  id: int("Id of the release, as in reports"),
  project_id: int("Id of the project"),
  version: text("Version, as applications and build tools send it"),
  status: described(
    "State of the release. Archived releases are hidden",
    Schema.Literals(["open", "archived"]),
  ),
  ref: textOrNull("Source of the build, such as a branch, or null"),
  url: textOrNull("URL of a page about the release, or null"),
  reports_count: int("Number of stored reports. New reports are counted within seconds"),
  groups_count: int("Number of groups with reports of the release"),
  new_groups_count: int("Number of groups whose first report is of the release"),
  first_seen_at: timeOrNull("Time at which the first report arrived, or null"),
  last_seen_at: timeOrNull("Hour in which the last report was recorded, or null"),
  started_at: timeOrNull("Start time of the release, or null"),
  released_at: timeOrNull("Time of publication, or null"),
  commits_count: int("Number of commits that a build tool sent"),
  last_commit: textOrNull("Id of the newest commit, or null"),
  deploys_count: int("Number of deploys"),
  last_deployed_at: timeOrNull("Time of the last deploy, or null"),
  created_at: time("Time at which an event or a build tool first sent the release"),
  updated_at: time("Time at which a build tool last sent the release"),
}).pipe(
  named("Release", {
    id: 12,
    project_id: 1,
    version: "shop@1.4.0",
    status: "open",
    ref: null,
    url: "https://ci.example.com/builds/77",
    reports_count: 250,
    groups_count: 4,
    new_groups_count: 1,
    first_seen_at: "2026-01-01T08:20:00.000Z",
    last_seen_at: "2026-01-05T09:30:00.000Z",
    started_at: "2026-01-01T08:00:00.000Z",
    released_at: "2026-01-01T08:05:00.000Z",
    commits_count: 3,
    last_commit: "2303f1d0c9c1d4ad0cd6b5dcb9a4c9f8a4b2e1aa",
    deploys_count: 1,
    last_deployed_at: "2026-01-01T08:10:00.000Z",
    created_at: "2026-01-01T08:00:00.000Z",
    updated_at: "2026-01-01T08:10:00.000Z",
  }),
)
export type ReleaseView = typeof ReleaseView.Type

export const releaseView = ({ figures, release }: CountedRelease): ReleaseView => ({
  ...plainOf(release),
  reports_count: figures.reports,
  groups_count: figures.groups,
  new_groups_count: figures.newGroups,
})

/** A release at the time at which it appeared, as REST shows it. */
export const ReleaseAppearanceView = Schema.Struct({
  id: int("Id of the release"),
  version: text("Version, as applications and build tools send it"),
  appeared_at: time(
    "Time of the last deploy, else of the first report, else at which a build tool first sent the release",
  ),
}).pipe(
  named("ReleaseAppearance", { id: 12, version: "shop@1.4.0", appeared_at: "2026-01-01T08:10:00.000Z" }),
)

/** The newest releases, as REST shows them. */
export const NewestReleasesView = Schema.Struct({
  releases: described(
    "The open ones of the newest 50 releases, last appearance first",
    Schema.Array(ReleaseAppearanceView),
  ),
}).pipe(
  named("NewestReleases", {
    releases: [{ id: 12, version: "shop@1.4.0", appeared_at: "2026-01-01T08:10:00.000Z" }],
  }),
)

export const releaseAppearanceView: (release: ReleaseAppearance) => typeof ReleaseAppearanceView.Type =
  viewOf(ReleaseAppearanceView.fields)

// internal

const plainOf = viewOf(Struct.omit(ReleaseView.fields, ["reports_count", "groups_count", "new_groups_count"]))
