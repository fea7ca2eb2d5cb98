import { Duration, Schema } from "effect"
import { bytes, constant } from "./SettingSchema.js"

/** Limits for uploads by build tools. */
export const ArtifactLimits = Schema.Struct({
  chunkBytes: bytes({
    default: "8 MiB",
    min: "1 KiB",
    max: "32 MiB",
    description:
      "Chunk size that build tools use. A request has up to four chunks; lower it if a proxy limits request bodies.",
  }),
  maxBundleBytes: bytes({
    default: "512 MiB",
    min: "1 MiB",
    max: "4 GiB",
    description:
      "Maximum size of an uploaded bundle. Raise it if uploads of a large application are rejected.",
  }),
  maxFileBytes: bytes({
    default: "128 MiB",
    min: "1 KiB",
    max: "512 MiB",
    description:
      "Maximum decompressed size of a file in a bundle. Raise it if a source map is larger. A file that is uploaded alone may have at most 40 MiB.",
  }),
  maxOpenBytes: bytes({
    default: "2 GiB",
    min: "1 MiB",
    max: "1 TiB",
    description:
      "Maximum bytes of a user's chunks that are not part of a bundle yet. Raise it if a build server uploads many large bundles at the same time.",
  }),
  /** Maximum size of a bundle's manifest. */
  maxManifestBytes: constant(16 * 1024 ** 2),
  /** Maximum number of files in a bundle. */
  maxFiles: constant(50_000),
  /** Maximum decompressed size of all files in a bundle. */
  maxTotalBytes: constant(2 * 1024 ** 3),
  /** Time after which chunks without a bundle are deleted. */
  keepChunks: constant(Duration.days(1)),
  /** Time after which the record of a failed upload is deleted. */
  keepFailed: constant(Duration.days(30)),
})
export type ArtifactLimits = typeof ArtifactLimits.Type
