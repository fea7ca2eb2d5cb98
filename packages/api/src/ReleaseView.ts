/** A release as the API shows it. */
import type { CountedRelease } from "@errata/core"
import { Schema } from "effect"
import { at, described, Timestamp } from "./Json.js"

const when = (description: string) => described(description, Schema.NullOr(Timestamp))

const what = (description: string) => described(description, Schema.NullOr(Schema.String))

export const ReleaseView = Schema.Struct({
  id: described("The release's id, as reports name it", Schema.Int),
  project_id: described("The project of the release", Schema.Int),
  version: described("What applications and build tools call it", Schema.String),
  status: described(
    "Archived ones are those that nobody wants to see any more",
    Schema.Literal("open", "archived"),
  ),
  ref: what("What it was built from, such as a branch; null where nobody said"),
  url: what("Where it is told of; null where nobody said"),
  reports_count: described("Reports of it that are kept; the latest are counted within seconds", Schema.Int),
  groups_count: described("Groups with reports of it", Schema.Int),
  new_groups_count: described("Groups whose first report was of it", Schema.Int),
  first_seen_at: when("When its first report was recorded; null before"),
  last_seen_at: when("When one of its reports was recorded last, to the hour; null before the first"),
  started_at: when("When work on it began; null where nobody said"),
  released_at: when("When it went out; null where nobody said"),
  commits_count: described("Commits that a build tool sent", Schema.Int),
  last_commit: what("The id of its newest commit; null where none is known"),
  deploys_count: described("How often it was put somewhere", Schema.Int),
  last_deployed_at: when("When it was put somewhere last; null where it was not"),
  created_at: described("When it was first told of, by an event or a build tool", Timestamp),
  updated_at: described("When a build tool last told of it", Timestamp),
}).annotations({
  identifier: "Release",
  examples: [
    {
      id: 12,
      project_id: 1,
      version: "shop@1.4.0",
      status: "open",
      ref: null,
      url: "https://ci.example.com/builds/77",
      reports_count: 250,
      groups_count: 4,
      new_groups_count: 1,
      first_seen_at: at("2026-01-01T08:20:00.000Z"),
      last_seen_at: at("2026-01-05T09:30:00.000Z"),
      started_at: at("2026-01-01T08:00:00.000Z"),
      released_at: at("2026-01-01T08:05:00.000Z"),
      commits_count: 3,
      last_commit: "2303f1d0c9c1d4ad0cd6b5dcb9a4c9f8a4b2e1aa",
      deploys_count: 1,
      last_deployed_at: at("2026-01-01T08:10:00.000Z"),
      created_at: at("2026-01-01T08:00:00.000Z"),
      updated_at: at("2026-01-01T08:10:00.000Z"),
    },
  ],
})
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
