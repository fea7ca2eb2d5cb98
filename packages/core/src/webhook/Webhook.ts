import { type DateTime, Schema } from "effect"
import { TargetId } from "../delivery/Target.js"
import type { SealedSecret } from "../encryption/SealedSecret.js"
import { GroupEventName } from "../group/GroupEvent.js"
import type { ProjectId } from "../project/Project.js"

/** Identifies a webhook, which is a target of deliveries. */
export const WebhookId = TargetId
export type WebhookId = TargetId

/** Events that a webhook can subscribe to. */
export const WebhookEvent = Schema.Literals([...GroupEventName.literals, "webhook.test"])
export type WebhookEvent = typeof WebhookEvent.Type

/** Maximum number of names per call, including duplicates. */
export const maxEventNames = 100

/** Returns the problem with the number of names, or null. */
export const eventCountProblem = (names: ReadonlyArray<unknown>): string | null =>
  names.length > maxEventNames ? `must have at most ${maxEventNames} names` : null

/** A webhook receives events of a project's groups. */
export interface Webhook {
  readonly id: WebhookId
  readonly projectId: ProjectId
  /** `http` or `https`, as entered. */
  readonly url: string
  /** Distinct, never empty. */
  readonly events: ReadonlyArray<WebhookEvent>
  readonly enabled: boolean
  /** The signing key, sealed. Opened, it is `whsec_` and base64. */
  readonly secret: SealedSecret
  readonly createdAt: DateTime.Utc
  readonly updatedAt: DateTime.Utc
}
