/** The contract of blob stores on an S3 server. */

import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { describe, expect, it } from "@effect/vitest"
import { StorageError } from "@errata/core"
import { BlobStore, ObjectStore } from "@errata/core/ports"
import { MemoryStorage } from "@errata/storage-memory"
import { blobStoreSuite, storageContract, TestBundle } from "@errata/testing"
import { Context, Deferred, Effect, Fiber, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import * as S3 from "../src/s3.js"
import { objectStoreCases } from "./support/objects.js"
import * as S3Server from "./support/S3Server.js"

/** The URL of an S3 server. */
class Server extends Context.Service<Server, string>()("test/Server") {}

const server = Layer.effect(
  Server,
  Effect.map(S3Server.make, ({ url }) => url),
)

/** Accepts requests and never responds. */
const silentServer = (asked: Deferred.Deferred<void>, left: Deferred.Deferred<void>) =>
  Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      const listening = createServer((request) => {
        request.socket.once("close", () => Deferred.doneUnsafe(left, Effect.void))
        Deferred.doneUnsafe(asked, Effect.void)
      })
      listening.listen(0, "127.0.0.1", () => resume(Effect.succeed(listening)))
    }),
    (listening) =>
      Effect.callback<void>((resume) => {
        listening.close(() => resume(Effect.void))
        listening.closeAllConnections()
      }),
  ).pipe(Effect.map((listening) => `http://127.0.0.1:${(listening.address() as AddressInfo).port}`))

const options = {
  bucket: S3Server.bucket,
  credentials: { accessKeyId: S3Server.accessKey, secretAccessKey: Redacted.make(S3Server.accessKey) },
}

const at = (overrides: Partial<S3.S3Options> = {}) =>
  Layer.unwrap(
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

  it.effect("fails if the server, the bucket or the access key is wrong", () =>
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

  it.live("times out on a server that does not answer, and closes the connection", () =>
    Effect.gen(function* () {
      const asked = yield* Deferred.make<void>()
      const left = yield* Deferred.make<void>()
      const endpoint = yield* silentServer(asked, left)
      const { get } = yield* Effect.provide(BlobStore, S3.layer({ ...options, endpoint }))
      const failing = yield* Effect.forkChild(Effect.flip(get(key)))
      yield* Deferred.await(asked)
      yield* TestClock.adjust("2 minutes")
      expect(yield* Fiber.join(failing)).toMatchObject({ _tag: "StorageError", reason: "unavailable" })
      yield* Deferred.await(left)
    }).pipe(Effect.provide(TestClock.layer())),
  )

  it.effect("normalizes its prefix to end with one slash", () =>
    Effect.gen(function* () {
      const { put } = yield* Effect.provide(BlobStore, at({ prefix: "errata" }))
      yield* put(key, content)
      for (const prefix of ["errata", "errata/", "errata//"]) {
        const { get } = yield* Effect.provide(BlobStore, at({ prefix }))
        expect((yield* get(key))._tag).toBe("Some")
      }
      for (const prefix of ["", "/", `errata${key.slice(0, 1)}`]) {
        const { get } = yield* Effect.provide(BlobStore, at({ prefix }))
        expect((yield* get(key))._tag).toBe("None")
      }
    }).pipe(Effect.provide(server)),
  )

  it.effect("separates prefixes, and rejects damaged objects", () =>
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

const objectsAt = (overrides: Partial<S3.S3Options> = {}) =>
  Layer.unwrap(
    Effect.map(Server, (endpoint) =>
      S3.layerObjects({ ...options, endpoint, prefix: "errata/", ...overrides }),
    ),
  )

describe("Objects in a store of objects", () => {
  objectStoreCases(Layer.provide(objectsAt(), server))

  it.effect("fail without the bucket", () =>
    Effect.gen(function* () {
      const store = yield* Effect.provide(ObjectStore, objectsAt({ bucket: "elsewhere" }))
      expect(yield* Effect.flip(store!.read("7/a", 0, 1))).toMatchObject({ _tag: "ObjectStoreError" })
    }).pipe(Effect.provide(server)),
  )

  it.live("time out on a server that does not answer", () =>
    Effect.gen(function* () {
      const asked = yield* Deferred.make<void>()
      const left = yield* Deferred.make<void>()
      const endpoint = yield* silentServer(asked, left)
      const store = yield* ObjectStore.pipe(Effect.provide(S3.layerObjects({ ...options, endpoint })))
      const reading = yield* Effect.forkChild(Effect.flip(store!.read("7/a", 0, 1)))
      yield* Deferred.await(asked)
      yield* TestClock.adjust("5 seconds")
      expect(yield* Fiber.join(reading)).toMatchObject({ _tag: "ObjectStoreError" })
      yield* Deferred.await(left)
    }).pipe(Effect.provide(TestClock.layer())),
  )
})
