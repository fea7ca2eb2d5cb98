import { BlobStore } from "@errata/core/ports"
import { Effect, Option } from "effect"
import { expect } from "vitest"
import { type ContractSuite, contractCase, onSecondNode } from "./ContractCase.js"
import * as Factory from "./Factory.js"
import { sha256 } from "./TestBundle.js"

/** A unique content, compressible or not, and its key. */
const given = (bytes: number, isCompressible: boolean) => {
  const seed = Factory.hash()
  const content = new Uint8Array(bytes)
  let state = Number.parseInt(seed.slice(0, 8), 16) | 1
  for (let i = 0; i < bytes; i++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    content[i] = isCompressible ? (i < seed.length ? seed.charCodeAt(i) : 65) : state >>> 24
  }
  return { key: sha256(content), content }
}

const read = (key: string) =>
  Effect.flatMap(BlobStore, (blobs) => Effect.map(blobs.get(key), Option.map(Buffer.from)))

/** Rules of every blob store, such as a database, a folder or an object store. */
export const blobStoreSuite: ContractSuite = {
  name: "BlobStore",
  cases: [
    contractCase(
      "keeps contents of any size, compressible or not, and shows them to other nodes",
      Effect.gen(function* () {
        const blobs = yield* BlobStore
        // The largest one is a multipart upload where the store has them.
        for (const bytes of [0, 1, 1000, 5 * 1024 * 1024 + 17]) {
          for (const isCompressible of [true, false]) {
            const { content, key } = given(bytes, isCompressible)
            const taken = yield* blobs.put(key, content)
            expect(Number.isInteger(taken)).toBe(true)
            expect(Option.getOrNull(yield* read(key))?.equals(content)).toBe(true)
            expect(Option.getOrNull(yield* onSecondNode(read(key)))?.equals(content)).toBe(true)
          }
        }
      }),
    ),

    contractCase(
      "stores a content once, also under concurrent puts, and returns the same result each time",
      Effect.gen(function* () {
        const { content, key } = given(10_000, false)
        const put = Effect.flatMap(BlobStore, (blobs) => blobs.put(key, content))
        const taken = yield* Effect.all([put, onSecondNode(put), put], { concurrency: "unbounded" })
        expect(new Set(taken).size).toBe(1)
        expect(yield* put).toBe(taken[0])
        expect(Option.getOrNull(yield* read(key))?.equals(content)).toBe(true)
      }),
    ),

    contractCase(
      "returns nothing for an unknown key",
      Effect.gen(function* () {
        expect(Option.isNone(yield* read(Factory.hash()))).toBe(true)
      }),
    ),

    contractCase(
      "removes contents, and stores them again later",
      Effect.gen(function* () {
        const blobs = yield* BlobStore
        const [a, b] = [given(100, true), given(100, false)]
        yield* blobs.put(a.key, a.content)
        yield* blobs.put(b.key, b.content)
        yield* blobs.remove([a.key, Factory.hash()])
        expect(Option.isNone(yield* onSecondNode(read(a.key)))).toBe(true)
        expect(Option.isSome(yield* read(b.key))).toBe(true)
        yield* blobs.remove([])
        yield* blobs.remove([a.key])
        yield* blobs.put(a.key, a.content)
        expect(Option.getOrNull(yield* read(a.key))?.equals(a.content)).toBe(true)
      }),
    ),
  ],
}
