/** The client of S3 stores, and where objects are. */
import type { S3Client, S3ClientConfig } from "@aws-sdk/client-s3"
import { Duration, Effect, Redacted } from "effect"

/** The bucket, and how to reach it. */
export interface S3Options {
  readonly bucket: string
  /** The folder of all objects, such as `errata`. By default, they are at the top of the bucket. */
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

/** Amazon's package, its client, and the folder that all keys begin with. */
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

/** Fails when the store has not responded in time: one that is silent would hold its caller for ever. */
export const attempt =
  <E>(failure: (operation: string, cause: unknown) => E, patience: Duration.Input) =>
  <A>(operation: string, work: (abortSignal: AbortSignal) => Promise<A>): Effect.Effect<A, E> =>
    Effect.tryPromise({ try: work, catch: (cause) => failure(operation, cause) }).pipe(
      Effect.timeoutOrElse({
        duration: patience,
        orElse: () => Effect.fail(failure(operation, new Error("the object store did not respond in time"))),
      }),
    )

/** An object that is not there. A bucket that is not there is a mistake, and not an answer. */
export const missingAs =
  <B>(value: B) =>
  <A, E extends { readonly cause: unknown }>(effect: Effect.Effect<A, E>): Effect.Effect<A | B, E> =>
    Effect.catchIf(
      effect,
      ({ cause }) => cause instanceof Error && missingNames.includes(cause.name),
      () => Effect.succeed(value),
    )

// internal

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
  // Not every store knows Amazon's checksums. Errata checks its own when it reads.
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

/** A request for the head of an object has no body that could say more than `NotFound`. */
const missingNames: ReadonlyArray<string> = ["NoSuchKey" satisfies S3ErrorName, "NotFound"]

type S3ErrorName = InstanceType<typeof import("@aws-sdk/client-s3").NoSuchKey>["name"]
