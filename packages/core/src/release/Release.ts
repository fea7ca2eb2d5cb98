/** A release: a version of an application, in one project. */
import { type DateTime, Schema } from "effect"
import type { ProjectId } from "../project/Project.js"

/** Identifies a release: a positive integer, larger for newer ones. */
export const ReleaseId = Schema.Int.pipe(Schema.check(Schema.isGreaterThan(0)), Schema.brand("ReleaseId"))
export type ReleaseId = typeof ReleaseId.Type

/** Archived releases are hidden from lists. */
export const ReleaseStatus = Schema.Literals(["open", "archived"])
export type ReleaseStatus = typeof ReleaseStatus.Type

/** The commit from which a release was built. */
export const ReleaseRef = Schema.Struct({
  repository: Schema.String,
  commit: Schema.String,
  previousCommit: Schema.NullOr(Schema.String),
})
export type ReleaseRef = typeof ReleaseRef.Type

/** A release of a project. Created by the first event or build tool that names the version. */
export interface Release {
  readonly id: ReleaseId
  readonly projectId: ProjectId
  readonly version: string
  readonly status: ReleaseStatus
  /** The name of the build, such as a branch or a tag. */
  readonly ref: string | null
  readonly url: string | null
  readonly startedAt: DateTime.Utc | null
  /** Null until the release is published. */
  readonly releasedAt: DateTime.Utc | null
  /** When its first report arrived. */
  readonly firstSeenAt: DateTime.Utc | null
  /** When its latest report was recorded. Updated at most once per hour. */
  readonly lastSeenAt: DateTime.Utc | null
  readonly refs: ReadonlyArray<ReleaseRef>
  readonly commitsCount: number
  /** The id of the newest commit; null if unknown. */
  readonly lastCommit: string | null
  readonly deploysCount: number
  readonly lastDeployedAt: DateTime.Utc | null
  readonly createdAt: DateTime.Utc
  readonly updatedAt: DateTime.Utc
}

/** Counts of a release. They lag behind recording by seconds. */
export interface ReleaseFigures {
  readonly reports: number
  /** Groups with reports of this release. */
  readonly groups: number
  /** Groups whose first report was of this release. */
  readonly newGroups: number
}

/** A release with its counts. */
export interface CountedRelease {
  readonly release: Release
  readonly figures: ReleaseFigures
}

/** A release at the time at which it appeared. */
export interface ReleaseAppearance {
  readonly id: ReleaseId
  readonly version: string
  /** When it was last deployed, else when its first report arrived, else when a build tool sent it. */
  readonly appearedAt: DateTime.Utc
}

/** A commit of a release. Long texts are cut. */
export interface ReleaseCommit {
  readonly id: string
  readonly repository: string | null
  readonly message: string | null
  readonly authorName: string | null
  readonly authorEmail: string | null
  readonly committedAt: DateTime.Utc | null
}

/** A deploy, as build tools report it. */
export interface NewDeploy {
  readonly environment: string
  readonly name: string | null
  readonly url: string | null
  readonly startedAt: DateTime.Utc | null
  readonly finishedAt: DateTime.Utc
}

/** A stored deploy of a release. */
export interface Deploy extends NewDeploy {
  readonly id: number
}

/** Changes of a release. Undefined fields stay; lists are replaced. */
export interface ReleaseChange {
  readonly status?: ReleaseStatus | undefined
  readonly ref?: string | null | undefined
  readonly url?: string | null | undefined
  readonly startedAt?: DateTime.Utc | null | undefined
  readonly releasedAt?: DateTime.Utc | null | undefined
  readonly refs?: ReadonlyArray<ReleaseRef> | undefined
  readonly commits?: ReadonlyArray<ReleaseCommit> | undefined
}

/**
 * The newest known commit: the head of the first repository, or the latest commit. Commits without a time keep the
 * given order.
 */
export const lastCommitOf = (
  refs: ReadonlyArray<ReleaseRef>,
  commits: ReadonlyArray<ReleaseCommit>,
): string | null => {
  const [head] = refs
  if (head !== undefined) return head.commit
  let newest: ReleaseCommit | null = null
  for (const commit of commits) {
    const at = commit.committedAt?.epochMilliseconds ?? Number.NEGATIVE_INFINITY
    if (newest === null || at > (newest.committedAt?.epochMilliseconds ?? Number.NEGATIVE_INFINITY))
      newest = commit
  }
  return newest?.id ?? null
}
