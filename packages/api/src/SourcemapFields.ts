/** The source map status of a report's frames, in reports and in summaries of them. */
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

/** The same fields for views in which they may be absent. */
export const optionalSourcemapFields = {
  sourcemap_status: described(descriptions.status, Schema.optionalKey(Status)),
  sourcemap_failure_code: described(descriptions.failureCode, Schema.optionalKey(FailureCode)),
  sourcemap_attempted_at: described(descriptions.attemptedAt, Schema.optionalKey(AttemptedAt)),
}
