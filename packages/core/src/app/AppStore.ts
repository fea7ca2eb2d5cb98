import { Context, type DateTime, type Effect, type Option } from "effect"
import type { ProjectId } from "../project/Project.js"
import type { Page, PageRequest } from "../storage/Page.js"
import type { StorageError } from "../storage/StorageError.js"
import type { App, AppId } from "./App.js"

/** A project that an app cannot have: there is no such live project, or another app has it. */
export interface RefusedProject {
  readonly projectId: ProjectId
  readonly reason: "unknown" | "in_another_app"
}

/** Keeps apps, and which projects are in them. */
export class AppStore extends Context.Service<
  AppStore,
  {
    /** Inserts an app without projects; none where an app already has the name. */
    readonly insert: (name: string, now: DateTime.Utc) => Effect.Effect<Option.Option<App>, StorageError>

    readonly find: (id: AppId) => Effect.Effect<Option.Option<App>, StorageError>

    /** Finds an app that nobody else can change or remove until the transaction ends. */
    readonly lock: (id: AppId) => Effect.Effect<Option.Option<App>, StorageError>

    /** Apps, newest first: all, or those with at least one live project of `only`. Each with all of its projects. */
    readonly list: (
      options: { readonly only: ReadonlyArray<number> | null },
      page: PageRequest,
    ) => Effect.Effect<Page<App>, StorageError>

    /** Renames an app; false, and nothing changed, where another has the name. */
    readonly rename: (id: AppId, name: string, now: DateTime.Utc) => Effect.Effect<boolean, StorageError>

    /**
     * Replaces the set of an app's projects, of which those that it cannot have are left out and answered. Of two apps
     * that take a project at the same time one gets it.
     */
    readonly setProjects: (
      id: AppId,
      projectIds: ReadonlyArray<ProjectId>,
      now: DateTime.Utc,
    ) => Effect.Effect<ReadonlyArray<RefusedProject>, StorageError>

    /** Removes an app, not its projects; answers whether it was there. */
    readonly remove: (id: AppId) => Effect.Effect<boolean, StorageError>
  }
>()("@errata/core/app/AppStore") {}
