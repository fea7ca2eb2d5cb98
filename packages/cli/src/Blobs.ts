/** The place of uploaded files, if it is not the database. Drivers are loaded on demand. */
import type { Services, StorageError } from "@errata/core"
import type { BlobStore } from "@errata/core/ports"
import { Effect, Layer } from "effect"

/** Plain values, so that a thread can receive them. */
export type BlobsChoice =
  | { readonly kind: "database" }
  | { readonly kind: "directory"; readonly path: string }
  | {
      readonly kind: "s3"
      readonly bucket: string
      readonly prefix: string
      readonly endpoint: string | undefined
      readonly region: string | undefined
    }

/** Replaces the blob store of `stores` with the chosen place. */
export const withBlobs = <E>(
  stores: Layer.Layer<Services.Stores, E>,
  choice: BlobsChoice,
): Layer.Layer<Services.Stores, E | StorageError> =>
  choice.kind === "database" ? stores : Layer.merge(stores, Layer.unwrap(layerOf(choice)))

/** Explains a failure of the place to the user who chose it. */
export const explain = (choice: BlobsChoice, { cause }: StorageError): string => {
  const said = cause instanceof Error ? cause.message : String(cause)
  const place = choice.kind === "directory" ? choice.path : choice.kind
  return `Uploads cannot be stored in ${place}: ${said}`
}

// internal

const layerOf = (
  choice: Exclude<BlobsChoice, { readonly kind: "database" }>,
): Effect.Effect<Layer.Layer<BlobStore, StorageError>> => {
  if (choice.kind === "directory") {
    return Effect.map(
      Effect.promise(() => import("@errata/blobs/directory")),
      (directory) => directory.layer({ path: choice.path }),
    )
  }
  const { bucket, endpoint, prefix, region } = choice
  return Effect.map(
    Effect.promise(() => import("@errata/blobs/s3")),
    (s3) =>
      s3.layer({
        bucket,
        prefix,
        ...(endpoint === undefined ? {} : { endpoint }),
        ...(region === undefined ? {} : { region }),
      }),
  )
}
