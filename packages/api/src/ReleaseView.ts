/** A release as the API shows it. */
import type { CountedRelease } from "@errata/core"
import { Schema } from "effect"
import { described, named, Timestamp } from "./Json.js"

const when = (description: string) => described(description, Schema.NullOr(Timestamp))

const what = (description: string) => described(description, Schema.NullOr(Schema.String))

/** A release, as REST shows it. */
export const ReleaseView = Schema.Struct({
  id: described("Id of the release, as in reports", Schema.Int),
  project_id: described("Id of the project", Schema.Int),
  version: described("Version, as applications and build tools send it", Schema.String),
  status: described(
    "State of the release. Archived releases are hidden",
    Schema.Literals(["open", "archived"]),
  ),
  ref: what("Source of the build, such as a branch, or null"),
  url: what("URL of a page about the release, or null"),
  reports_count: described("Number of stored reports. New reports are counted within seconds", Schema.Int),
  groups_count: described("Number of groups with reports of the release", Schema.Int),
  new_groups_count: described("Number of groups whose first report is of the release", Schema.Int),
  first_seen_at: when("Time at which the first report arrived, or null"),
  last_seen_at: when("Hour in which the last report was recorded, or null"),
  started_at: when("Start time of the release, or null"),
  released_at: when("Time of publication, or null"),
  commits_count: described("Number of commits that a build tool sent", Schema.Int),
  last_commit: what("Id of the newest commit, or null"),
  deploys_count: described("Number of deploys", Schema.Int),
  last_deployed_at: when("Time of the last deploy, or null"),
  created_at: described("Time at which an event or a build tool first sent the release", Timestamp),
  updated_at: described("Time at which a build tool last sent the release", Timestamp),
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
  id: release.id,
  project_id: release.projectId,
  version: release.version,
  status: release.status,
  ref: release.ref,
  url: release.url,
  reports_count: figures.reports,
  groups_count: figures.groups,
  new_groups_count: figures.newGroups,
  first_seen_at: release.firstSeenAt,
  last_seen_at: release.lastSeenAt,
  started_at: release.startedAt,
  released_at: release.releasedAt,
  commits_count: release.commitsCount,
  last_commit: release.lastCommit,
  deploys_count: release.deploysCount,
  last_deployed_at: release.lastDeployedAt,
  created_at: release.createdAt,
  updated_at: release.updatedAt,
})
