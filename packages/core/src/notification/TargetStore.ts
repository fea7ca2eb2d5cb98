import { Context, type DateTime, type Effect, type Option } from "effect"
import type { WebhookEvent } from "../delivery/Delivery.js"
import type { TargetId } from "../delivery/Target.js"
import type { SealedSecret } from "../encryption/SealedSecret.js"
import type { ProjectId } from "../project/Project.js"
import type { Page, PageRequest } from "../storage/Page.js"
import type { StorageError } from "../storage/StorageError.js"
import type { Target } from "./Target.js"

/** A target as it is stored, webhooks included. */
export interface StoredTarget extends Target {
  /** The URL of a webhook; null for other kinds. */
  readonly url: string | null
  /** The events that a webhook subscribes to; null for other kinds. */
  readonly events: ReadonlyArray<WebhookEvent> | null
}

/** A new target. A webhook has a URL, events and a secret. */
export type NewTarget = Pick<
  StoredTarget,
  "projectId" | "kind" | "name" | "enabled" | "address" | "secret" | "quietHours" | "createdBy"
> &
  Partial<Pick<StoredTarget, "url" | "events">>

/** Changes of a target. Missing fields stay as they are. Enabling a target clears `failingSince` and `disabledReason`. */
export type TargetChanges = {
  readonly [Key in "name" | "enabled" | "address" | "secret" | "quietHours" | "url" | "events"]?:
    | StoredTarget[Key]
    | undefined
}

/** An enabled webhook with the notification settings of its project. */
export interface Listener {
  readonly projectId: ProjectId
  readonly webhookId: TargetId
  readonly events: ReadonlyArray<WebhookEvent>
  readonly errorAndFatalOnly: boolean
}

/** A secret of a target as it is stored. */
export interface StoredSecret {
  readonly projectId: ProjectId
  readonly targetId: TargetId
  readonly secret: SealedSecret
}

/** Stores the targets of projects: webhooks, chats, mail addresses and others. Services check the kind of a target. */
export class TargetStore extends Context.Service<
  TargetStore,
  {
    /**
     * Adds a target. None if the project already has `limit`, not counting webhooks and the members. Without a limit
     * (null), every target is added.
     */
    readonly insert: (
      target: NewTarget,
      limit: number | null,
      now: DateTime.Utc,
    ) => Effect.Effect<Option.Option<StoredTarget>, StorageError>

    /** A target of any kind, including webhooks and that of the members. */
    readonly find: (
      projectId: ProjectId,
      id: TargetId,
    ) => Effect.Effect<Option.Option<StoredTarget>, StorageError>

    /** The targets of live projects in order of creation, including those of the members, except webhooks. */
    readonly ofProjects: (
      projectIds: ReadonlyArray<ProjectId>,
    ) => Effect.Effect<ReadonlyArray<StoredTarget>, StorageError>

    /** The webhooks of a project, newest first. */
    readonly listWebhooks: (
      projectId: ProjectId,
      page: PageRequest,
    ) => Effect.Effect<Page<StoredTarget>, StorageError>

    /** Enabled webhooks of live projects, in order of creation per project. */
    readonly listeners: (
      projectIds: ReadonlyArray<ProjectId>,
    ) => Effect.Effect<ReadonlyArray<Listener>, StorageError>

    /** Changes a target of any kind. None if it does not exist. */
    readonly update: (
      projectId: ProjectId,
      id: TargetId,
      changes: TargetChanges,
      now: DateTime.Utc,
    ) => Effect.Effect<Option.Option<StoredTarget>, StorageError>

    /** Deletes a target of any kind with its remaining deliveries. Returns whether it existed. */
    readonly remove: (projectId: ProjectId, id: TargetId) => Effect.Effect<boolean, StorageError>

    /** The target of the project's members, created if missing. Concurrent callers get the same one. */
    readonly membersOf: (projectId: ProjectId, now: DateTime.Utc) => Effect.Effect<TargetId, StorageError>

    /**
     * Records that targets fail since now, or no longer fail. Targets that failed before keep their time. Webhooks do not
     * change.
     */
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
    ) => Effect.Effect<ReadonlyArray<StoredTarget>, StorageError>

    /** The newest secret of each encryption key. */
    readonly sampleSecrets: Effect.Effect<ReadonlyArray<StoredSecret>, StorageError>

    /** At most `limit` secrets that were sealed with this key. */
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
