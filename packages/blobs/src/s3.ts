/** Stores the contents of artifacts as objects in an S3-compatible store. */
import { promisify } from "node:util"
import { gunzip, gzip } from "node:zlib"
import { StorageError } from "@errata/core"
import { BlobContent, BlobStore, DiskUnmeasurable, type ObjectStoreError } from "@errata/core/ports"
import { Effect, Layer, Option } from "effect"
import * as S3Client from "./S3Client.js"
import { missingAs, type S3Options } from "./S3Client.js"
import * as S3Objects from "./S3Objects.js"

export type { S3Options }

/** Stores contents in a bucket. Loads the S3 client when the layer is built, without connecting to a server. */
export const layer = (options: S3Options): Layer.Layer<BlobStore, StorageError> =>
  Layer.effect(
    BlobStore,
    Effect.gen(function* () {
      const { client, folder, sdk } = yield* Effect.mapError(
        S3Client.make(options),
        ({ cause }) => new StorageError({ operation: "BlobStore.open", reason: "rejected", cause }),
      )
      const place = (key: string) => ({
        Bucket: options.bucket,
        Key: `${folder}${key.slice(0, 2)}/${key}.gz`,
      })

      const sizeOf = (key: string) =>
        attempt("BlobStore.put", (abortSignal) =>
          client.send(new sdk.HeadObjectCommand(place(key)), { abortSignal }),
        ).pipe(
          Effect.map(({ ContentLength = 0 }) => Option.some(ContentLength)),
          missingAs(Option.none<number>()),
        )

      return BlobStore.of({
        put: (key, content) =>
          Effect.gen(function* () {
            const known = yield* sizeOf(key)
            if (Option.isSome(known)) return known.value
            const packed = yield* Effect.promise(() => zip(content))
            yield* attempt("BlobStore.put", (abortSignal) =>
              client.send(new sdk.PutObjectCommand({ ...place(key), Body: packed }), { abortSignal }),
            )
            return packed.byteLength
          }),

        get: (key) =>
          attempt("BlobStore.get", async (abortSignal) => {
            const { Body } = await client.send(new sdk.GetObjectCommand(place(key)), { abortSignal })
            if (Body === undefined) throw new Error("the object has no body")
            return await Body.transformToByteArray()
          }).pipe(
            Effect.flatMap((kept) => BlobContent.open(key, kept, unzip)),
            Effect.map(Option.some),
            missingAs(Option.none<Uint8Array>()),
          ),

        // One request per key: S3-compatible stores differ in their support for bulk deletes.
        remove: (keys) =>
          Effect.forEach(
            keys,
            (key) =>
              attempt("BlobStore.remove", (abortSignal) =>
                client.send(new sdk.DeleteObjectCommand(place(key)), { abortSignal }),
              ).pipe(missingAs(undefined)),
            { concurrency: 8, discard: true },
          ),

        disk: new DiskUnmeasurable({ reason: "an object store has no disk to measure", why: "no_disk" }),
      })
    }),
  )

/** Stores named objects below `objects/` in the same bucket. Building the layer connects to no server. */
export const layerObjects = (options: S3Options): Layer.Layer<never, ObjectStoreError> =>
  S3Objects.layer(options)

// internal

const zip = promisify(gzip)
const unzip = promisify(gunzip)

/** Rejected requests are retryable too: the operator can fix the credentials and rules of the store. */
const attempt = S3Client.attempt(
  (operation, cause) => new StorageError({ operation, reason: "unavailable", cause }),
  "2 minutes",
)
