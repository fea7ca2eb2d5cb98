/**
 * The event that `sentry-cli sourcemaps explain` reads. For unmapped events the client guesses the cause from the
 * release alone. Therefore it receives mapped events, and for others the reason that the server knows.
 */
import { ProjectReferences, type Report, Reports } from "@errata/core"
import { sourcemapAdviceOf } from "@errata/core/internal"
import type { EventDetails } from "@errata/core/ports"
import { Effect } from "effect"
import { ok, refused } from "./UploadAnswer.js"
import type { UploadRoute } from "./UploadCall.js"

export const route: UploadRoute = {
  method: "GET",
  path: "projects/:organization/:project/events/:event/json",
  handle: ({ params }) =>
    Effect.gen(function* () {
      const references = yield* ProjectReferences
      const project = yield* references.authorize("groups.read", params["project"]!)
      const reports = yield* Reports
      const report = yield* reports.findByEventId(project, params["event"]!)
      const reason = reasonOf(report)
      if (reason !== null) return refused(400, `Report ${report.id}: ${reason}`)
      const received = yield* reports.findByEventId(project, params["event"]!, "raw")
      return ok(eventDocument(report, received.details))
    }),
}

// internal

/** Returns why the frames of a report are not mapped. Null if they are, or without an exception. */
const reasonOf = ({
  details,
  sourcemapFailureCode: code,
  sourcemapStatus: status,
}: Report): string | null => {
  if (details === null) return "Retention has deleted its stack."
  if (status === "resolved" || details.exceptions.length === 0) return null
  if (status === "unprocessed") return "It has no frames that a source map could apply to."
  if (status === "queued" || status === "fetching") {
    return "Its source maps are being read. Run the command again in a moment."
  }
  return `${sourcemapAdviceOf(code)} (${code})`
}

/** The client treats an exception with a `raw_stacktrace` as mapped, and rejects an event without a release. */
const eventDocument = (
  { details, eventId, platform, releaseVersion }: Report,
  received: EventDetails | null,
) => ({
  event_id: eventId,
  platform,
  release: releaseVersion === "" ? "(none)" : releaseVersion,
  exception: {
    values: (details?.exceptions ?? []).map(({ frames, type, value }, index) => ({
      type,
      value,
      stacktrace: { frames },
      raw_stacktrace: { frames: received?.exceptions[index]?.frames ?? [] },
    })),
  },
})
