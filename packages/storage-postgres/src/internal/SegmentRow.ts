/** Rows of `errata.segments`. */
import type { ProjectId } from "@errata/core"
import * as Batch from "./Batch.js"
import * as Rows from "./Rows.js"
import type { Segment } from "./Segments.js"
import { bytea, int4, int8, nullable } from "./SqlType.js"

const { once } = Rows.writtenFrom<NewSegment>()

const description = {
  projectId: once(int8<ProjectId>(), ({ segment }) => segment.projectId),
  payloadsCount: once(int4(), ({ segment }) => segment.payloadsCount),
  bytes: once(int4(), ({ segment }) => segment.bytes),
  indexBytes: once(int4(), ({ segment }) => segment.indexBytes),
  blockBytes: once(int4(), ({ segment }) => segment.block.byteLength),
  dictionaryId: once(nullable(int8()), ({ segment }) => segment.dictionary?.id ?? null),
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

const used = Rows.writtenFrom<Segment>().once

/** The dictionaries of segments, with their checksums in `index_bytes`. */
export const dictionaries = Batch.make<Segment>({
  projectId: used(int8(), ({ projectId }) => projectId),
  dictionaryId: used(nullable(int8()), ({ dictionary }) => dictionary?.id ?? null),
  indexBytes: used(nullable(int4()), ({ dictionary }) => dictionary?.checksum ?? null),
})

/** Columns that are needed to unpack a segment. */
export const stored = {
  projectId: description.projectId,
  indexBytes: description.indexBytes,
  blockBytes: description.blockBytes,
  dictionaryId: description.dictionaryId,
  body: bytea,
}

/** The columns of a segment that may no longer be in the database. All are null then. */
export const joined = {
  body: nullable(bytea),
  indexBytes: nullable(int4()),
  blockBytes: nullable(int4()),
  dictionaryId: nullable(int8()),
}

/** Expressions for the columns of a joined segment `s`. */
export const joinedColumns = {
  body: "s.body",
  indexBytes: "s.index_bytes",
  blockBytes: "s.block_bytes",
  dictionaryId: "s.dictionary_id",
}
