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

/** What is left out stays as it is. */
export interface WebhookChanges {
  readonly url?: string | undefined
  readonly events?: ReadonlyArray<WebhookEvent> | undefined
  readonly enabled?: boolean | undefined
}

/** A webhook that is enabled, and what its project wants to be told. */
export interface Listener {
  readonly projectId: ProjectId
  readonly webhookId: WebhookId
  readonly events: ReadonlyArray<WebhookEvent>
  readonly errorAndFatalOnly: boolean
}

/** Keeps the webhooks of projects. */
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

    /** Changes a webhook; none where there is no such one. */
    readonly update: (
      projectId: ProjectId,
      id: WebhookId,
      changes: WebhookChanges,
      now: DateTime.Utc,
    ) => Effect.Effect<Option.Option<Webhook>, StorageError>

    /** The enabled webhooks of live projects among these, each project's in the order in which they were made. */
    readonly listeners: (
      projectIds: ReadonlyArray<ProjectId>,
    ) => Effect.Effect<ReadonlyArray<Listener>, StorageError>

    /** Removes a webhook with the deliveries that it still has; answers whether it was there. */
    readonly remove: (projectId: ProjectId, id: WebhookId) => Effect.Effect<boolean, StorageError>
  }
>()("@errata/core/webhook/WebhookStore") {}
