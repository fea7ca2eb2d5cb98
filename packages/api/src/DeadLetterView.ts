/** A dead letter as the API shows it, without its body. */
import type { DeadLetter } from "@errata/core"
import { DateTime, Schema } from "effect"
import { described, named, Timestamp } from "./Json.js"

/** A dead letter, as REST shows it. */
export const DeadLetterView = Schema.Struct({
  id: described("Id of the dead letter", Schema.Int),
  project_id: described("Id of the project", Schema.Int),
  event_id: described("Id of the event", Schema.String),
  reason: described("Reason of the failure", Schema.String),
  bytes: described("Size of the body in bytes", Schema.Int),
  received_at: described("Time at which it was received", Timestamp),
}).pipe(
  named("DeadLetter", {
    id: 7,
    project_id: 1,
    event_id: "0123456789abcdef0123456789abcdef",
    reason: "not an event",
    bytes: 3_120,
    received_at: "2026-01-05T08:00:00.000Z",
  }),
)
export type DeadLetterView = typeof DeadLetterView.Type

export const deadLetterView = (letter: DeadLetter): DeadLetterView => ({
  id: letter.id,
  project_id: letter.projectId,
  event_id: letter.eventId,
  reason: letter.reason,
  bytes: letter.bytes,
  received_at: DateTime.makeUnsafe(letter.receivedAt),
})
