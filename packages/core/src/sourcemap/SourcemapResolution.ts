/** The result of mapping the frames of an event. */
import type { SourcemapFailureCode, SourcemapStatus } from "./SourcemapFailure.js"

/** The result of mapping the frames of a report. */
export interface SourcemapResolution {
  readonly status: SourcemapStatus
  /** Null unless the status is a failure. */
  readonly failureCode: SourcemapFailureCode | null
  /** The mapped frames in the encoding of `ResolvedFrames`. Null if none is mapped. */
  readonly frames: Uint8Array | null
  /**
   * Debug ids of scripts without a map, in lower case with hyphens. An upload of one of them queues the report again.
   */
  readonly wantedIds: ReadonlyArray<string>
}

/** For events that have no source maps. */
export const unprocessed: SourcemapResolution = {
  status: "unprocessed",
  failureCode: null,
  frames: null,
  wantedIds: [],
}
