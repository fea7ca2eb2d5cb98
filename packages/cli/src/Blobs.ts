/** The blob store for uploaded files, if it is not the database. Drivers are loaded on demand. */
import type { Services, StorageError } from "@errata/core"
import type { BlobStore, ObjectStoreError } from "@errata/core/ports"
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

/** Replaces the blob store of `stores` with the chosen one. */
export const withBlobs = <E>(
  stores: Layer.Layer<Services.Stores, E>,
  choice: BlobsChoice,
): Layer.Layer<Services.Stores, E | StorageError> =>
  choice.kind === "database" ? stores : Layer.merge(stores, Layer.unwrap(layerOf(choice)))

/** Adds the chosen object store to the stores. The database has none. */
export const withObjects = <A, E>(
  stores: Layer.Layer<A, E>,
  choice: BlobsChoice,
): Layer.Layer<A, E | ObjectStoreError> =>
  choice.kind === "database" ? stores : Layer.provide(stores, Layer.unwrap(objectsOf(choice)))

/** Explains a failure of the blob store to the user who chose it. */
export const explain = (choice: BlobsChoice, { cause }: StorageError | ObjectStoreError): string => {
  const said = cause instanceof Error ? cause.message : String(cause)
  const place = choice.kind === "directory" ? choice.path : choice.kind
  return `Uploads cannot be stored in ${place}: ${said}`
}

// internal

type Place = Exclude<BlobsChoice, { readonly kind: "database" }>

const layerOf = (choice: Place): Effect.Effect<Layer.Layer<BlobStore, StorageError>> =>
  choice.kind === "directory"
    ? Effect.map(directory, ({ layer }) => layer({ path: choice.path }))
    : Effect.map(s3, ({ layer }) => layer(s3Options(choice)))

const objectsOf = (choice: Place): Effect.Effect<Layer.Layer<never, ObjectStoreError>> =>
  choice.kind === "directory"
    ? Effect.map(directory, ({ layerObjects }) => layerObjects({ path: choice.path }))
    : Effect.map(s3, ({ layerObjects }) => layerObjects(s3Options(choice)))

const directory = Effect.promise(() => import("@errata/blobs/directory"))
const s3 = Effect.promise(() => import("@errata/blobs/s3"))

const s3Options = ({ bucket, endpoint, prefix, region }: Extract<Place, { readonly kind: "s3" }>) => ({
  bucket,
  prefix,
  ...(endpoint === undefined ? {} : { endpoint }),
  ...(region === undefined ? {} : { region }),
})
