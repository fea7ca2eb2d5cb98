/** How far the frames of an event are mapped to the code that people wrote. */
import type { EventScript } from "./EventScripts.js"
import { mostTelling, type SourcemapFailureCode, type SourcemapStatus, statusOf } from "./SourcemapFailure.js"

export interface SourcemapResolution {
  readonly status: SourcemapStatus
  /** Null unless the status tells of a failure. */
  readonly failureCode: SourcemapFailureCode | null
  /** The mapped frames as `ResolvedFrames` writes them; null where none is mapped. */
  readonly frames: Uint8Array | null
  /**
   * Debug ids of scripts that no map was found for, in lower case with hyphens: when one of them is uploaded, it is worth
   * another attempt.
   */
  readonly wantedIds: ReadonlyArray<string>
}

/** Of events that no source map is for. */
export const unprocessed: SourcemapResolution = {
  status: "unprocessed",
  failureCode: null,
  frames: null,
  wantedIds: [],
}

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
  if (isMapped) return { status: "resolved", failureCode: null, frames, wantedIds }
  const failureCode = mostTelling(codes)
  return failureCode === null
    ? unprocessed
    : { status: statusOf(failureCode), failureCode, frames, wantedIds }
}

// internal

/** Ids that a report is found by when they are uploaded. */
const maxWantedIds = 50
