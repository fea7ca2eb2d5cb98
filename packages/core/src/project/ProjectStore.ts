import { Context, type DateTime, type Effect, type Option } from "effect"
import type { DiscardedEvents } from "../ingest/PayloadDecoder.js"
import type { Page, PageRequest } from "../storage/Page.js"
import type { StorageError } from "../storage/StorageError.js"
import type { Project, ProjectId, ProjectMute, ProjectToken } from "./Project.js"

export interface NewProject {
  readonly name: string
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
  readonly timezone?: string | undefined
  readonly errorAndFatalNotificationsOnly?: boolean | undefined
}

/** New groups and reports of a project. */
export interface ProjectCount {
  readonly projectId: ProjectId
  readonly groups: number
  readonly reports: number
}

/** Keeps projects. Deleted projects are never found, and their ids and tokens never given again. */
export class ProjectStore extends Context.Tag("@errata/core/project/ProjectStore")<
  ProjectStore,
  {
    /** Inserts a project; none where a live project already has the name. */
    readonly insert: (
      project: NewProject,
      now: DateTime.Utc,
    ) => Effect.Effect<Option.Option<Project>, StorageError>

    readonly find: (id: ProjectId) => Effect.Effect<Option.Option<Project>, StorageError>

    readonly findByToken: (token: string) => Effect.Effect<Option.Option<ProjectCredential>, StorageError>

    /** Projects, newest first: all, or those of `only`; of one exact name where that is given. */
    readonly list: (
      options: { readonly only: ReadonlyArray<number> | null; readonly name: string | null },
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

    /** Sets or clears the mute that new groups inherit; groups created at the same time see the old or the new one. */
    readonly setMute: (
      id: ProjectId,
      mute: ProjectMute | null,
      now: DateTime.Utc,
    ) => Effect.Effect<void, StorageError>

    /** Adds to the counts of groups and reports; at most one entry a project. */
    readonly addCounts: (counts: ReadonlyArray<ProjectCount>) => Effect.Effect<void, StorageError>

    /** Counts what clients say they did not send, by day. */
    readonly addDiscarded: (
      discarded: ReadonlyArray<DiscardedEvents & { readonly projectId: ProjectId }>,
      now: DateTime.Utc,
    ) => Effect.Effect<void, StorageError>
  }
>() {}
