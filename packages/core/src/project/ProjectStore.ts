import { Context, type DateTime, type Effect, type Option } from "effect"
import type { DiscardedEvents } from "../event/DiscardedEvents.js"
import type { Page, PageRequest } from "../storage/Page.js"
import type { StorageError } from "../storage/StorageError.js"
import type { Project, ProjectId, ProjectMute, ProjectToken } from "./Project.js"

/** A new project. */
export interface NewProject {
  readonly name: string
  /** None by default. */
  readonly key?: string | undefined
  readonly platform: string
  readonly timezone: string
  readonly token: ProjectToken
}

/** The fields that intake needs for every request. */
export interface ProjectCredential {
  readonly id: ProjectId
  readonly token: ProjectToken
}

/** Changes of a project. Undefined fields stay. */
export interface ProjectChange {
  readonly name?: string | undefined
  readonly platform?: string | undefined
  readonly token?: ProjectToken | undefined
  readonly timezone?: string | undefined
  readonly errorAndFatalNotificationsOnly?: boolean | undefined
}

/** New groups and reports of a project. */
export interface ProjectCount {
  readonly projectId: ProjectId
  readonly groups: number
  readonly reports: number
}

/** A mute that is not yet applied to groups with ids above `after` and up to `last`. */
export interface UnfinishedMute {
  readonly projectId: ProjectId
  readonly mute: ProjectMute
  readonly after: number
  readonly last: number
}

/** Stores projects. Deleted projects are never found, and their ids and tokens are never reused. */
export class ProjectStore extends Context.Service<
  ProjectStore,
  {
    /** Inserts a project. None if another project has the name or the key. */
    readonly insert: (
      project: NewProject,
      now: DateTime.Utc,
    ) => Effect.Effect<Option.Option<Project>, StorageError>

    readonly find: (id: ProjectId) => Effect.Effect<Option.Option<Project>, StorageError>

    readonly findByToken: (token: string) => Effect.Effect<Option.Option<ProjectCredential>, StorageError>

    readonly findByKey: (key: string) => Effect.Effect<Option.Option<Project>, StorageError>

    /** Sets the key of a project that has none. None if it has one, the key is taken, or it does not exist. */
    readonly bind: (id: ProjectId, key: string) => Effect.Effect<Option.Option<Project>, StorageError>

    /**
     * Projects, newest first: all, or those of `only`, optionally with an exact name or with names of one nonempty
     * slug.
     */
    readonly list: (
      options: {
        readonly only: ReadonlyArray<number> | null
        readonly name: string | null
        readonly slug?: string
      },
      page: PageRequest,
    ) => Effect.Effect<Page<Project>, StorageError>

    /** The ids of all projects, ascending. */
    readonly liveIds: Effect.Effect<ReadonlyArray<number>, StorageError>

    /** Updates the given fields. None if another project has the name, or the project does not exist. */
    readonly update: (
      id: ProjectId,
      change: ProjectChange,
      now: DateTime.Utc,
    ) => Effect.Effect<Option.Option<Project>, StorageError>

    /**
     * Deletes a project with its memberships. Nothing finds it any more, its token is invalid, and its name is free.
     * `purge` deletes its data. Idempotent.
     */
    readonly remove: (id: ProjectId, now: DateTime.Utc) => Effect.Effect<void, StorageError>

    /**
     * Deletes at most `limit` rows of deleted projects. Returns their number, 0 when none are left. Payloads accepted
     * before the deletion may still be recorded, so a deleted project is checked for a day.
     */
    readonly purge: (limit: number, now: DateTime.Utc) => Effect.Effect<number, StorageError>

    /**
     * Sets or clears the mute that new groups inherit. Groups created concurrently see the old or the new one. A mute
     * is unfinished until it is applied to the existing groups.
     */
    readonly setMute: (
      id: ProjectId,
      mute: ProjectMute | null,
      now: DateTime.Utc,
    ) => Effect.Effect<void, StorageError>

    /** The mute of a project, if it is unfinished. */
    readonly findUnfinishedMute: (id: ProjectId) => Effect.Effect<Option.Option<UnfinishedMute>, StorageError>

    /** Ids of the projects with unfinished mutes, ascending. */
    readonly unfinishedMutes: Effect.Effect<ReadonlyArray<ProjectId>, StorageError>

    /**
     * Stores the progress of a mute, in the transaction that made it. At `last`, the mute is finished. Returns false
     * if the mute was changed or advanced meanwhile; then roll back. Call it after locking groups, as recording does.
     */
    readonly advanceMute: (unfinished: UnfinishedMute, after: number) => Effect.Effect<boolean, StorageError>

    /** Clears mutes that have expired, except unfinished ones. Returns their number. */
    readonly endMutes: (now: DateTime.Utc) => Effect.Effect<number, StorageError>

    /** Adds to the counts of groups and reports, and updates the report times. At most one entry per project. */
    readonly addCounts: (
      counts: ReadonlyArray<ProjectCount>,
      now: DateTime.Utc,
    ) => Effect.Effect<void, StorageError>

    /** Records the time of the latest request of these projects. Ignores missing ones. */
    readonly addContacts: (
      ids: ReadonlyArray<ProjectId>,
      now: DateTime.Utc,
    ) => Effect.Effect<void, StorageError>

    /** Counts events that clients discarded, by day. */
    readonly addDiscarded: (
      discarded: ReadonlyArray<DiscardedEvents & { readonly projectId: ProjectId }>,
      now: DateTime.Utc,
    ) => Effect.Effect<void, StorageError>
  }
>()("@errata/core/project/ProjectStore") {}
