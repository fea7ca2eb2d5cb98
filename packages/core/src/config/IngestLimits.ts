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
    description: "A request body, on the wire and decoded alike. Larger ones are refused.",
  }),
  maxHeaderLineBytes: bytes({
    default: "8 KiB",
    min: "256 B",
    max: "64 KiB",
    description: "A header line of an envelope or of an item in it. Longer ones are refused.",
  }),
  maxItems: count({
    default: "16",
    min: "1",
    max: "1000",
    description: "Items of one envelope. With more it is refused.",
  }),
  maxEventBytes: bytes({
    default: "1 MiB",
    min: "1 KiB",
    max: "16 MiB",
    description: "The JSON of an event. Larger ones are refused.",
  }),
  maxAttachments: count({
    default: "8",
    min: "0",
    max: "100",
    description: "Attachments of one envelope. With more it is refused.",
  }),
  maxAttachmentBytes: bytes({
    default: "1 MiB",
    min: "1 KiB",
    max: "16 MiB",
    description: "An attachment. Larger ones are refused.",
  }),
  maxDepth: count({
    default: "64",
    min: "4",
    max: "256",
    description: "How deep the values of an event may be nested, the event itself being 1.",
  }),
  maxKeyBytes: bytes({
    default: "1 KiB",
    min: "16 B",
    max: "8 KiB",
    description: "Names within an event, in UTF-8 as all texts here.",
  }),
  maxStringBytes: bytes({
    default: "64 KiB",
    min: "256 B",
    max: "1 MiB",
    description: "Texts that only a detail view shows.",
  }),
  maxShortStringBytes: bytes({
    default: "8 KiB",
    min: "64 B",
    max: "8 KiB",
    description: "Texts that are indexed or shown in lists.",
  }),
  maxExceptions: count({
    default: "32",
    min: "1",
    max: "1000",
    description: "Exceptions of a chain; the first half and the last half are kept.",
  }),
  maxThreads: count({ default: "64", min: "1", max: "1000", description: "Threads of an event." }),
  maxFramesPerStack: count({
    default: "200",
    min: "2",
    max: "1000",
    description: "Frames of one stack; the first half and the last half are kept.",
  }),
  maxFrames: count({ default: "1000", min: "2", max: "10000", description: "Frames of an event in all." }),
  maxBreadcrumbs: count({
    default: "100",
    min: "0",
    max: "1000",
    description: "Breadcrumbs of an event; the last ones are kept.",
  }),
  maxTags: count({ default: "100", min: "0", max: "100", description: "Tags of an event." }),
  maxTagKeyBytes: bytes({ default: "200 B", min: "16 B", max: "200 B", description: "The name of a tag." }),
  maxTagValueBytes: bytes({
    default: "2 KiB",
    min: "16 B",
    max: "2 KiB",
    description: "The value of a tag.",
  }),
  maxContexts: count({ default: "50", min: "0", max: "1000", description: "Contexts of an event." }),
  maxExtras: count({ default: "100", min: "0", max: "1000", description: "Extra values of an event." }),
  maxDependencies: count({
    default: "500",
    min: "0",
    max: "10000",
    description: "Dependencies that an event names, with their versions.",
  }),
  maxDebugImages: count({ default: "500", min: "0", max: "10000", description: "Debug images of an event." }),
})
export type IngestLimits = typeof IngestLimits.Type

export const defaultIngestLimits: IngestLimits = settingsFrom(IngestLimits, new Map())
