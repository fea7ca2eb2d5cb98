import { Context, type DateTime, type Effect, type Option } from "effect"
import type { DiscardedEvents } from "../event/DiscardedEvents.js"
import type { Page, PageRequest } from "../storage/Page.js"
import type { StorageError } from "../storage/StorageError.js"
import type { Project, ProjectId, ProjectMute, ProjectToken } from "./Project.js"

export interface NewProject {
  readonly name: string
  /** None by default. */
  readonly key?: string | undefined
  readonly platform: string
  readonly timezone: string
  readonly token: ProjectToken
}

/** The part of a project that the intake needs for every request. */
export interface ProjectCredential {
  readonly id: ProjectId
  readonly token: ProjectToken
}

/** What is to change of a project. */
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

/** A project's mute that groups have yet to take over: those with ids above `after`, up to `last`. */
export interface UnfinishedMute {
  readonly projectId: ProjectId
  readonly mute: ProjectMute
  readonly after: number
  readonly last: number
}

/** Keeps projects. Deleted projects are never found, and their ids and tokens never given again. */
export class ProjectStore extends Context.Service<
  ProjectStore,
  {
    /** Inserts a project; none where a live project already has the name or the key. */
    readonly insert: (
      project: NewProject,
      now: DateTime.Utc,
    ) => Effect.Effect<Option.Option<Project>, StorageError>

    readonly find: (id: ProjectId) => Effect.Effect<Option.Option<Project>, StorageError>

    readonly findByToken: (token: string) => Effect.Effect<Option.Option<ProjectCredential>, StorageError>

    readonly findByKey: (key: string) => Effect.Effect<Option.Option<Project>, StorageError>

    /** Sets the key of a project without one; none if it has one, another live project has that key, or it does not exist. */
    readonly bind: (id: ProjectId, key: string) => Effect.Effect<Option.Option<Project>, StorageError>

    /**
     * Projects, newest first: all, or those of `only`; of one exact name, or of names with one slug that is not empty,
     * where that is given.
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

    /** Changes what is given; none where another live project has the name, or where there is no such project. */
    readonly update: (
      id: ProjectId,
      change: ProjectChange,
      now: DateTime.Utc,
    ) => Effect.Effect<Option.Option<Project>, StorageError>

    /**
     * Deletes a project: from now on nothing finds it, its token is nobody's, its name is free and nobody is a member
     * of it. What it held is left for `purge`. Idempotent.
     */
    readonly remove: (id: ProjectId, now: DateTime.Utc) => Effect.Effect<void, StorageError>

    /**
     * Removes up to so many rows of what deleted projects have left; answers how many, and 0 where nothing is left to
     * remove. Payloads that were accepted before a project was deleted may yet be recorded in it, so that it is looked
     * at again for a day.
     */
    readonly purge: (limit: number, now: DateTime.Utc) => Effect.Effect<number, StorageError>

    /**
     * Sets or clears the mute that new groups inherit; groups created at the same time see the old or the new one. A mute
     * is unfinished at first: the groups that there are have yet to take it over.
     */
    readonly setMute: (
      id: ProjectId,
      mute: ProjectMute | null,
      now: DateTime.Utc,
    ) => Effect.Effect<void, StorageError>

    /** The mute of a project, while there are groups that have yet to take it over. */
    readonly findUnfinishedMute: (id: ProjectId) => Effect.Effect<Option.Option<UnfinishedMute>, StorageError>

    /** The ids of the projects whose mute is unfinished, ascending. */
    readonly unfinishedMutes: Effect.Effect<ReadonlyArray<ProjectId>, StorageError>

    /**
     * Keeps how far an unfinished mute has come, in the transaction that has come so far; at `last` it is finished.
     * Answers whether it was as given until now: where not, somebody has gone on with it or replaced or cleared it, and
     * the transaction must leave nothing. To be called after groups are locked, as recording does.
     */
    readonly advanceMute: (unfinished: UnfinishedMute, after: number) => Effect.Effect<boolean, StorageError>

    /** Clears the mutes that have run out by a moment, but for those that are unfinished; answers how many those were. */
    readonly endMutes: (now: DateTime.Utc) => Effect.Effect<number, StorageError>

    /** Adds to the counts of groups and reports; at most one entry a project. Reports are recorded at the moment. */
    readonly addCounts: (
      counts: ReadonlyArray<ProjectCount>,
      now: DateTime.Utc,
    ) => Effect.Effect<void, StorageError>

    /** Keeps that applications called in the name of these projects. Projects that are not there are left out. */
    readonly addContacts: (
      ids: ReadonlyArray<ProjectId>,
      now: DateTime.Utc,
    ) => Effect.Effect<void, StorageError>

    /** Counts what clients say they did not send, by day. */
    readonly addDiscarded: (
      discarded: ReadonlyArray<DiscardedEvents & { readonly projectId: ProjectId }>,
      now: DateTime.Utc,
    ) => Effect.Effect<void, StorageError>
  }
>()("@errata/core/project/ProjectStore") {}
