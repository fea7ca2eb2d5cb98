/** Messages to targets, with the result of sending them. */
import { type DateTime, Schema } from "effect"
import { GroupEventName } from "../group/GroupEvent.js"
import type { GroupId } from "../id/GroupId.js"
import type { ProjectId } from "../project/Project.js"
import type { UserId } from "../user/User.js"
import type { TargetId } from "./Target.js"

/** Identifies a delivery: a positive integer, larger for newer ones. */
export const DeliveryId = Schema.Int.pipe(Schema.check(Schema.isGreaterThan(0)), Schema.brand("DeliveryId"))
export type DeliveryId = typeof DeliveryId.Type

/**
 * `pending` until the receiver accepted it or no further attempt is made. A `throttled` one was never sent: a limit
 * or quiet hours held it back (`Throttle`).
 */
export const DeliveryStatus = Schema.Literals(["pending", "succeeded", "failed", "throttled"])
export type DeliveryStatus = typeof DeliveryStatus.Type

/**
 * The reason why a message was held back.
 *
 * - `repeat`: the rule notified about the group less than its period ago.
 * - `limit`: the project had its share of notifications in this hour.
 * - `quiet_hours`: the target has quiet hours.
 */
export const Throttle = Schema.Literals(["repeat", "limit", "quiet_hours"])
export type Throttle = typeof Throttle.Type

/** Events that a webhook can subscribe to. */
export const WebhookEvent = Schema.Literals([...GroupEventName.literals, "webhook.test"])
export type WebhookEvent = typeof WebhookEvent.Type

/** The event that a delivery is about: those of webhooks, and kinds of notifications. */
export const DeliveryEvent = Schema.Literals([
  ...WebhookEvent.literals,
  "notification.alert",
  "notification.over",
  "notification.summary",
  "notification.digest",
  "notification.test",
  "notification.target_disabled",
])
export type DeliveryEvent = typeof DeliveryEvent.Type

/** One message to one target, or to one person of several that a target stands for, with the result of sending it. */
export interface Delivery {
  readonly id: DeliveryId
  readonly projectId: ProjectId
  readonly targetId: TargetId
  /** The group of the event. Null for a message that a user requested, which is tried once and at once. */
  readonly groupId: GroupId | null
  readonly event: DeliveryEvent
  /** The rule that caused it. */
  readonly ruleId: number | null
  /** The person who gets it, for messages to members. */
  readonly userId: UserId | null
  /** The mail address that gets it, for targets with several addresses. */
  readonly recipient: string | null
  readonly status: DeliveryStatus
  readonly throttle: Throttle | null
  readonly attempts: number
  /** Of the last attempt, as are `error` and `durationMs`. Null without a response. */
  readonly responseStatus: number | null
  /** For a throttled message, the reason in words. */
  readonly error: string | null
  readonly durationMs: number | null
  /** The delivery whose message is sent again by this one. */
  readonly resendOf: DeliveryId | null
  /** JSON: for webhooks the body as it is sent, else a `Notification`. */
  readonly requestBody: string
  readonly nextAttemptAt: DateTime.Utc | null
  readonly createdAt: DateTime.Utc
  readonly completedAt: DateTime.Utc | null
}
