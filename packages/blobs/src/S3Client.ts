/** The client of S3 stores and the keys of objects. */
import type { S3Client, S3ClientConfig } from "@aws-sdk/client-s3"
import { Duration, Effect, Redacted } from "effect"

/** The bucket and its connection. */
export interface S3Options {
  readonly bucket: string
  /** Prefix of all keys, such as `errata`. By default, objects are at the top of the bucket. */
  readonly prefix?: string
  readonly region?: string
  /** Endpoint of a store other than Amazon's. Objects are then addressed by path. */
  readonly endpoint?: string
  /** By default, Amazon's client finds credentials in the environment, a profile or the instance metadata. */
  readonly credentials?: {
    readonly accessKeyId: string
    readonly secretAccessKey: Redacted.Redacted
  }
}

/** Amazon's package, its client, and the common prefix of all keys. */
export interface Opened {
  readonly sdk: typeof import("@aws-sdk/client-s3")
  readonly client: S3Client
  readonly folder: string
}

/** Loads Amazon's package, which is an optional dependency. Sends no request. */
export const make = (options: S3Options) =>
  Effect.gen(function* () {
    const sdk = yield* Effect.tryPromise(() => import("@aws-sdk/client-s3"))
    const client = yield* Effect.acquireRelease(
      Effect.sync(() => new sdk.S3Client(configOf(options))),
      (opened) => Effect.sync(() => opened.destroy()),
    )
    const opened: Opened = { sdk, client, folder: folderOf(options.prefix ?? "") }
    return opened
  })

/** Fails if the store does not respond in time; the SDK alone could wait forever. */
export const attempt =
  <E>(failure: (operation: string, cause: unknown) => E, patience: Duration.Input) =>
  <A>(operation: string, work: (abortSignal: AbortSignal) => Promise<A>): Effect.Effect<A, E> =>
    Effect.tryPromise({ try: work, catch: (cause) => failure(operation, cause) }).pipe(
      Effect.timeoutOrElse({
        duration: patience,
        orElse: () => Effect.fail(failure(operation, new Error("the object store did not respond in time"))),
      }),
    )

/** Returns `value` if the object does not exist. A missing bucket remains an error. */
export const missingAs =
  <B>(value: B) =>
  <A, E extends { readonly cause: unknown }>(effect: Effect.Effect<A, E>): Effect.Effect<A | B, E> =>
    Effect.catchIf(
      effect,
      ({ cause }) => cause instanceof Error && missingNames.includes(cause.name),
      () => Effect.succeed(value),
    )

// internal

/** Normalizes the prefix to end with one slash. */
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
  // Many stores do not support Amazon's checksums. Errata verifies its own when it reads.
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

/** HEAD responses have no body, so the error is only `NotFound`. */
const missingNames: ReadonlyArray<string> = ["NoSuchKey" satisfies S3ErrorName, "NotFound"]

type S3ErrorName = InstanceType<typeof import("@aws-sdk/client-s3").NoSuchKey>["name"]
