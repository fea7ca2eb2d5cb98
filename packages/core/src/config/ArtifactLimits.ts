import { Schema } from "effect"
import { bytes, count, duration } from "./SettingSchema.js"

/** The bounds of what build tools may upload. */
export const ArtifactLimits = Schema.Struct({
  chunkBytes: bytes({
    default: "8 MiB",
    min: "1 KiB",
    max: "32 MiB",
    description: "A chunk of an upload. Build tools cut what they upload into chunks of this size.",
  }),
  maxBundleBytes: bytes({
    default: "512 MiB",
    min: "1 MiB",
    max: "4 GiB",
    description: "A bundle of artifacts, as it is uploaded.",
  }),
  maxFiles: count({ default: "50000", min: "1", max: "1000000", description: "Files of one bundle." }),
  maxManifestBytes: bytes({
    default: "16 MiB",
    min: "1 KiB",
    max: "256 MiB",
    description: "The manifest of a bundle.",
  }),
  maxFileBytes: bytes({
    default: "128 MiB",
    min: "1 KiB",
    max: "512 MiB",
    description:
      "One file of a bundle, inflated; a file that is uploaded by itself, of which 40 MiB are taken at most.",
  }),
  maxTotalBytes: bytes({
    default: "2 GiB",
    min: "1 MiB",
    max: "64 GiB",
    description: "All files of a bundle, inflated.",
  }),
  maxOpenBytes: bytes({
    default: "2 GiB",
    min: "1 MiB",
    max: "1 TiB",
    description: "Chunks of one user that no bundle was made of yet.",
  }),
  keepChunks: duration({
    default: "1 day",
    min: "1 minute",
    max: "30 days",
    description: "How long chunks are kept of which no bundle was made.",
  }),
  keepFailed: duration({
    default: "30 days",
    min: "1 minute",
    max: "3650 days",
    description: "How long it is kept and shown that an upload failed, and why.",
  }),
})
export type ArtifactLimits = typeof ArtifactLimits.Type
