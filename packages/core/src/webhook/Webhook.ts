import type { DateTime } from "effect"
import type { WebhookEvent } from "../delivery/Delivery.js"
import { TargetId } from "../delivery/Target.js"
import type { SealedSecret } from "../encryption/SealedSecret.js"
import type { StoredTarget } from "../notification/TargetStore.js"
import type { ProjectId } from "../project/Project.js"

/** Identifies a webhook, which is a target of deliveries. */
export const WebhookId = TargetId
export type WebhookId = TargetId

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

/** Converts a target of the kind `webhook`, which has a URL, events and a secret. */
export const ofTarget = ({
  createdAt,
  enabled,
  events,
  id,
  projectId,
  secret,
  updatedAt,
  url,
}: StoredTarget): Webhook => ({
  id,
  projectId,
  url: url!,
  events: events!,
  enabled,
  secret: secret!,
  createdAt,
  updatedAt,
})
