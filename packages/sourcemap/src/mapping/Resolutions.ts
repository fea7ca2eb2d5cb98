/** The result of an attempt to map an event. */

import { SourcemapFailure, type SourcemapFailureCode } from "@errata/core/internal"
import {
  type ErrorEvent,
  type EventScript,
  type HostedAnswer,
  type SourcemapResolution,
  unprocessed,
} from "@errata/core/ports"

/** Combines the outcomes of all frames. `unmapped` are scripts without a map. */
export const resolutionOf = ({
  codes,
  frames,
  isMapped,
  isQueued,
  unmapped,
}: {
  readonly codes: ReadonlyArray<SourcemapFailureCode>
  readonly isMapped: boolean
  readonly isQueued: boolean
  readonly unmapped: ReadonlyArray<EventScript>
  readonly frames: Uint8Array | null
}): SourcemapResolution => {
  const ids = new Set(unmapped.flatMap(({ debugId }) => (debugId === null ? [] : [debugId])))
  const wantedIds = [...ids].slice(0, maxWantedIds)
  if (isQueued) return { status: "queued", failureCode: null, frames, wantedIds }
  const isLimited = codes.includes("limit_exceeded")
  if (isMapped && !isLimited) return { status: "resolved", failureCode: null, frames, wantedIds }
  // Scripts beyond the limit were not looked up, so the report does not count as resolved.
  const failureCode = isMapped ? "limit_exceeded" : SourcemapFailure.mostTelling(codes)
  return failureCode === null
    ? unprocessed
    : { status: SourcemapFailure.statusOf(failureCode), failureCode, frames, wantedIds }
}

/** Returns the resolution of an event in a project without uploads. `scripts` is null if no script has a debug id. */
export const withoutUploads = (
  { release }: Pick<ErrorEvent, "release">,
  scripts: ReadonlyArray<EventScript> | null,
  hosted: HostedAnswer,
): SourcemapResolution => {
  const unmapped = scripts ?? anyScript
  const codes = unmapped.map(
    ({ debugId }): SourcemapFailureCode =>
      debugId === null && release === "" ? "no_debug_id_or_release" : "artifact_not_uploaded",
  )
  const isQueued = hosted === "may_help"
  if (hosted !== null && hosted !== "may_help") codes.push(hosted)
  return resolutionOf({ codes, isMapped: false, isQueued, unmapped, frames: null })
}

// internal

const anyScript: ReadonlyArray<EventScript> = [{ path: "", debugId: null }]

/** Maximum number of debug ids that a report stores for later uploads. */
const maxWantedIds = 50
