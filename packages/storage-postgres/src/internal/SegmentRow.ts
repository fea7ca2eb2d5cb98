/** Rows of `errata.segments`. */
import type { ProjectId } from "@errata/core"
import * as Batch from "./Batch.js"
import * as Rows from "./Rows.js"
import type { Segment } from "./Segments.js"
import { bytea, int4, int8 } from "./SqlType.js"

const { once } = Rows.writtenFrom<NewSegment>()

const description = {
  projectId: once(int8<ProjectId>(), ({ segment }) => segment.projectId),
  payloadsCount: once(int4(), ({ segment }) => segment.payloadsCount),
  bytes: once(int4(), ({ segment }) => segment.bytes),
  indexBytes: once(int4(), ({ segment }) => segment.indexBytes),
  blockBytes: once(int4(), ({ segment }) => segment.block.byteLength),
}

/** A segment and the offset of its body in the batch, counted from 1. */
export interface NewSegment {
  readonly segment: Segment
  readonly start: number
}

const written = Batch.make<NewSegment>(description)

/** Columns of new segments, without bodies. */
export const { columns, values } = written

/** Inserts segments in the order of `position`, with the ranges of their bodies. */
export const inserted = Batch.make<NewSegment>(
  {
    ...description,
    start: once(int4(), ({ start }) => start),
    length: once(int4(), ({ segment }) => segment.stored.byteLength),
  },
  "position",
)

/** Columns that are needed to unpack a segment. */
export const stored = {
  projectId: description.projectId,
  indexBytes: description.indexBytes,
  blockBytes: description.blockBytes,
  body: bytea,
}
