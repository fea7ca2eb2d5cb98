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

/** Identifies a release. */
export interface ReleasePlace {
  readonly projectId: ProjectId
  readonly version: string
}

/** Stores releases. Recording creates new ones and updates when they were seen; see `ReportStore.insert`. */
export class ReleaseStore extends Context.Service<
  ReleaseStore,
  {
    /** Changes the given fields of a release. Creates it if it does not exist. */
    readonly upsert: (
      projectId: ProjectId,
      version: string,
      change: ReleaseChange,
      now: DateTime.Utc,
    ) => Effect.Effect<{ readonly release: Release; readonly isNew: boolean }, StorageError>

    /** Returns the number of releases that `upsert` created in a project, locked until the transaction ends. */
    readonly lockCount: (projectId: ProjectId) => Effect.Effect<number, StorageError>

    readonly find: (
      projectId: ProjectId,
      id: ReleaseId,
    ) => Effect.Effect<Option.Option<Release>, StorageError>

    /** The releases of a version in these projects, by ascending project. */
    readonly findVersion: (
      projectIds: ReadonlyArray<ProjectId>,
      version: string,
    ) => Effect.Effect<ReadonlyArray<Release>, StorageError>

    /** Newest first. */
    readonly list: (projectId: ProjectId, page: PageRequest) => Effect.Effect<Page<Release>, StorageError>

    /** Versions by publication time, or else by creation, newest first. */
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
     * Arrival times of the first reports, by position, in epoch milliseconds; null without reports. Uses one
     * statement.
     */
    readonly firstSeen: (
      releases: ReadonlyArray<ReleasePlace>,
    ) => Effect.Effect<ReadonlyArray<number | null>, StorageError>

    /** Counts of versions, by position. */
    readonly figures: (
      projectId: ProjectId,
      versions: ReadonlyArray<string>,
    ) => Effect.Effect<ReadonlyArray<ReleaseFigures>, StorageError>

    /** Deletes a release without reports, with its commits and deploys. Returns whether it did. */
    readonly removeUnseen: (projectId: ProjectId, id: ReleaseId) => Effect.Effect<boolean, StorageError>

    /** In the given order. */
    readonly commits: (
      projectId: ProjectId,
      id: ReleaseId,
    ) => Effect.Effect<ReadonlyArray<ReleaseCommit>, StorageError>

    /** Adds a deploy and deletes the oldest beyond `kept`. */
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
