/**
 * The bounds of what an application may send. Over a hard limit a request is refused; over the others the event is
 * kept, the rest cut, and the cut named in `ingest_truncations`.
 */
export interface IngestLimits {
  /** Bytes of a request body, on the wire and decoded alike. */
  readonly maxBodyBytes: number
  readonly maxHeaderLineBytes: number
  readonly maxItems: number
  /** Bytes of an event's JSON. */
  readonly maxEventBytes: number
  readonly maxAttachments: number
  readonly maxAttachmentBytes: number
  readonly maxDepth: number
  /** Bytes of UTF-8, as all string limits here. */
  readonly maxKeyBytes: number
  readonly maxStringBytes: number
  /** Strings that are indexed or shown in lists. */
  readonly maxShortStringBytes: number
  /** The first half and the last half are kept. */
  readonly maxExceptions: number
  readonly maxThreads: number
  readonly maxFramesPerStack: number
  readonly maxFrames: number
  readonly maxBreadcrumbs: number
  readonly maxTags: number
  readonly maxTagKeyBytes: number
  readonly maxTagValueBytes: number
  readonly maxContexts: number
  readonly maxExtras: number
  readonly maxDependencies: number
  readonly maxDebugImages: number
}

const KiB = 1024
const MiB = 1024 * KiB

export const defaultIngestLimits: IngestLimits = {
  maxBodyBytes: 16 * MiB,
  maxHeaderLineBytes: 8 * KiB,
  maxItems: 16,
  maxEventBytes: MiB,
  maxAttachments: 8,
  maxAttachmentBytes: MiB,
  maxDepth: 64,
  maxKeyBytes: KiB,
  maxStringBytes: 64 * KiB,
  maxShortStringBytes: 8 * KiB,
  maxExceptions: 32,
  maxThreads: 64,
  maxFramesPerStack: 200,
  maxFrames: 1000,
  maxBreadcrumbs: 100,
  maxTags: 100,
  maxTagKeyBytes: 200,
  maxTagValueBytes: 2 * KiB,
  maxContexts: 50,
  maxExtras: 100,
  maxDependencies: 500,
  maxDebugImages: 500,
}
