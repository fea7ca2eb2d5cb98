/** Releases as upload clients read them. Ids are strings, times ISO 8601. */
import type { CountedRelease, Deploy, Project, Release, ReleaseCommit } from "@errata/core"
import { slugOf } from "@errata/core/ports"
import { DateTime } from "effect"

/** One version, in one or more projects. */
export const releaseDocument = (
  releases: ReadonlyArray<Release | CountedRelease>,
  projects: ReadonlyArray<Project>,
) => {
  const counted = releases.map((one) => ("figures" in one ? one : { release: one, figures: null }))
  const all = counted.map(({ release }) => release)
  const first = all[0]!
  const one = <A>(of: (release: Release) => A | null): A | null => {
    for (const release of all) {
      const value = of(release)
      if (value !== null) return value
    }
    return null
  }
  return {
    id: String(first.id),
    version: first.version,
    shortVersion: first.version,
    status: all.some(({ status }) => status === "open") ? "open" : "archived",
    ref: one(({ ref }) => ref),
    url: one(({ url }) => url),
    dateCreated: iso(earliest(all.map(({ createdAt }) => createdAt))),
    dateStarted: iso(one(({ startedAt }) => startedAt)),
    dateReleased: iso(one(({ releasedAt }) => releasedAt)),
    newGroups: counted.reduce((sum, { figures }) => sum + (figures?.newGroups ?? 0), 0),
    commitCount: Math.max(...all.map(({ commitsCount }) => commitsCount)),
    deployCount: Math.max(...all.map(({ deploysCount }) => deploysCount)),
    lastCommit: lastCommitDocument(first),
    firstEvent: iso(earliest(all.flatMap(({ firstSeenAt }) => firstSeenAt ?? []))),
    lastEvent: iso(latest(all.flatMap(({ lastSeenAt }) => lastSeenAt ?? []))),
    projects: all.flatMap(({ projectId }) => {
      const project = projects.find(({ id }) => id === projectId)
      return project === undefined ? [] : [projectDocument(project)]
    }),
  }
}

export const projectDocument = ({ id, name, platform }: Project) => ({
  id: String(id),
  slug: slugOf(name) === "" ? String(id) : slugOf(name),
  name,
  platform,
  team: null,
  teams: [],
})

export const deployDocument = (deploy: Deploy) => ({
  id: String(deploy.id),
  environment: deploy.environment,
  name: deploy.name,
  url: deploy.url,
  dateStarted: iso(deploy.startedAt),
  dateFinished: iso(deploy.finishedAt),
})

export const commitDocument = (commit: ReleaseCommit) => ({
  id: commit.id,
  message: commit.message,
  dateCreated: iso(commit.committedAt),
  repository: commit.repository === null ? null : { name: commit.repository },
  author:
    commit.authorName === null && commit.authorEmail === null
      ? null
      : { name: commit.authorName, email: commit.authorEmail },
})

export const iso = (moment: DateTime.Utc | null): string | null =>
  moment === null ? null : DateTime.formatIso(moment)

// internal

// Without a date, since only the id of the commit may be known.
const lastCommitDocument = ({ lastCommit }: Release) => (lastCommit === null ? null : { id: lastCommit })

const earliest = (moments: ReadonlyArray<DateTime.Utc>): DateTime.Utc | null =>
  moments.reduce<DateTime.Utc | null>(
    (first, moment) =>
      first === null || moment.epochMilliseconds < first.epochMilliseconds ? moment : first,
    null,
  )

const latest = (moments: ReadonlyArray<DateTime.Utc>): DateTime.Utc | null =>
  moments.reduce<DateTime.Utc | null>(
    (last, moment) => (last === null || moment.epochMilliseconds > last.epochMilliseconds ? moment : last),
    null,
  )
