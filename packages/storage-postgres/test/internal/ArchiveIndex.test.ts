import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { decode, encode, recordOf, segmentOf } from "../../src/internal/ArchiveIndex.js"
import * as Dictionary from "../../src/internal/Dictionary.js"

const size = fc.integer({ min: 0, max: 2 ** 31 - 1 })
const id = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })
const content = fc.uint8Array({ maxLength: 100 })

/** Rows of segments, and of dictionaries, whose checksum stands in for the size of the index. */
const row = fc.record({
  id,
  indexBytes: fc.oneof(
    size,
    content.map((bytes) => Dictionary.make(1, bytes).checksum),
  ),
  blockBytes: size,
  dictionaryId: fc.option(id),
  body: content,
})

describe("records of an archived object", () => {
  it("are read as they were written, for segments and for dictionaries", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(row, fc.maxSafeNat())), (entries) => {
        const records = entries.map(([segment, offset]) => recordOf(segment, offset))
        expect(decode(encode(records))).toEqual(records)
        expect(records.map((record, i) => segmentOf(record, entries[i]![0].body))).toEqual(
          entries.map(([segment]) => segment),
        )
      }),
    )
  })
})
