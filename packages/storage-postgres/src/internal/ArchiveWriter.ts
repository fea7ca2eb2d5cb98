/** Writes an archived object from segments in id order, in steps. */
import type { ObjectStoreError, ObjectStoreService } from "@errata/core/ports"
import { Effect } from "effect"
import { type ArchivedSegment, type ArchiveRecord, encode, pageRecords, recordOf } from "./ArchiveIndex.js"

/** The size of an object, and the pages of its index. */
export interface WrittenArchive {
  readonly bytes: number
  readonly segmentsCount: number
  readonly pageIds: ReadonlyArray<number>
  readonly pageOffsets: ReadonlyArray<number>
}

/** `next` returns some of the segments after an id, or none at the end. */
export const write = <E>(
  store: ObjectStoreService,
  name: string,
  next: (after: number) => Effect.Effect<ReadonlyArray<ArchivedSegment>, E>,
): Effect.Effect<WrittenArchive, E | ObjectStoreError> =>
  store.put(name, (append) =>
    Effect.gen(function* () {
      let bytes = 0
      let segmentsCount = 0
      let page: Array<ArchiveRecord> = []
      const pageIds: Array<number> = []
      const pageOffsets: Array<number> = []
      const add = (chunk: Uint8Array) => {
        bytes += chunk.byteLength
        return append(chunk)
      }
      const endPage = Effect.suspend(() => {
        pageIds.push(page[0]!.id)
        pageOffsets.push(bytes)
        const records = encode(page)
        page = []
        return add(records)
      })
      for (let after = -1; ; ) {
        const segments = yield* next(after)
        if (segments.length === 0) break
        for (const segment of segments) {
          page.push(recordOf(segment, bytes))
          yield* add(segment.body)
          if (page.length === pageRecords) yield* endPage
        }
        segmentsCount += segments.length
        after = segments.at(-1)!.id
      }
      if (page.length > 0) yield* endPage
      return { bytes, segmentsCount, pageIds, pageOffsets }
    }),
  )
