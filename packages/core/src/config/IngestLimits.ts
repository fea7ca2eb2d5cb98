import { Schema } from "effect"
import { settingsFrom } from "./SettingList.js"
import { bytes, count } from "./SettingSchema.js"

/**
 * The bounds of what an application may send. Over a hard limit a request is refused; over the others the event is
 * kept, the rest cut, and the cut named in `ingest_truncations`.
 */
export const IngestLimits = Schema.Struct({
  maxBodyBytes: bytes({
    default: "16 MiB",
    min: "64 KiB",
    max: "64 MiB",
    description:
      "Maximum size of a request body, both compressed and decompressed. Larger requests are rejected.",
  }),
  maxHeaderLineBytes: bytes({
    default: "8 KiB",
    min: "256 B",
    max: "64 KiB",
    description: "Maximum length of a header line in an envelope. Envelopes with longer lines are rejected.",
  }),
  maxItems: count({
    default: "16",
    min: "1",
    max: "1000",
    description: "Maximum number of items in an envelope. Envelopes with more are rejected.",
  }),
  maxEventBytes: bytes({
    default: "1 MiB",
    min: "1 KiB",
    max: "16 MiB",
    description: "Maximum size of an event's JSON. Requests with larger events are rejected.",
  }),
  maxAttachments: count({
    default: "8",
    min: "0",
    max: "100",
    description: "Maximum number of attachments in an envelope. Envelopes with more are rejected.",
  }),
  maxAttachmentBytes: bytes({
    default: "1 MiB",
    min: "1 KiB",
    max: "16 MiB",
    description: "Maximum size of an attachment. Requests with larger ones are rejected.",
  }),
  maxDepth: count({
    default: "64",
    min: "4",
    max: "256",
    description: "Maximum nesting depth of an event. The event itself has depth 1.",
  }),
  maxKeyBytes: bytes({
    default: "1 KiB",
    min: "16 B",
    max: "8 KiB",
    description: "Maximum length of a key in an event, in bytes of UTF-8.",
  }),
  maxStringBytes: bytes({
    default: "64 KiB",
    min: "256 B",
    max: "1 MiB",
    description: "Maximum length of a string that appears in the details of a report, but not in lists.",
  }),
  maxShortStringBytes: bytes({
    default: "8 KiB",
    min: "64 B",
    max: "8 KiB",
    description: "Maximum length of a string that is indexed or shown in lists.",
  }),
  maxExceptions: count({
    default: "32",
    min: "1",
    max: "1000",
    description:
      "Maximum number of exceptions in a chain. If there are more, half of this number is kept from each end.",
  }),
  maxThreads: count({
    default: "64",
    min: "1",
    max: "1000",
    description: "Maximum number of threads. Crashed and current threads are kept first.",
  }),
  maxFramesPerStack: count({
    default: "200",
    min: "2",
    max: "1000",
    description:
      "Maximum number of frames in a stack. If there are more, half of this number is kept from each end.",
  }),
  maxFrames: count({
    default: "1000",
    min: "2",
    max: "10000",
    description: "Maximum number of frames in all stacks of an event. The longest stacks are cut first.",
  }),
  maxBreadcrumbs: count({
    default: "100",
    min: "0",
    max: "1000",
    description: "Maximum number of breadcrumbs. The last ones are kept.",
  }),
  maxTags: count({ default: "100", min: "0", max: "100", description: "Maximum number of tags." }),
  maxTagKeyBytes: bytes({
    default: "200 B",
    min: "16 B",
    max: "200 B",
    description: "Maximum length of a tag's key.",
  }),
  maxTagValueBytes: bytes({
    default: "2 KiB",
    min: "16 B",
    max: "2 KiB",
    description: "Maximum length of a tag's value.",
  }),
  maxContexts: count({ default: "50", min: "0", max: "1000", description: "Maximum number of contexts." }),
  maxExtras: count({ default: "100", min: "0", max: "1000", description: "Maximum number of extra values." }),
  maxDependencies: count({
    default: "500",
    min: "0",
    max: "10000",
    description: "Maximum number of dependencies in an event.",
  }),
  maxDebugImages: count({
    default: "500",
    min: "0",
    max: "10000",
    description: "Maximum number of debug images.",
  }),
})
export type IngestLimits = typeof IngestLimits.Type

export const defaultIngestLimits: IngestLimits = settingsFrom(IngestLimits, new Map())
