import { Context, type DateTime, type Effect, type Option } from "effect"
import type { SealedSecret } from "../encryption/SealedSecret.js"
import type { ProjectId } from "../project/Project.js"
import type { Page, PageRequest } from "../storage/Page.js"
import type { StorageError } from "../storage/StorageError.js"
import type { Webhook, WebhookEvent, WebhookId } from "./Webhook.js"

/** A new webhook. */
export interface NewWebhook {
  readonly projectId: ProjectId
  readonly url: string
  readonly events: ReadonlyArray<WebhookEvent>
  readonly enabled: boolean
  readonly secret: SealedSecret
}

/** Undefined fields stay. */
export interface WebhookChanges {
  readonly url?: string | undefined
  readonly events?: ReadonlyArray<WebhookEvent> | undefined
  readonly enabled?: boolean | undefined
}

/** An enabled webhook with the notification settings of its project. */
export interface Listener {
  readonly projectId: ProjectId
  readonly webhookId: WebhookId
  readonly events: ReadonlyArray<WebhookEvent>
  readonly errorAndFatalOnly: boolean
}

/** Stores the webhooks of projects. */
export class WebhookStore extends Context.Service<
  WebhookStore,
  {
    readonly insert: (webhook: NewWebhook, now: DateTime.Utc) => Effect.Effect<Webhook, StorageError>

    readonly find: (
      projectId: ProjectId,
      id: WebhookId,
    ) => Effect.Effect<Option.Option<Webhook>, StorageError>

    /** The webhooks of a project, newest first. */
    readonly list: (projectId: ProjectId, page: PageRequest) => Effect.Effect<Page<Webhook>, StorageError>

    /** Changes a webhook. None if it does not exist. */
    readonly update: (
      projectId: ProjectId,
      id: WebhookId,
      changes: WebhookChanges,
      now: DateTime.Utc,
    ) => Effect.Effect<Option.Option<Webhook>, StorageError>

    /** Enabled webhooks of these projects, except deleted ones, in order of creation per project. */
    readonly listeners: (
      projectIds: ReadonlyArray<ProjectId>,
    ) => Effect.Effect<ReadonlyArray<Listener>, StorageError>

    /** Deletes a webhook with its remaining deliveries. Returns whether it existed. */
    readonly remove: (projectId: ProjectId, id: WebhookId) => Effect.Effect<boolean, StorageError>
  }
>()("@errata/core/webhook/WebhookStore") {}
