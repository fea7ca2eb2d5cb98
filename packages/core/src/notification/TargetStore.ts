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

/** Stores the targets of projects. Of webhooks, it only handles the secrets. */
export class TargetStore extends Context.Service<
  TargetStore,
  {
    /** Adds a target. None if the project already has `limit`, not counting webhooks and the members. */
    readonly insert: (
      target: NewTarget,
      limit: number,
      now: DateTime.Utc,
    ) => Effect.Effect<Option.Option<Target>, StorageError>

    /** A target, including that of the members. */
    readonly find: (projectId: ProjectId, id: TargetId) => Effect.Effect<Option.Option<Target>, StorageError>

    /** The targets of live projects in order of creation, including those of the members. */
    readonly ofProjects: (
      projectIds: ReadonlyArray<ProjectId>,
    ) => Effect.Effect<ReadonlyArray<Target>, StorageError>

    /** Changes a target. None if it does not exist. */
    readonly update: (
      projectId: ProjectId,
      id: TargetId,
      changes: TargetChanges,
      now: DateTime.Utc,
    ) => Effect.Effect<Option.Option<Target>, StorageError>

    /** Deletes a target with its remaining deliveries. Returns whether it existed. */
    readonly remove: (projectId: ProjectId, id: TargetId) => Effect.Effect<boolean, StorageError>

    /** The target of the project's members, created if missing. Concurrent callers get the same one. */
    readonly membersOf: (projectId: ProjectId, now: DateTime.Utc) => Effect.Effect<TargetId, StorageError>

    /** Records that targets fail since now, or no longer fail. Targets that failed before keep their time. */
    readonly setFailing: (
      targets: ReadonlyArray<{
        readonly projectId: ProjectId
        readonly targetId: TargetId
        readonly failing: boolean
      }>,
      now: DateTime.Utc,
    ) => Effect.Effect<void, StorageError>

    /**
     * Disables at most `limit` enabled targets of live projects that have failed since before a time, with a reason,
     * except webhooks and the members. Returns the targets that this call disabled.
     */
    readonly disableFailing: (
      since: DateTime.Utc,
      reason: string,
      limit: number,
      now: DateTime.Utc,
    ) => Effect.Effect<ReadonlyArray<Target>, StorageError>

    /** The newest secret of each encryption key, including webhooks. */
    readonly sampleSecrets: Effect.Effect<ReadonlyArray<StoredSecret>, StorageError>

    /** At most `limit` secrets that were sealed with this key, including webhooks. */
    readonly secretsOfKey: (
      keyId: string,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<StoredSecret>, StorageError>

    /** Replaces a secret. Returns false if the stored one had changed. */
    readonly replaceSecret: (
      stored: StoredSecret,
      secret: SealedSecret,
    ) => Effect.Effect<boolean, StorageError>
  }
>()("@errata/core/notification/TargetStore") {}
