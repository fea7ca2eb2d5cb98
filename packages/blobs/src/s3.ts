/** Contents of artifacts as objects of a store that speaks S3. */
import { promisify } from "node:util"
import { gunzip, gzip } from "node:zlib"
import type { S3ClientConfig } from "@aws-sdk/client-s3"
import { StorageError } from "@errata/core"
import { BlobContent, BlobStore, DiskUnmeasurable } from "@errata/core/ports"
import { Duration, Effect, Layer, Option, Redacted } from "effect"

/** The bucket, and how to reach it. */
export interface S3Options {
  readonly bucket: string
  /** What names of objects begin with, such as `errata`, a slash being put behind it; nothing unless told. */
  readonly prefix?: string
  readonly region?: string
  /** The address of the store, where it is not Amazon's. Objects are addressed by path there. */
  readonly endpoint?: string
  /** Without them they come from where Amazon's client looks for them: the environment, a profile, the machine. */
  readonly credentials?: {
    readonly accessKeyId: string
    readonly secretAccessKey: Redacted.Redacted
  }
}

/** The client is loaded when the layer is built; building it reaches no server. */
export const layer = (options: S3Options): Layer.Layer<BlobStore, StorageError> =>
  Layer.effect(
    BlobStore,
    Effect.gen(function* () {
      const sdk = yield* Effect.tryPromise({
        try: () => import("@aws-sdk/client-s3"),
        // It is there only where somebody has installed it.
        catch: (cause) => new StorageError({ operation: "BlobStore.open", reason: "rejected", cause }),
      })
      const client = yield* Effect.acquireRelease(
        Effect.sync(() => new sdk.S3Client(configOf(options))),
        (opened) => Effect.sync(() => opened.destroy()),
      )
      const folder = folderOf(options.prefix ?? "")
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

        // One by one: what removes many at once differs from store to store.
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

// internal

const zip = promisify(gzip)
const unzip = promisify(gunzip)

/** With one slash at its end, however many there were. */
const folderOf = (prefix: string): string => {
  const name = prefix.replace(/\/+$/, "")
  return name === "" ? "" : `${name}/`
}

const configOf = ({ credentials, endpoint, region }: S3Options): S3ClientConfig => ({
  region: region ?? "us-east-1",
  requestHandler: {
    connectionTimeout: Duration.toMillis("5 seconds"),
    socketTimeout: Duration.toMillis("1 minute"),
  },
  // Not every store knows the checksums that Amazon's has come to ask for; the hash is checked when it is read.
  requestChecksumCalculation: "WHEN_REQUIRED",
  responseChecksumValidation: "WHEN_REQUIRED",
  ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
  ...(credentials === undefined
    ? {}
    : {
        credentials: {
          accessKeyId: credentials.accessKeyId,
          secretAccessKey: Redacted.value(credentials.secretAccessKey),
        },
      }),
})

const attempt = <A>(
  operation: string,
  work: (abortSignal: AbortSignal) => Promise<A>,
): Effect.Effect<A, StorageError> =>
  Effect.tryPromise({
    try: work,
    // Also where the store refuses: whoever has it can change its keys and its rules.
    catch: (cause) => new StorageError({ operation, reason: "unavailable", cause }),
  }).pipe(
    Effect.timeoutOrElse({
      duration: patience,
      orElse: () =>
        Effect.fail(
          new StorageError({
            operation,
            reason: "unavailable",
            cause: new Error("the object store did not respond in time"),
          }),
        ),
    }),
  )

/** For one object, however often it is tried: a store that is silent would hold an upload, or a job, for ever. */
const patience = "2 minutes"

/** An object that is not there. A bucket that is not there is a mistake, and not an answer. */
const missingAs =
  <B>(value: B) =>
  <A>(effect: Effect.Effect<A, StorageError>): Effect.Effect<A | B, StorageError> =>
    Effect.catchIf(
      effect,
      ({ cause }) => cause instanceof Error && missingNames.includes(cause.name),
      () => Effect.succeed(value),
    )

/** A request for the head of an object has no body that could say more than `NotFound`. */
const missingNames: ReadonlyArray<string> = ["NoSuchKey" satisfies S3ErrorName, "NotFound"]

type S3ErrorName = InstanceType<typeof import("@aws-sdk/client-s3").NoSuchKey>["name"]
