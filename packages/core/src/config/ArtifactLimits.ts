import { Schema } from "effect"
import { bytes, count, duration } from "./SettingSchema.js"

/** The bounds of what build tools may upload. */
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
    description: "Maximum size of an uploaded bundle.",
  }),
  maxFiles: count({
    default: "50000",
    min: "1",
    max: "1000000",
    description: "Maximum number of files in a bundle.",
  }),
  maxManifestBytes: bytes({
    default: "16 MiB",
    min: "1 KiB",
    max: "256 MiB",
    description: "Maximum size of a bundle's manifest.",
  }),
  maxFileBytes: bytes({
    default: "128 MiB",
    min: "1 KiB",
    max: "512 MiB",
    description:
      "Maximum decompressed size of a file in a bundle. A file that is uploaded alone may have at most 40 MiB.",
  }),
  maxTotalBytes: bytes({
    default: "2 GiB",
    min: "1 MiB",
    max: "64 GiB",
    description: "Maximum decompressed size of all files in a bundle.",
  }),
  maxOpenBytes: bytes({
    default: "2 GiB",
    min: "1 MiB",
    max: "1 TiB",
    description: "Maximum bytes of a user's chunks that are not part of a bundle yet.",
  }),
  keepChunks: duration({
    default: "1 day",
    min: "1 minute",
    max: "30 days",
    description: "Time after which chunks without a bundle are deleted.",
  }),
  keepFailed: duration({
    default: "30 days",
    min: "1 minute",
    max: "3650 days",
    description: "Time after which the record of a failed upload is deleted.",
  }),
})
export type ArtifactLimits = typeof ArtifactLimits.Type
