import { existsSync, readdirSync, readFileSync } from "node:fs"
import { resolve } from "node:path"
import { brotliCompressSync, constants } from "node:zlib"
import { ProjectId } from "@errata/core"
import {
  defaultIngestLimits,
  type ErrorEvent,
  type EventDetails,
  type IngestLimits,
} from "@errata/core/ports"
import { Result } from "effect"
import { expect } from "vitest"
import { normalizeEvent } from "../src/EventNormalizer.js"
import {
  type AcceptedSentryRequest,
  acceptSentryRequest,
  type SentryRejection,
  type SentryRequest,
} from "../src/index.js"
import { decodeSentryPayload } from "../src/SentryPayloadDecoder.js"

export const limits = defaultIngestLimits
export const key = "0123456789abcdef0123456789abcdef"
export const eventId = "9ec79c33ec9942ab8353589fcb2e04dc"
export const generatedId = "f".repeat(32)
export const projectId = ProjectId.make(1)
export const receivedAt = Date.UTC(2025, 5, 3, 12, 0, 0)

/** Accepts a request as an HTTP adapter would. Default: with a key and without headers. */
export const accept = (
  request: Partial<Omit<SentryRequest, "body" | "header">> & {
    readonly body: string | Buffer
    readonly headers?: Record<string, string>
  },
): Result.Result<AcceptedSentryRequest, SentryRejection> =>
  acceptSentryRequest(
    {
      endpoint: request.endpoint ?? "envelope",
      projectId: request.projectId === undefined ? "1" : request.projectId,
      credentials: request.credentials === undefined ? { key, client: "" } : request.credentials,
      header: (name) => request.headers?.[name],
      query: request.query ?? "",
      body: Buffer.from(request.body as Buffer),
    },
    { limits, generateEventId: () => generatedId },
  )

/** An envelope with a header and items, whose `length` is filled in. */
export const envelope = (
  headers: object,
  ...items: ReadonlyArray<readonly [headers: object, payload: string | Buffer]>
): Buffer =>
  Buffer.concat([
    Buffer.from(JSON.stringify(headers)),
    ...items.flatMap(([itemHeaders, payload]) => {
      const bytes = Buffer.from(payload as Buffer)
      return [Buffer.from(`\n${JSON.stringify({ ...itemHeaders, length: bytes.length })}\n`), bytes]
    }),
  ])

/** Decodes an accepted request and returns its first event. */
export const recordedEvent = (accepted: AcceptedSentryRequest): ErrorEvent => {
  const payload = accepted.payloads[0]!
  const decoded = Result.getOrThrow(decodeSentryPayload({ ...payload, projectId, receivedAt }, limits))
  expect(decoded.event).not.toBeNull()
  return decoded.event!
}

const lone = /\p{Surrogate}/u

/** Checks the guarantees for the core: clean strings, lists and nesting within the limits, plain JSON. */
export const expectBounded = (event: ErrorEvent, bounds: IngestLimits = limits): void => {
  const problems: Array<string> = []
  const check = (condition: boolean, problem: string) => condition || problems.push(problem)
  const text = (value: string, max: number, path: string) => {
    check(Buffer.byteLength(value) <= max, `${path} is too long`)
    check(!value.includes("\0") && !lone.test(value), `${path} is not clean`)
  }
  const walk = (value: unknown, depth: number, path: string): void => {
    if (typeof value === "string") text(value, bounds.maxStringBytes, path)
    else if (typeof value === "number") check(Number.isFinite(value), `${path} is not finite`)
    else if (typeof value === "object" && value !== null) {
      check(depth <= bounds.maxDepth + 3, `${path} is too deep`)
      if (depth > bounds.maxDepth + 3) return
      check(
        Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype,
        `${path} has a foreign prototype`,
      )
      for (const name of Object.keys(value)) {
        if (!Array.isArray(value)) text(name, bounds.maxKeyBytes, `a key of ${path}`)
        walk((value as Record<string, unknown>)[name], depth + 1, `${path}.${name.slice(0, 20)}`)
      }
    } else check(value === null || typeof value === "boolean", `${path} is no JSON`)
  }
  walk(event, 0, "event")
  const { details } = event
  const stacks = [...details.exceptions, ...details.threads]
  const counts: ReadonlyArray<readonly [string, number, number]> = [
    ["exceptions", details.exceptions.length, bounds.maxExceptions],
    ["threads", details.threads.length, bounds.maxThreads],
    ["frames", stacks.reduce((sum, stack) => sum + stack.frames.length, 0), bounds.maxFrames],
    ["frames a stack", Math.max(0, ...stacks.map((stack) => stack.frames.length)), bounds.maxFramesPerStack],
    ["breadcrumbs", details.breadcrumbs.length, bounds.maxBreadcrumbs],
    ["tags", event.tags.length, bounds.maxTags],
    ["contexts", details.contexts.length, bounds.maxContexts],
    ["extras", details.extras.length, bounds.maxExtras],
    ["dependencies", details.dependencies.length, bounds.maxDependencies],
    ["debug images", details.debug_images.length, bounds.maxDebugImages],
    ["fingerprint", details.custom_fingerprint?.length ?? 0, 32],
    ["truncations", details.ingest_truncations.length, 200],
  ]
  for (const [name, count, max] of counts) check(count <= max, `${count} ${name}`)
  for (const tag of event.tags) {
    text(tag.key, bounds.maxTagKeyBytes, "a tag key")
    text(tag.value, bounds.maxTagValueBytes, "a tag value")
  }
  for (const name of ["platform", "serverName", "environment", "release"] as const) {
    text(event[name], bounds.maxShortStringBytes, name)
  }
  check(/^[0-9a-f]{32}$/.test(event.eventId), "eventId")
  check(["fatal", "error", "warning", "info", "debug"].includes(event.severity), "severity")
  check(Number.isInteger(event.occurredAt), "occurredAt")
  expect(problems).toEqual([])
  expect(JSON.parse(JSON.stringify(event))).toEqual(event)
}

/** Normalizes a parsed event that was received now, and checks that it is bounded. */
export const normalize = (event: Record<string, unknown>): ErrorEvent => {
  const normalized = normalizeEvent(event, { limits, eventId, receivedAt })
  expectBounded(normalized)
  return normalized
}

export const detailsOf = (event: Record<string, unknown>): EventDetails => normalize(event).details

export const times = <A>(count: number, make: (i: number) => A): ReadonlyArray<A> =>
  Array.from({ length: count }, (_, i) => make(i))

/** A pseudo-random generator of numbers below `max`, deterministic by its seed. */
export const seeded = (seed: number): ((max: number) => number) => {
  let state = seed
  return (max) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * max)
  }
}

export interface Sample {
  readonly name: string
  readonly bytes: Buffer
}

/** The project's own samples, which always exist. */
const ownRoot = resolve(import.meta.dirname, "../../../test/samples")
/** Real events and envelopes, which are not part of the repository. */
const realRoot = resolve(import.meta.dirname, "../../../../shared/data")

export const hasRealData = existsSync(realRoot)
if (!hasRealData) process.stderr.write(`Our own samples only: ${realRoot} is not there\n`)

export const sampleEvents = (): ReadonlyArray<Sample> => [
  ...samples(ownRoot, "events", isJson),
  ...(hasRealData
    ? ["events/bugsink", "events/glitchtip", "events/sentry", "paired/incoming_events"].flatMap((folder) =>
        samples(realRoot, folder, isJson),
      )
    : []),
]

export const sampleEnvelopes = (): ReadonlyArray<Sample> => [
  ...samples(ownRoot, "envelopes", isEnvelope),
  ...(hasRealData ? samples(realRoot, "envelopes", isEnvelope) : []),
]

export const realAnswers = (): ReadonlyArray<Sample> =>
  samples(realRoot, "paired/oss_sentry_events", () => true)

const isJson = (name: string) => name.endsWith(".json")
const isEnvelope = (name: string) => name.endsWith(".txt") || name.endsWith(".bin")

const samples = (root: string, folder: string, wanted: (name: string) => boolean): ReadonlyArray<Sample> =>
  readdirSync(resolve(root, folder))
    .filter(wanted)
    .sort()
    .map((name) => ({ name: `${folder}/${name}`, bytes: readFileSync(resolve(root, folder, name)) }))

/** A zstd frame of raw blocks and of runs of one byte. */
export const rawZstd = (...blocks: ReadonlyArray<Buffer | readonly [byte: number, count: number]>): Buffer =>
  Buffer.concat([
    Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x50]),
    ...blocks.flatMap((block, i) => {
      const isRun = !Buffer.isBuffer(block)
      const header = Buffer.alloc(3)
      const size = isRun ? block[1] : block.length
      header.writeUIntLE((size << 3) | (isRun ? 2 : 0) | (i === blocks.length - 1 ? 1 : 0), 0, 3)
      return [header, isRun ? Buffer.from([block[0]]) : block]
    }),
  ])

/** Output of the `zstd` command for an envelope: one compressed block, with size and checksum. */
export const compressedEnvelope = Buffer.from(
  [
    "KLUv/WQfAV0EAKIIHR1QjXO1DpOFPIj+KNxUwcgUKXAm/k+S4JlZUVVXNdNV4EUcVYQMdUP1QhAV3zJU2wth4dkYmaFraYf6iXjx",
    "5O3siPQlwPRDZstsKjCsVAapMJr69t745O4tyeq4BGuYxazGWV0Yc7yWYwTH7O1PgeiIH3wpBgBLCVUnxVrLwYCgS3EL+AJaCgqo",
    "ECfc",
  ].join(""),
  "base64",
)

/** At a quality that does not take seconds. */
export const brotli = (bytes: Buffer): Buffer =>
  brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } })
