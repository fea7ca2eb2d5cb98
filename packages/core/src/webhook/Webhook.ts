import { type DateTime, Schema } from "effect"
import { TargetId } from "../delivery/Target.js"
import type { SealedSecret } from "../encryption/SealedSecret.js"
import { GroupEventName } from "../group/GroupEvent.js"
import type { ProjectId } from "../project/Project.js"

/** Identifies a webhook, which is a target of deliveries. */
export const WebhookId = TargetId
export type WebhookId = TargetId

/** What a webhook can be told about. */
export const WebhookEvent = Schema.Literals([...GroupEventName.literals, "webhook.test"])
export type WebhookEvent = typeof WebhookEvent.Type

/** Names that one call takes, repeated ones included. */
export const maxEventNames = 100

/** What is wrong with how many names are given; null where nothing is. */
export const eventCountProblem = (names: ReadonlyArray<unknown>): string | null =>
  names.length > maxEventNames ? `must have at most ${maxEventNames} names` : null

/** Somebody outside who is told what happens to the groups of a project. */
export interface Webhook {
  readonly id: WebhookId
  readonly projectId: ProjectId
  /** `http` or `https`, as it was given. */
  readonly url: string
  /** Distinct, never empty. */
  readonly events: ReadonlyArray<WebhookEvent>
  readonly enabled: boolean
  /** Signs what is sent; opened, it is `whsec_` and base64. */
  readonly secret: SealedSecret
  readonly createdAt: DateTime.Utc
  readonly updatedAt: DateTime.Utc
}
