import { Schema } from "effect"

/** Why errors are rejected, in the order of the checks. */
export const IntakePauseReason = Schema.Literals(["disk", "queue", "rate"])
export type IntakePauseReason = typeof IntakePauseReason.Type

/** Ingest protection rejected the request. Nothing was written. */
export class IntakePaused extends Schema.TaggedError<IntakePaused>()("IntakePaused", {
  reason: IntakePauseReason,
  /** Seconds until a retry can succeed. */
  retryAfterSeconds: Schema.Int,
}) {}
