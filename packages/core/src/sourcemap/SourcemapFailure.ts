/** The statuses of mapping, and the reasons for failures. */

/** The progress of a report's mapping. */
export type SourcemapStatus =
  | "unprocessed"
  | "queued"
  | "fetching"
  | "resolved"
  | "not_found"
  | "failed"
  | "blocked"

const codes = {
  not_found: [
    "no_debug_id_or_release",
    "artifact_not_uploaded",
    "no_source_map_reference",
    "hosted_not_found",
  ],
  blocked: ["hosted_fetching_disabled", "origin_not_authorized", "insecure_url", "address_not_public"],
  failed: [
    "source_map_malformed",
    "source_map_too_large",
    "not_a_source_map",
    "position_not_mapped",
    "hosted_http_error",
    "hosted_timeout",
    "hosted_unreachable",
    "hosted_redirect",
    "limit_exceeded",
    "artifact_missing",
    "storage_unavailable",
    "reading_budget_used",
    "internal",
  ],
} as const satisfies Partial<Record<SourcemapStatus, ReadonlyArray<string>>>

/** Stable codes, shown as `sourcemap_failure_code`. */
export type SourcemapFailureCode = (typeof codes)[keyof typeof codes][number]

/** From the most to the least specific: the order in which a report with several causes shows one. */
const statuses = ["failed", "blocked", "not_found"] as const

/** The status of a report whose frames failed for this cause. */
export const statusOf = (code: SourcemapFailureCode): (typeof statuses)[number] =>
  statuses.find((status) => (codes[status] as ReadonlyArray<string>).includes(code))!

/** Returns true if a later attempt may succeed by itself. */
export const mayPass = (code: SourcemapFailureCode): boolean =>
  code === "storage_unavailable" || code === "reading_budget_used"

/** Returns the most specific of several causes, and the first of equals. Null without causes. */
export const mostTelling = (causes: ReadonlyArray<SourcemapFailureCode>): SourcemapFailureCode | null => {
  for (const status of statuses) {
    const cause = causes.find((code) => statusOf(code) === status)
    if (cause !== undefined) return cause
  }
  return null
}
