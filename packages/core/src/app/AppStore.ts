import { Context, type DateTime, type Effect, type Option } from "effect"
import type { ProjectId } from "../project/Project.js"
import type { Page, PageRequest } from "../storage/Page.js"
import type { StorageError } from "../storage/StorageError.js"
import type { App, AppId } from "./App.js"

/** A project that cannot be added to an app: no such live project exists, or it is in another app. */
export interface RefusedProject {
  readonly projectId: ProjectId
  readonly reason: "unknown" | "in_another_app"
}

/** Stores apps and their projects. */
export class AppStore extends Context.Service<
  AppStore,
  {
    /** Inserts an app without projects. Returns none if the name is taken. */
    readonly insert: (name: string, now: DateTime.Utc) => Effect.Effect<Option.Option<App>, StorageError>

    readonly find: (id: AppId) => Effect.Effect<Option.Option<App>, StorageError>

    /** Finds an app and locks it until the transaction ends. */
    readonly lock: (id: AppId) => Effect.Effect<Option.Option<App>, StorageError>

    /** Apps, newest first: all, or those with at least one live project of `only`. Each has all of its projects. */
    readonly list: (
      options: { readonly only: ReadonlyArray<number> | null },
      page: PageRequest,
    ) => Effect.Effect<Page<App>, StorageError>

    /** Renames an app. Returns false and changes nothing if the name is taken. */
    readonly rename: (id: AppId, name: string, now: DateTime.Utc) => Effect.Effect<boolean, StorageError>

    /** Replaces an app's projects and returns the refused ones. Of concurrent apps, one gets a project. */
    readonly setProjects: (
      id: AppId,
      projectIds: ReadonlyArray<ProjectId>,
      now: DateTime.Utc,
    ) => Effect.Effect<ReadonlyArray<RefusedProject>, StorageError>

    /** Removes an app but not its projects. Returns whether it existed. */
    readonly remove: (id: AppId) => Effect.Effect<boolean, StorageError>
  }
>()("@errata/core/app/AppStore") {}
