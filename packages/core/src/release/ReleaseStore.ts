import { Context, type DateTime, type Effect, type Option } from "effect"
import type { ProjectId } from "../project/Project.js"
import type { Page, PageRequest } from "../storage/Page.js"
import type { StorageError } from "../storage/StorageError.js"
import type {
  Deploy,
  NewDeploy,
  Release,
  ReleaseChange,
  ReleaseCommit,
  ReleaseFigures,
  ReleaseId,
} from "./Release.js"

/** Where a release is found. */
export interface ReleasePlace {
  readonly projectId: ProjectId
  readonly version: string
}

/** Keeps releases. Recording makes those that it meets first and says when they are seen; see `ReportStore.insert`. */
export class ReleaseStore extends Context.Service<
  ReleaseStore,
  {
    /** Changes what is given of a release; makes it where there is none. */
    readonly upsert: (
      projectId: ProjectId,
      version: string,
      change: ReleaseChange,
      now: DateTime.Utc,
    ) => Effect.Effect<{ readonly release: Release; readonly isNew: boolean }, StorageError>

    /** How many releases of a project `upsert` has made. Whoever else asks this waits until the transaction ends. */
    readonly lockCount: (projectId: ProjectId) => Effect.Effect<number, StorageError>

    readonly find: (
      projectId: ProjectId,
      id: ReleaseId,
    ) => Effect.Effect<Option.Option<Release>, StorageError>

    /** The release of a version in each of these projects that has one, by ascending project. */
    readonly findVersion: (
      projectIds: ReadonlyArray<ProjectId>,
      version: string,
    ) => Effect.Effect<ReadonlyArray<Release>, StorageError>

    /** Newest first. */
    readonly list: (projectId: ProjectId, page: PageRequest) => Effect.Effect<Page<Release>, StorageError>

    /** Versions by when they went out, or were made where nobody said that they did; the newest first. */
    readonly newestVersions: (
      projectId: ProjectId,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<string>, StorageError>

    /** Those of these versions that are releases of the project, in any order. */
    readonly knownVersions: (
      projectId: ProjectId,
      versions: ReadonlyArray<string>,
    ) => Effect.Effect<ReadonlyArray<string>, StorageError>

    /**
     * When the first reports of releases arrived, by position and in epoch milliseconds; null where none has. One
     * statement, however many releases there are.
     */
    readonly firstSeen: (
      releases: ReadonlyArray<ReleasePlace>,
    ) => Effect.Effect<ReadonlyArray<number | null>, StorageError>

    /** What was recorded of versions, by position. */
    readonly figures: (
      projectId: ProjectId,
      versions: ReadonlyArray<string>,
    ) => Effect.Effect<ReadonlyArray<ReleaseFigures>, StorageError>

    /** Removes a release that no report was ever of, with its commits and deploys. Whether it did. */
    readonly removeUnseen: (projectId: ProjectId, id: ReleaseId) => Effect.Effect<boolean, StorageError>

    /** In the order given. */
    readonly commits: (
      projectId: ProjectId,
      id: ReleaseId,
    ) => Effect.Effect<ReadonlyArray<ReleaseCommit>, StorageError>

    /** Adds a deploy to a release, and removes the oldest ones beyond so many. */
    readonly addDeploy: (
      projectId: ProjectId,
      id: ReleaseId,
      deploy: NewDeploy,
      kept: number,
    ) => Effect.Effect<Deploy, StorageError>

    /** Newest first. */
    readonly deploys: (
      projectId: ProjectId,
      id: ReleaseId,
    ) => Effect.Effect<ReadonlyArray<Deploy>, StorageError>
  }
>()("@errata/core/release/ReleaseStore") {}
