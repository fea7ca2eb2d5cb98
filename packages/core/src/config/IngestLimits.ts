import { Schema } from "effect"
import { settingsFrom } from "./SettingList.js"
import { bytes, constant, count } from "./SettingSchema.js"

/**
 * Limits for payloads of applications. A request over a hard limit is rejected. Over any other limit, the event is
 * truncated, and `ingest_truncations` names the cuts.
 */
export const IngestLimits = Schema.Struct({
  maxBodyBytes: bytes({
    default: "16 MiB",
    min: "64 KiB",
    max: "64 MiB",
    description:
      "Maximum size of a request body, both compressed and decompressed. Larger requests are rejected. Raise it if SDKs send several large attachments with one event.",
  }),
  maxEventBytes: bytes({
    default: "1 MiB",
    min: "1 KiB",
    max: "16 MiB",
    description:
      "Maximum size of an event's JSON. Requests with larger events are rejected. Raise it if the events of an application get 413.",
  }),
  maxAttachments: count({
    default: "8",
    min: "0",
    max: "100",
    description:
      "Maximum number of attachments in an envelope. Envelopes with more are rejected. Raise it if an application attaches many files to one event.",
  }),
  maxAttachmentBytes: bytes({
    default: "1 MiB",
    min: "1 KiB",
    max: "16 MiB",
    description:
      "Maximum size of an attachment. Requests with larger ones are rejected. Raise it for crash dumps or screenshots.",
  }),
  maxStringBytes: bytes({
    default: "64 KiB",
    min: "256 B",
    max: "1 MiB",
    description:
      "Maximum length of a string that appears in the details of a report, but not in lists. Longer strings are cut. Raise it if long values, such as request bodies, must be complete.",
  }),
  maxFramesPerStack: count({
    default: "200",
    min: "2",
    max: "1000",
    description:
      "Maximum number of frames in a stack. If there are more, half of this number is kept from each end. Raise it if the frames in the middle of deep stacks matter.",
  }),
  maxBreadcrumbs: count({
    default: "100",
    min: "0",
    max: "1000",
    description:
      "Maximum number of breadcrumbs. The last ones are kept. Raise it if an SDK is configured to send more. Lower it to save disk space.",
  }),
  maxTags: count({
    default: "100",
    min: "0",
    max: "100",
    description:
      "Maximum number of tags. The first ones are kept. The default is the highest value. Lower it to save disk space if applications send many tags.",
  }),
  maxExtras: count({
    default: "100",
    min: "0",
    max: "1000",
    description:
      "Maximum number of extra values. The first ones are kept. Raise it if an application sends more. Lower it to save disk space.",
  }),
  /** Maximum length of a header line in an envelope. Envelopes with longer lines are rejected. */
  maxHeaderLineBytes: constant(8 * 1024),
  /** Maximum number of items in an envelope. Envelopes with more are rejected. */
  maxItems: constant(16),
  /** Maximum nesting depth of an event. The event itself has depth 1. */
  maxDepth: constant(64),
  /** Maximum length of a key in an event, in bytes of UTF-8. */
  maxKeyBytes: constant(1 * 1024),
  /** Maximum length of a string that is indexed or shown in lists. */
  maxShortStringBytes: constant(8 * 1024),
  /** Maximum number of exceptions in a chain. If there are more, half of this number is kept from each end. */
  maxExceptions: constant(32),
  /** Maximum number of threads. Crashed and current threads are kept first. */
  maxThreads: constant(64),
  /** Maximum number of frames in all stacks of an event. The longest stacks are cut first. */
  maxFrames: constant(1000),
  /** Maximum length of a tag's key. */
  maxTagKeyBytes: constant(200),
  /** Maximum length of a tag's value. */
  maxTagValueBytes: constant(2 * 1024),
  /** Maximum number of contexts. */
  maxContexts: constant(50),
  /** Maximum number of dependencies in an event. */
  maxDependencies: constant(500),
  /** Maximum number of debug images. */
  maxDebugImages: constant(500),
})
export type IngestLimits = typeof IngestLimits.Type

/** The default limits. */
export const defaultIngestLimits: IngestLimits = settingsFrom(IngestLimits, new Map())
