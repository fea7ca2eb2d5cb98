/** How far the frames of a report are mapped, as reports and what is said of them show it. */
import { Schema } from "effect"
import { described, Timestamp } from "./Json.js"

const Status = Schema.Literals([
  "unprocessed",
  "queued",
  "fetching",
  "resolved",
  "not_found",
  "failed",
  "blocked",
])
const FailureCode = Schema.NullOr(Schema.String)
const AttemptedAt = Schema.NullOr(Timestamp)

const descriptions = {
  status: "State of mapping the frames with source maps",
  failureCode: "Code of the failure, or null",
  attemptedAt: "Time of the last attempt, or null",
}

export const sourcemapFields = {
  sourcemap_status: described(descriptions.status, Status),
  sourcemap_failure_code: described(descriptions.failureCode, FailureCode),
  sourcemap_attempted_at: described(descriptions.attemptedAt, AttemptedAt),
}

/** Of what is said of other things as well. */
export const optionalSourcemapFields = {
  sourcemap_status: described(descriptions.status, Schema.optionalKey(Status)),
  sourcemap_failure_code: described(descriptions.failureCode, Schema.optionalKey(FailureCode)),
  sourcemap_attempted_at: described(descriptions.attemptedAt, Schema.optionalKey(AttemptedAt)),
}
