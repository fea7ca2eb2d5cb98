/** How far the frames of an event are mapped to the code that people wrote. */
import type { SourcemapFailureCode, SourcemapStatus } from "./SourcemapFailure.js"

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
