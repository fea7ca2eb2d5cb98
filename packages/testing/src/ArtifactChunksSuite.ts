import { ArtifactStore } from "@errata/core/ports"
import { DateTime, Duration, Effect, Option } from "effect"
import { expect } from "vitest"
import { advance, type ContractSuite, contractCase, onSecondNode } from "./ContractCase.js"
import * as Factory from "./Factory.js"
import * as Given from "./Given.js"
import { sha1 } from "./TestBundle.js"

const chunk = (bytes = 10) => {
  const content = new TextEncoder().encode(Factory.hash().padEnd(bytes, "x").slice(0, bytes))
  return { sha1: sha1(content), content }
}

const put = (
  owner: Parameters<ArtifactStore["Service"]["putChunk"]>[0],
  chunk: Parameters<ArtifactStore["Service"]["putChunk"]>[1],
) =>
  Effect.gen(function* () {
    yield* (yield* ArtifactStore).putChunk(owner, chunk, yield* DateTime.now)
  })

export const artifactChunksSuite: ContractSuite = {
  name: "ArtifactStore chunks",
  cases: [
    contractCase(
      "stores chunks by owner: each user and the system find only their own",
      Effect.gen(function* () {
        const chunks = yield* ArtifactStore
        const [mine, theirs] = [(yield* Given.user()).id, (yield* Given.user()).id]
        const [a, b] = [chunk(), chunk(0)]
        yield* put(mine, a)
        yield* put(mine, a)
        yield* put(null, b)
        const sha1s = [a.sha1, b.sha1, a.sha1, "0".repeat(40)]
        expect(yield* chunks.findChunks(mine, sha1s)).toEqual([{ sha1: a.sha1, size: 10 }])
        expect(yield* chunks.findChunks(theirs, sha1s)).toEqual([])
        expect(
          yield* onSecondNode(Effect.flatMap(ArtifactStore, ({ findChunks }) => findChunks(null, sha1s))),
        ).toEqual([{ sha1: b.sha1, size: 0 }])
        expect(
          Buffer.from(yield* Effect.fromOption(yield* chunks.readChunk(mine, a.sha1))).equals(a.content),
        ).toBe(true)
        expect((yield* Effect.fromOption(yield* chunks.readChunk(null, b.sha1))).byteLength).toBe(0)
        expect(Option.isNone(yield* chunks.readChunk(theirs, a.sha1))).toBe(true)
      }),
    ),

    contractCase(
      "counts the bytes of chunks until a bundle contains them, and again after another upload",
      Effect.gen(function* () {
        const chunks = yield* ArtifactStore
        const { id } = yield* Given.user()
        const [a, b] = [chunk(100), chunk(20)]
        expect(yield* chunks.openBytes(id)).toBe(0)
        yield* put(id, a)
        yield* put(id, b)
        yield* put(id, a)
        expect(yield* chunks.openBytes(id)).toBe(120)
        yield* chunks.settleChunks(id, [a.sha1, a.sha1], yield* DateTime.now)
        expect(yield* chunks.openBytes(id)).toBe(20)
        expect(yield* chunks.findChunks(id, [a.sha1])).toHaveLength(1)
        yield* put(id, a)
        expect(yield* chunks.openBytes(id)).toBe(120)
      }),
    ),

    contractCase(
      "removes old and settled chunks in batches",
      Effect.gen(function* () {
        const chunks = yield* ArtifactStore
        const { id } = yield* Given.user()
        const [old, settled, fresh, renewed] = [chunk(), chunk(), chunk(), chunk()]
        const start = yield* DateTime.now
        yield* chunks.removeStaleChunks({ put: start, settled: start }, 1000)
        for (const each of [old, renewed]) yield* put(id, each)
        yield* advance("2 hours")
        for (const each of [settled, fresh, renewed]) yield* put(id, each)
        yield* chunks.settleChunks(id, [settled.sha1], yield* DateTime.now)
        yield* advance("1 minute")
        const now = yield* DateTime.now
        const stale = { put: DateTime.subtract(now, { hours: 1 }), settled: now }
        expect(yield* chunks.removeStaleChunks(stale, 1)).toBe(1)
        expect(yield* chunks.removeStaleChunks(stale, 10)).toBe(1)
        expect(yield* chunks.removeStaleChunks(stale, 10)).toBe(0)
        const all = [old, settled, fresh, renewed].map(({ sha1 }) => sha1)
        expect((yield* chunks.findChunks(id, all)).map(({ sha1 }) => sha1).sort()).toEqual(
          [fresh.sha1, renewed.sha1].sort(),
        )
      }),
    ),

    contractCase(
      "leases the assembly of a bundle to one caller at a time",
      Effect.gen(function* () {
        const { id } = yield* Given.user()
        const other = (yield* Given.user()).id
        const checksum = chunk().sha1
        const lease = (owner: typeof id, holder: string) =>
          Effect.flatMap(ArtifactStore, (chunks) =>
            chunks.leaseAssembly(owner, checksum, holder, Duration.seconds(30)),
          )
        const both = yield* Effect.all([lease(id, "a"), onSecondNode(lease(id, "b"))], {
          concurrency: "unbounded",
        })
        expect(both.filter((isMine) => isMine)).toHaveLength(1)
        const [winner, loser] = both[0] ? (["a", "b"] as const) : (["b", "a"] as const)
        expect(yield* lease(id, winner)).toBe(true)
        expect(yield* lease(other, loser)).toBe(true)
        yield* advance("20 seconds")
        expect(yield* lease(id, winner)).toBe(true)
        yield* advance("20 seconds")
        expect(yield* lease(id, loser)).toBe(false)
        yield* advance("11 seconds")
        expect(yield* lease(id, loser)).toBe(true)
        expect(yield* lease(id, winner)).toBe(false)
        const chunks = yield* ArtifactStore
        yield* chunks.releaseAssembly(id, checksum, winner)
        expect(yield* lease(id, winner)).toBe(false)
        yield* chunks.releaseAssembly(id, checksum, loser)
        expect(yield* lease(id, winner)).toBe(true)
      }),
    ),
  ],
}
