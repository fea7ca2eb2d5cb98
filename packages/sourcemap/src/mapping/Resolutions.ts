/** What an attempt to map an event comes to. */
import {
  type ErrorEvent,
  type EventScript,
  type HostedAnswer,
  SourcemapFailure,
  type SourcemapFailureCode,
  type SourcemapResolution,
  unprocessed,
} from "@errata/core"

/** What the outcomes of all frames come to; `unmapped` are scripts without a map. */
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
  // The limit left the other frames without a look-up.
  const failureCode = isMapped ? "limit_exceeded" : SourcemapFailure.mostTelling(codes)
  return failureCode === null
    ? unprocessed
    : { status: SourcemapFailure.statusOf(failureCode), failureCode, frames, wantedIds }
}

/** Of an event of a project without any uploads; null stands for scripts that no ids are known of. */
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

/** Ids that a report is found by when they are uploaded. */
const maxWantedIds = 50
