/** A payload in the dead-letter queue as the API shows it, without its body. */
import type { SetAsidePayload } from "@errata/core"
import { DateTime, Schema } from "effect"
import { described, Timestamp } from "./Json.js"

export const PayloadView = Schema.Struct({
  id: described("Id of the payload", Schema.Int),
  project_id: described("Id of the project", Schema.Int),
  event_id: described("Id of the event", Schema.String),
  reason: described("Reason of the failure", Schema.String),
  bytes: described("Size of the body in bytes", Schema.Int),
  received_at: described("Time at which it was received", Timestamp),
}).pipe(
  Schema.annotateEncoded({
    identifier: "Payload",
    examples: [
      {
        id: 7,
        project_id: 1,
        event_id: "0123456789abcdef0123456789abcdef",
        reason: "not an event",
        bytes: 3_120,
        received_at: "2026-01-05T08:00:00.000Z",
      },
    ],
  }),
)
export type PayloadView = typeof PayloadView.Type

export const payloadView = (payload: SetAsidePayload): PayloadView => ({
  id: payload.id,
  project_id: payload.projectId,
  event_id: payload.eventId,
  reason: payload.reason,
  bytes: payload.bytes,
  received_at: DateTime.makeUnsafe(payload.receivedAt),
})
