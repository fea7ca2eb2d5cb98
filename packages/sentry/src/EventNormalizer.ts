/** Normalizes an event in any of Sentry's shapes to the core's `ErrorEvent` within the limits. */
import type { Severity } from "@errata/core"
import type {
  Breadcrumb,
  ErrorEvent,
  EventDetails,
  IngestLimits,
  Json,
  JsonObject,
  Tag,
} from "@errata/core/ports"
import { Bounds } from "./internal/Bounds.js"
import { withClientTags } from "./internal/clientTags.js"
import { isRecord, type UnknownRecord } from "./internal/json.js"
import { readLogEntry } from "./internal/message.js"
import { readRequest, readUser } from "./internal/request.js"
import { readEventReport } from "./internal/securityEvent.js"
import { type Draft, entriesOf, isScalar, recordsOf } from "./internal/shapes.js"
import { readStacks } from "./internal/stack.js"
import { isoTimestamp, parseTimestamp } from "./internal/timestamps.js"

/** The options for reading an event. */
export interface NormalizeOptions {
  readonly limits: IngestLimits
  /** The id of the accepted event. */
  readonly eventId: string
  /** Epoch milliseconds. */
  readonly receivedAt: number
  /** The `sent_at` of the envelope, which corrects the sender's clock. */
  readonly sentAt?: unknown
  /** True if no string contains a NUL or a lone surrogate. Otherwise each string is checked. */
  readonly clean?: boolean
}

/** Normalizes and bounds a parsed event. Accepts any object and never throws. */
export const normalizeEvent = (event: UnknownRecord, options: NormalizeOptions): ErrorEvent => {
  const { limits } = options
  const bounds = new Bounds(limits, options.clean ?? false)
  const { exceptions, threads } = readStacks(event, bounds)
  const contexts = readContexts(event.contexts ?? event["sentry.interfaces.Contexts"], bounds)
  // See `Culprit.ts` of the core.
  const transaction = bounds.short(event.transaction || event.culprit, "transaction")
  const serverName = bounds.short(event.server_name, "server_name")
  const details: Draft<EventDetails> = {
    custom_fingerprint: readFingerprint(event.fingerprint, bounds),
    transaction,
    transaction_source: readTransactionSource(event.transaction_info, bounds),
    logger: bounds.short(event.logger, "logger"),
    dist: bounds.short(event.dist, "dist"),
    logentry: readLogEntry(event, bounds),
    exceptions,
    threads,
    security_report: readEventReport(event, bounds),
    breadcrumbs: readBreadcrumbs(event.breadcrumbs ?? event["sentry.interfaces.Breadcrumbs"], bounds),
    contexts,
    user: readUser(event.user ?? event["sentry.interfaces.User"], bounds),
    request: readRequest(event.request ?? event["sentry.interfaces.Http"], bounds),
    sdk: readSdk(event.sdk, bounds),
    extras: readExtras(event.extra, bounds),
    dependencies: readDependencies(event.modules, bounds),
    debug_images: readDebugImages(event.debug_meta ?? event["sentry.interfaces.DebugMeta"], bounds),
    ingest_truncations: [],
  }
  const normalized: ErrorEvent = {
    eventId: options.eventId,
    occurredAt: occurredAt(event.timestamp, options.sentAt, options.receivedAt),
    platform: bounds.short(event.platform, "platform") || "other",
    severity: readSeverity(event.level),
    handled: !exceptions.some((exception) => exception.mechanism?.handled === false),
    serverName: serverName || deviceName(contexts, bounds),
    environment: bounds.short(event.environment, "environment"),
    release: bounds.short(event.release, "release"),
    tags: withClientTags(readTags(event.tags, bounds), details, bounds),
    details,
  }
  details.ingest_truncations = bounds.truncations()
  return normalized
}

/**
 * Returns the time of an event in epoch milliseconds, corrected by the error of the sender's clock. If the result is
 * more than a minute after the receipt or 30 days before it, returns the time of receipt.
 */
export const occurredAt = (timestamp: unknown, sentAt: unknown, receivedAt: number): number => {
  const claimed = parseTimestamp(timestamp)
  if (claimed === null) return receivedAt
  const sent = parseTimestamp(sentAt)
  const drift = sent === null ? 0 : receivedAt - sent
  // Up to a minute is network latency and not an error of the clock.
  const corrected = Math.abs(drift) > minute ? claimed + drift : claimed
  return corrected > receivedAt + minute || corrected < receivedAt - 30 * day ? receivedAt : corrected
}

// internal

const minute = 60_000
const day = 24 * 60 * minute

const levels: Readonly<Record<string, Severity.Severity>> = {
  fatal: "fatal",
  error: "error",
  warning: "warning",
  warn: "warning",
  info: "info",
  debug: "debug",
  sample: "debug",
}

// Python's numeric levels, in steps of ten.
const numericLevels: ReadonlyArray<Severity.Severity> = [
  "debug",
  "debug",
  "info",
  "warning",
  "error",
  "fatal",
]

const readSeverity = (level: unknown): Severity.Severity => {
  if (typeof level === "number") return numericLevels[Math.floor(level / 10)] ?? "error"
  if (typeof level !== "string" || level.length > 32) return "error"
  const word = level.trim().toLowerCase()
  return Object.hasOwn(levels, word) ? levels[word]! : "error"
}

const maxFingerprintParts = 32
const maxFingerprintPartBytes = 1024
const maxFingerprintBytes = 8 * 1024

const readFingerprint = (value: unknown, bounds: Bounds): ReadonlyArray<string> | null => {
  const list = Array.isArray(value) ? value : isScalar(value) ? [value] : []
  const parts: Array<string> = []
  let bytes = 0
  for (const item of list) {
    if (item === null) continue
    const size = isScalar(item) ? Buffer.byteLength(String(item)) : Number.POSITIVE_INFINITY
    bytes += size
    if (
      size > maxFingerprintPartBytes ||
      bytes > maxFingerprintBytes ||
      parts.length === maxFingerprintParts
    ) {
      bounds.note("fingerprint: ignored, too large or not a list of strings")
      return null
    }
    parts.push(bounds.long(item, "fingerprint"))
  }
  return parts.length === 0 ? null : parts
}

const readTransactionSource = (value: unknown, bounds: Bounds): string | null =>
  isRecord(value) && typeof value.source === "string"
    ? bounds.short(value.source, "transaction_source")
    : null

const readTags = (value: unknown, bounds: Bounds): ReadonlyArray<Tag> => {
  const { maxTags, maxTagKeyBytes, maxTagValueBytes } = bounds.limits
  const tags: Array<Tag> = []
  const seen = new Set<string>()
  for (const [name, tag] of bounds.first(entriesOf(value), maxTags, "tags")) {
    if (tag === null || tag === undefined) continue
    const key = bounds.text(name, maxTagKeyBytes, "tag keys")
    if (key === "" || seen.has(key)) continue
    seen.add(key)
    tags.push({ key, value: bounds.scalar(tag, maxTagValueBytes, "tag values") })
  }
  return tags
}

const readContexts = (value: unknown, bounds: Bounds): EventDetails["contexts"] => {
  const given = entriesOf(value).filter(([, data]) => data !== null && data !== undefined)
  return bounds.first(given, bounds.limits.maxContexts, "contexts").map(([name, data]) => ({
    name: bounds.text(name, bounds.limits.maxKeyBytes, "context names"),
    data: bounds.object(data, 3, "contexts"),
  }))
}

const deviceName = (contexts: EventDetails["contexts"], bounds: Bounds): string => {
  const device = contexts.find((context) => context.name === "device")
  return device === undefined ? "" : bounds.short(device.data.name, "server_name")
}

const readExtras = (value: unknown, bounds: Bounds): EventDetails["extras"] => {
  const extras = bounds.first(entriesOf(value), bounds.limits.maxExtras, "extras")
  return extras.map(([key, extra]): { readonly key: string; readonly value: Json } => ({
    key: bounds.text(key, bounds.limits.maxKeyBytes, "extra keys"),
    value: bounds.json(extra, 3, "extras"),
  }))
}

const readDependencies = (value: unknown, bounds: Bounds): EventDetails["dependencies"] => {
  const modules = Array.isArray(value)
    ? value.map((item) => (isRecord(item) ? ([item.name, item.version] as const) : (item as unknown)))
    : value
  return bounds
    .first(entriesOf(modules), bounds.limits.maxDependencies, "dependencies")
    .map(([name, version]) => ({
      name: bounds.text(name, bounds.limits.maxKeyBytes, "dependency names"),
      version: bounds.short(version, "dependency versions"),
    }))
}

const readDebugImages = (value: unknown, bounds: Bounds): ReadonlyArray<JsonObject> => {
  const images = isRecord(value) && Array.isArray(value.images) ? recordsOf(value.images) : []
  return bounds
    .first(images, bounds.limits.maxDebugImages, "debug_images")
    .map((image) => bounds.object(image, 4, "debug_images"))
}

const readSdk = (value: unknown, bounds: Bounds): EventDetails["sdk"] => {
  const sdk = isRecord(value) ? value : undefined
  return { name: bounds.short(sdk?.name, "sdk name"), version: bounds.short(sdk?.version, "sdk version") }
}

const readBreadcrumbs = (value: unknown, bounds: Bounds): ReadonlyArray<Breadcrumb> =>
  bounds
    .last(recordsOf(value), bounds.limits.maxBreadcrumbs, "breadcrumbs")
    .map((crumb) => readBreadcrumb(crumb, bounds))

const readBreadcrumb = (value: UnknownRecord, bounds: Bounds): Breadcrumb => {
  const out: Draft<Breadcrumb> = {}
  const { type, category, level, message, data } = value
  const timestamp = isoTimestamp(value.timestamp)
  if (timestamp !== undefined) out.timestamp = timestamp
  if (isScalar(type)) out.type = bounds.short(type, "breadcrumb type")
  if (isScalar(category)) out.category = bounds.short(category, "breadcrumb category")
  if (isScalar(level)) out.level = bounds.short(level, "breadcrumb level")
  if (message !== undefined && message !== null) out.message = bounds.long(message, "breadcrumb message")
  if (isScalar(value.event_id)) out.event_id = bounds.short(value.event_id, "breadcrumb event_id")
  if (data !== undefined && data !== null) out.data = bounds.object(data, 5, "breadcrumb data")
  return out
}
