import { Context, type DateTime, type Effect, type Option } from "effect"
import type { TargetId } from "../delivery/Target.js"
import type { SealedSecret } from "../encryption/SealedSecret.js"
import type { ProjectId } from "../project/Project.js"
import type { StorageError } from "../storage/StorageError.js"
import type { Target } from "./Target.js"

/** A new target. */
export type NewTarget = Pick<
  Target,
  "projectId" | "kind" | "name" | "enabled" | "address" | "secret" | "quietHours" | "createdBy"
>

/** Changes of a target. Missing fields stay as they are. Enabling a target clears `failingSince` and `disabledReason`. */
export type TargetChanges = {
  readonly [Key in "name" | "enabled" | "address" | "secret" | "quietHours"]?: Target[Key] | undefined
}

/** A secret of a target as it is stored, webhooks included. */
export interface StoredSecret {
  readonly projectId: ProjectId
  readonly targetId: TargetId
  readonly secret: SealedSecret
}

/** Keeps the targets of projects. Of webhooks it knows the secrets only. */
export class TargetStore extends Context.Service<
  TargetStore,
  {
    /** Adds a target; none if the project has `limit` of them, besides webhooks and the members. */
    readonly insert: (
      target: NewTarget,
      limit: number,
      now: DateTime.Utc,
    ) => Effect.Effect<Option.Option<Target>, StorageError>

    /** A target, also that of the members. */
    readonly find: (projectId: ProjectId, id: TargetId) => Effect.Effect<Option.Option<Target>, StorageError>

    /** The targets of live projects in the order in which they were made, those of the members included. */
    readonly ofProjects: (
      projectIds: ReadonlyArray<ProjectId>,
    ) => Effect.Effect<ReadonlyArray<Target>, StorageError>

    /** Changes a target; none if it does not exist. */
    readonly update: (
      projectId: ProjectId,
      id: TargetId,
      changes: TargetChanges,
      now: DateTime.Utc,
    ) => Effect.Effect<Option.Option<Target>, StorageError>

    /** Removes a target with the deliveries that it still has; answers whether it was there. */
    readonly remove: (projectId: ProjectId, id: TargetId) => Effect.Effect<boolean, StorageError>

    /** The target of the project's members, which this makes if there is none. Two callers at once get the same one. */
    readonly membersOf: (projectId: ProjectId, now: DateTime.Utc) => Effect.Effect<TargetId, StorageError>

    /** Keeps that messages to these targets fail since now, or no longer fail. Those that failed before keep their time. */
    readonly setFailing: (
      targets: ReadonlyArray<{
        readonly projectId: ProjectId
        readonly targetId: TargetId
        readonly failing: boolean
      }>,
      now: DateTime.Utc,
    ) => Effect.Effect<void, StorageError>

    /**
     * Disables up to so many enabled targets of live projects that have failed since before a time, with a reason; webhooks and the
     * members are left out. Answers those that this call disabled.
     */
    readonly disableFailing: (
      since: DateTime.Utc,
      reason: string,
      limit: number,
      now: DateTime.Utc,
    ) => Effect.Effect<ReadonlyArray<Target>, StorageError>

    /** One secret, the newest, for each key that secrets are sealed with, webhooks included. */
    readonly sampleSecrets: Effect.Effect<ReadonlyArray<StoredSecret>, StorageError>

    /** Up to so many secrets that are sealed with this key, webhooks included. */
    readonly secretsOfKey: (
      keyId: string,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<StoredSecret>, StorageError>

    /** Puts a secret in the place of the one that is given. Answers whether that one was still there. */
    readonly replaceSecret: (
      stored: StoredSecret,
      secret: SealedSecret,
    ) => Effect.Effect<boolean, StorageError>
  }
>()("@errata/core/notification/TargetStore") {}
