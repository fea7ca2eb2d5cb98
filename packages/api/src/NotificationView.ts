/** A notification of a project as the API shows it: sent, held back, or failed. */
import type { Delivery, Notification, Target } from "@errata/core"
import { DeliveryStatus } from "@errata/core/webhook"
import { Schema } from "effect"
import { int, intOrNull, text, textOrNull, time, timeOrNull } from "./Fields.js"
import { described, named } from "./Json.js"

const Event = Schema.Literals([
  "notification.alert",
  "notification.over",
  "notification.summary",
  "notification.digest",
  "notification.test",
  "notification.target_disabled",
])

const example = {
  id: 12,
  project_id: 1,
  target_id: 7,
  target_kind: "slack",
  target_name: "#shop-errors",
  rule_id: 3,
  rule_name: "New and reopened errors",
  group_id: 42,
  event: "notification.alert",
  status: "succeeded",
  throttle: null,
  user_id: null,
  recipient: null,
  attempts: 1,
  response_status: 200,
  error: null,
  duration_ms: 120,
  reason: "New error",
  title: "TypeError: Cannot read properties of undefined (reading 'price')",
  next_attempt_at: null,
  created_at: "2026-01-05T09:30:00.000Z",
  completed_at: "2026-01-05T09:30:00.120Z",
} as const

/** A notification, as REST shows it. */
export const NotificationView = Schema.Struct({
  id: int("Id of the notification"),
  project_id: int("Id of the project"),
  target_id: int("Id of the target"),
  target_kind: text("Kind of the target. `members` for mail to members"),
  target_name: text("Name of the target"),
  rule_id: intOrNull("Id of the rule that caused it, or null"),
  rule_name: textOrNull("Name of the rule at that time, or null"),
  group_id: intOrNull("Id of the group it is about, or null"),
  event: described("Kind of the notification", Event),
  status: described("State. `throttled` was held back and never sent", DeliveryStatus),
  throttle: described(
    "Reason for which it was held back: the period of the rule, the limit of an hour, or quiet hours. Null if it was not",
    Schema.NullOr(Schema.Literals(["repeat", "limit", "quiet_hours"])),
  ),
  user_id: intOrNull("Id of the member who gets it by mail, or null. Null for callers who are no admins"),
  recipient: textOrNull("Mail address that gets it, or null. Null for callers who are no admins"),
  attempts: int("Number of attempts"),
  response_status: intOrNull("HTTP status of the last response. Null without a response"),
  error: textOrNull("Error of the last attempt, or why it was held back. Null without one"),
  duration_ms: intOrNull("Duration of the last attempt in milliseconds. Null before the first"),
  reason: text("Reason of the notification, such as `New error`"),
  title: textOrNull("Title of the group at that time, or null"),
  next_attempt_at: timeOrNull("Time of the next attempt, or null"),
  created_at: time("Time of creation"),
  completed_at: timeOrNull("Time at which it succeeded, failed permanently, or was held back. Null before"),
}).pipe(named("Notification", example))
export type NotificationView = typeof NotificationView.Type

/** The notifications of a test, one for each receiver of the target. */
export const TestedNotificationsView = Schema.Struct({
  notifications: described(
    "The test messages, one for each receiver of the target",
    Schema.Array(NotificationView),
  ),
}).annotate({
  identifier: "TestedNotifications",
  examples: [
    {
      notifications: [
        {
          ...example,
          rule_id: null,
          rule_name: null,
          group_id: null,
          event: "notification.test",
          reason: 'Test message for the target "#shop-errors"',
          title: null,
        },
      ],
    } as never,
  ],
})

/** A notification. `content` is null if it cannot be read. Only with `isAdmin` are the recipients shown. */
export const notificationView = (
  delivery: Delivery,
  target: Pick<Target, "kind" | "name"> | undefined,
  content: Pick<Notification, "reason" | "rule"> & { readonly title: string | null },
  isAdmin: boolean,
): NotificationView => ({
  id: delivery.id,
  project_id: delivery.projectId,
  target_id: delivery.targetId,
  target_kind: target?.kind ?? "members",
  target_name: target?.name ?? "Members",
  rule_id: delivery.ruleId,
  rule_name: content.rule?.name ?? null,
  group_id: delivery.groupId,
  event: delivery.event as typeof Event.Type,
  status: delivery.status,
  throttle: delivery.throttle,
  user_id: isAdmin ? delivery.userId : null,
  recipient: isAdmin ? delivery.recipient : null,
  attempts: delivery.attempts,
  response_status: delivery.responseStatus,
  error: isAdmin || delivery.error === null ? delivery.error : withoutAddresses(delivery.error),
  duration_ms: delivery.durationMs,
  reason: content.reason,
  title: content.title,
  next_attempt_at: delivery.nextAttemptAt,
  created_at: delivery.createdAt,
  completed_at: delivery.completedAt,
})

// internal

/** Responses of mail servers contain the rejected address. */
const withoutAddresses = (text: string): string => text.replace(/[^\s<>"'(),;:]+@[^\s<>"'(),;:]+/g, "…")
