/** Stores named objects in an S3-compatible store. Large objects use multipart uploads. */
import type { CompletedPart } from "@aws-sdk/client-s3"
import { Waiting } from "@errata/core/internal"
import { type AppendObject, ObjectStore, ObjectStoreError, type ObjectStoreService } from "@errata/core/ports"
import { Effect, Layer, Option, type Scope } from "effect"
import * as S3Client from "./S3Client.js"
import { missingAs, type S3Options } from "./S3Client.js"

export const layer = (options: S3Options): Layer.Layer<never, ObjectStoreError> =>
  Layer.effect(ObjectStore, make(options))

export const make = (options: S3Options): Effect.Effect<ObjectStoreService, ObjectStoreError, Scope.Scope> =>
  Effect.gen(function* () {
    const { client, folder, sdk } = yield* Effect.mapError(
      S3Client.make(options),
      ({ cause }) => new ObjectStoreError({ operation: "ObjectStore.open", cause }),
    )
    const place = (name: string) => ({ Bucket: options.bucket, Key: `${folder}objects/${name}` })

    const abort = (name: string, UploadId: string) =>
      Effect.asVoid(
        writing("ObjectStore.remove", (abortSignal) =>
          client.send(new sdk.AbortMultipartUploadCommand({ ...place(name), UploadId }), { abortSignal }),
        ),
      )

    /** A multipart upload. It starts once the object is larger than one part. */
    const upload = (name: string) => {
      let id: string | null = null
      const parts: Array<CompletedPart> = []
      const start = Effect.map(
        writing("ObjectStore.put", (abortSignal) =>
          client.send(new sdk.CreateMultipartUploadCommand(place(name)), { abortSignal }),
        ),
        ({ UploadId }) => {
          id = UploadId!
          return id
        },
      )
      return {
        add: (Body: Uint8Array) =>
          Effect.gen(function* () {
            const UploadId: string = id ?? (yield* start)
            const PartNumber = parts.length + 1
            const { ETag } = yield* writing("ObjectStore.put", (abortSignal) =>
              client.send(new sdk.UploadPartCommand({ ...place(name), UploadId, PartNumber, Body }), {
                abortSignal,
              }),
            )
            parts.push({ ETag, PartNumber })
          }),
        finish: (rest: Uint8Array) =>
          Effect.suspend(() => {
            if (id !== null) {
              const command = { ...place(name), UploadId: id, MultipartUpload: { Parts: parts } }
              return writing("ObjectStore.put", (abortSignal) =>
                client.send(new sdk.CompleteMultipartUploadCommand(command), { abortSignal }),
              )
            }
            return writing("ObjectStore.put", (abortSignal) =>
              client.send(new sdk.PutObjectCommand({ ...place(name), Body: rest }), { abortSignal }),
            )
          }),
        isInParts: () => id !== null,
        giveUp: Effect.suspend(() =>
          id === null ? Effect.void : Effect.ignore(Waiting.atMost("5 seconds")(abort(name, id))),
        ),
      }
    }

    return {
      put: (name, write) =>
        Effect.suspend(() => {
          const { add, finish, giveUp, isInParts } = upload(name)
          let waiting: Array<Uint8Array> = []
          let bytes = 0
          const taken = () => {
            const part = Buffer.concat(waiting, bytes)
            waiting = []
            bytes = 0
            return part
          }
          const append: AppendObject = (chunk) =>
            Effect.suspend(() => {
              waiting.push(chunk)
              bytes += chunk.byteLength
              return bytes < partBytes ? Effect.void : add(taken())
            })
          const end = Effect.suspend(() => {
            const rest = taken()
            return isInParts() && rest.length > 0 ? Effect.andThen(add(rest), finish(rest)) : finish(rest)
          })
          return Effect.onError(
            Effect.tap(write(append), () => end),
            () => giveUp,
          )
        }),

      read: (name, offset, length) =>
        reading("ObjectStore.read", async (abortSignal) => {
          const Range = `bytes=${offset}-${offset + length - 1}`
          const { Body } = await client.send(new sdk.GetObjectCommand({ ...place(name), Range }), {
            abortSignal,
          })
          return Body === undefined ? new Uint8Array() : await Body.transformToByteArray()
        }).pipe(
          Effect.map(Option.some),
          missingAs(Option.none<Uint8Array>()),
          // The object ends before the range.
          Effect.catchIf(
            ({ cause }) => cause instanceof Error && cause.name === "InvalidRange",
            () => Effect.succeed(Option.some(new Uint8Array())),
          ),
        ),

      remove: (name) =>
        Effect.gen(function* () {
          // Some stores cannot list uploads. A lifecycle rule can delete unfinished ones there.
          const { Uploads = [] } = yield* Effect.orElseSucceed(
            writing("ObjectStore.remove", (abortSignal) =>
              client.send(
                new sdk.ListMultipartUploadsCommand({ Bucket: options.bucket, Prefix: place(name).Key }),
                { abortSignal },
              ),
            ),
            () => ({ Uploads: [] }),
          )
          for (const { Key, UploadId } of Uploads) {
            if (Key === place(name).Key && UploadId !== undefined) yield* Effect.ignore(abort(name, UploadId))
          }
          yield* writing("ObjectStore.remove", (abortSignal) =>
            client.send(new sdk.DeleteObjectCommand(place(name)), { abortSignal }),
          ).pipe(missingAs(undefined))
        }),
    }
  })

// internal

/** S3 allows at most 10,000 parts, so an object can have up to 160 GB. */
const partBytes = 16 * 1024 * 1024

const failure = (operation: string, cause: unknown) => new ObjectStoreError({ operation, cause })
const writing = S3Client.attempt(failure, "2 minutes")
const reading = S3Client.attempt(failure, "5 seconds")
