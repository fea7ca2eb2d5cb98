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

/** New groups and reports of a project. */
export interface ProjectCount {
  readonly projectId: ProjectId
  readonly groups: number
  readonly reports: number
}

/** Keeps projects. Deleted projects are never found. */
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
