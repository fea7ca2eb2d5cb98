/** A release: a version of an application, in one project. */
import { type DateTime, Schema } from "effect"
import type { ProjectId } from "../project/Project.js"

/** Identifies a release: a positive integer, larger for newer ones. */
export const ReleaseId = Schema.Int.pipe(Schema.check(Schema.isGreaterThan(0)), Schema.brand("ReleaseId"))
export type ReleaseId = typeof ReleaseId.Type

/** Archived releases are those that their makers do not want to see in lists any more. */
export const ReleaseStatus = Schema.Literals(["open", "archived"])
export type ReleaseStatus = typeof ReleaseStatus.Type

/** The commit of a repository that a release was made from. */
export const ReleaseRef = Schema.Struct({
  repository: Schema.String,
  commit: Schema.String,
  previousCommit: Schema.NullOr(Schema.String),
})
export type ReleaseRef = typeof ReleaseRef.Type

/** There is one for each version that an event or a build tool has told of. */
export interface Release {
  readonly id: ReleaseId
  readonly projectId: ProjectId
  readonly version: string
  readonly status: ReleaseStatus
  /** The name of what was built, such as a branch or a tag. */
  readonly ref: string | null
  readonly url: string | null
  readonly startedAt: DateTime.Utc | null
  /** When it went out; null while nobody has said that it did. */
  readonly releasedAt: DateTime.Utc | null
  /** When the first of its reports arrived. */
  readonly firstSeenAt: DateTime.Utc | null
  /** When one of its reports was recorded last, to the hour: at most an hour before the last one. */
  readonly lastSeenAt: DateTime.Utc | null
  readonly refs: ReadonlyArray<ReleaseRef>
  readonly commitsCount: number
  /** The id of the newest commit; null where none is known. */
  readonly lastCommit: string | null
  readonly deploysCount: number
  readonly lastDeployedAt: DateTime.Utc | null
  readonly createdAt: DateTime.Utc
  readonly updatedAt: DateTime.Utc
}

/** What was recorded of a release, as far as it has been counted: it takes seconds to arrive here. */
export interface ReleaseFigures {
  readonly reports: number
  /** Groups with reports of it. */
  readonly groups: number
  /** Groups whose first report was of it. */
  readonly newGroups: number
}

/** A release with the figures of its reports. */
export interface CountedRelease {
  readonly release: Release
  readonly figures: ReleaseFigures
}

/** A commit that came with a release. Texts that were too long are cut. */
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

/** That a release was put somewhere. */
export interface Deploy extends NewDeploy {
  readonly id: number
}

/** What is said of a release; what is undefined stays. Lists replace the former ones. */
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
 * The newest commit that is known: the head of the repository named first, else the latest of the commits, of which
 * those without a time stand in the order given.
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
