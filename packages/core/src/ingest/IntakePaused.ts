import { Schema } from "effect"

/** What keeps errors from being accepted, in the order in which it is looked at. */
export const IntakePauseReason = Schema.Literals(["disk", "queue", "rate"])
export type IntakePauseReason = typeof IntakePauseReason.Type

/** The protection of the intake refuses what came; nothing of it was written. */
export class IntakePaused extends Schema.TaggedError<IntakePaused>()("IntakePaused", {
  reason: IntakePauseReason,
  /** When it is worth a new attempt. */
  retryAfterSeconds: Schema.Int,
}) {}
