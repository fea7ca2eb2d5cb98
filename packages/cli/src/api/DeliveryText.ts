/** Formats a delivery for people. */
import type { DeliveryView } from "@errata/api"
import type { DateTime } from "effect"
import { fieldLines, textLines } from "./Detail.js"
import { absolute } from "./Moments.js"

export const deliveryLines = (delivery: DeliveryView, now: DateTime.DateTime): ReadonlyArray<string> => [
  ...fieldLines([
    ["Delivery", delivery.id],
    ["Webhook", delivery.webhook_id],
    ["Event", delivery.event],
    ["Status", delivery.status],
    ["Attempts", delivery.attempts],
    ["Answered", delivery.response_status],
    ["Error", delivery.error],
    ["Took", delivery.duration_ms === null ? null : `${delivery.duration_ms} ms`],
    ["Created", absolute(delivery.created_at, now)],
    ["Next attempt", absolute(delivery.next_attempt_at, now)],
    ["Completed", absolute(delivery.completed_at, now)],
  ]),
  "",
  ...textLines(delivery.request_body),
]
