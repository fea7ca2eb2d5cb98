/** Contents in a store of objects: the contract of every place, against a server that speaks S3. */
import { describe, expect, it } from "@effect/vitest"
import { BlobStore, StorageError } from "@errata/core"
import { MemoryStorage } from "@errata/storage-memory"
import { blobStoreSuite, storageContract, TestBundle } from "@errata/testing"
import { Context, Effect, Layer, Redacted } from "effect"
import * as S3 from "../src/s3.js"
import * as S3Server from "./support/S3Server.js"

/** The address of a server of objects. */
class Server extends Context.Tag("test/Server")<Server, string>() {}

const server = Layer.scoped(
  Server,
  Effect.map(S3Server.make, ({ url }) => url),
)

const options = {
  bucket: S3Server.bucket,
  credentials: { accessKeyId: S3Server.accessKey, secretAccessKey: Redacted.make(S3Server.accessKey) },
}

const at = (overrides: Partial<S3.S3Options> = {}) =>
  Layer.unwrapEffect(
    Effect.map(Server, (endpoint) => S3.layer({ ...options, endpoint, prefix: "errata/", ...overrides })),
  )

storageContract(
  "A store of objects",
  { layer: Layer.merge(MemoryStorage.layer, Layer.provide(at(), server)) },
  [blobStoreSuite],
)

describe("A store of objects", () => {
  const content = new TextEncoder().encode("content")
  const key = TestBundle.sha256(content)

  it.scoped("fails where it is not there, has no such bucket, or does not know the key", () =>
    Effect.gen(function* () {
      for (const wrong of [
        { endpoint: "http://127.0.0.1:9" },
        { bucket: "elsewhere" },
        { credentials: { accessKeyId: "nobody", secretAccessKey: Redacted.make("nothing") } },
      ]) {
        const { put } = yield* Effect.provide(BlobStore, at(wrong))
        expect(yield* Effect.flip(put(key, content))).toBeInstanceOf(StorageError)
      }
    }).pipe(Effect.provide(server)),
  )

  it.scoped("keeps apart what has another prefix, and tells what is damaged", () =>
    Effect.gen(function* () {
      const mine = yield* Effect.provide(BlobStore, at({ prefix: "a/" }))
      const theirs = yield* Effect.provide(BlobStore, at({ prefix: "b/" }))
      yield* mine.put(key, content)
      expect((yield* theirs.get(key))._tag).toBe("None")
      const other = TestBundle.sha256("other")
      yield* mine.put(other, content)
      expect(yield* Effect.flip(mine.get(other))).toBeInstanceOf(StorageError)
    }).pipe(Effect.provide(server)),
  )
})
