/** A dead letter as the API shows it, without its body. */
import type { DeadLetter } from "@errata/core"
import { DateTime, Schema } from "effect"
import { int, text, time } from "./Fields.js"
import { named } from "./Json.js"

/** A dead letter, as REST shows it. */
export const DeadLetterView = Schema.Struct({
  id: int("Id of the dead letter"),
  project_id: int("Id of the project"),
  event_id: text("Id of the event"),
  reason: text("Reason of the failure"),
  bytes: int("Size of the body in bytes"),
  received_at: time("Time at which it was received"),
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
