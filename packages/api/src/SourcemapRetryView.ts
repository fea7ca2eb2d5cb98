/** Responses to a request to map the frames of a report again. */
import type { SourcemapRetry } from "@errata/core"
import { Schema } from "effect"
import { int } from "./Fields.js"
import { described, named } from "./Json.js"
import { sourcemapFields } from "./SourcemapFields.js"

const fields = {
  report_id: int("Id of the report"),
  ...sourcemapFields,
}

const example = { report_id: 4, sourcemap_failure_code: null, sourcemap_attempted_at: null } as const

/** The frames are already mapped; nothing was queued. */
export const SourcemapRetryResolved = Schema.Struct({
  result: described("Its frames are already mapped", Schema.Literal("resolved")),
  ...fields,
}).pipe(named("SourcemapRetryResolved", { result: "resolved", ...example, sourcemap_status: "resolved" }))

/** The mapping is queued or in progress. */
export const SourcemapRetryAccepted = Schema.Struct({
  result: described(
    "`queued` by this request, or already queued or in progress",
    Schema.Literals(["queued", "in_progress"]),
  ),
  ...fields,
}).pipe(named("SourcemapRetryAccepted", { result: "queued", ...example, sourcemap_status: "queued" }))

export const sourcemapRetryView = (
  retry: SourcemapRetry,
): typeof SourcemapRetryResolved.Type | typeof SourcemapRetryAccepted.Type => {
  const shown = {
    report_id: retry.reportId,
    sourcemap_status: retry.status,
    sourcemap_failure_code: retry.failureCode,
    sourcemap_attempted_at: retry.attemptedAt,
  }
  return retry.result === "resolved" ? { result: retry.result, ...shown } : { result: retry.result, ...shown }
}
