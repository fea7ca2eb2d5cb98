/**
 * Envelopes: a header line, then items with a header line and a payload. Parsed as bytes, since this runs for every
 * request. Payloads are unparsed views into the body.
 */
import type { IngestLimits } from "@errata/core/ports"
import { Result } from "effect"
import { decodeText, isRecord, parseJson, type UnknownRecord } from "./internal/json.js"
import { SentryRejection, type SentryRejectionReason } from "./SentryRejection.js"

/** The stored item types. Others are accepted and dropped. */
export type SentryItemType = "event" | "attachment" | "user_report" | "feedback" | "client_report"

/** An item of an envelope. */
export interface EnvelopeItem {
  readonly type: SentryItemType
  readonly headers: UnknownRecord
  readonly payload: Buffer
  /** Offsets of the item in the body, from its header line to the end of its payload. */
  readonly start: number
  readonly end: number
}

/** An envelope of a Sentry SDK, parsed as far as needed to accept it. */
export interface Envelope {
  readonly headers: UnknownRecord
  /** The end of the header line in the body, without its newline. */
  readonly headerEnd: number
  /** Items of the types that are kept, in order. */
  readonly items: ReadonlyArray<EnvelopeItem>
  /** Number of items of other types. */
  readonly skipped: number
}

/** Parses an envelope. An empty body is an envelope without items. */
export const parseEnvelope = (
  body: Buffer,
  limits: IngestLimits,
): Result.Result<Envelope, SentryRejection> => {
  const size = body.length
  const headerEnd = lineEnd(body, 0)
  if (headerEnd > limits.maxHeaderLineBytes) return tooLarge("The envelope header is too long")
  const headers = parseHeader(body, 0, headerEnd)
  if (headers === null) {
    return isBlank(body, 0, size)
      ? Result.succeed({ headers: {}, headerEnd: 0, items: [], skipped: 0 })
      : invalid("The envelope header is not a JSON object with unique keys")
  }

  const items: Array<EnvelopeItem> = []
  let skipped = 0
  let events = 0
  let attachments = 0
  let at = afterBlankLines(body, headerEnd + 1)
  while (at < size) {
    const end = lineEnd(body, at)
    if (end - at > limits.maxHeaderLineBytes) return tooLarge("An item header is too long")
    const itemHeaders = parseHeader(body, at, end)
    if (itemHeaders === null) return invalid("An item header is not a JSON object with unique keys")
    const type = itemHeaders.type
    if (typeof type !== "string" || type === "") return invalid("An item header has no type")
    if (items.length + skipped === limits.maxItems) return tooLarge(`More than ${limits.maxItems} items`)

    const payloadStart = Math.min(end + 1, size)
    const length = itemHeaders.length
    let payloadEnd: number
    if (length === undefined || length === null) payloadEnd = lineEnd(body, payloadStart)
    else {
      if (typeof length !== "number" || !Number.isInteger(length) || length < 0) {
        return invalid("An item's length is not a positive integer")
      }
      payloadEnd = payloadStart + length
      if (payloadEnd > size) return invalid("An item is shorter than its length says")
      if (payloadEnd < size && body[payloadEnd] !== newline) {
        return invalid("An item is longer than its length says")
      }
    }

    const bytes = payloadEnd - payloadStart
    if (!isKept(type)) skipped++
    else {
      if (type === "event" && ++events > 1) return invalid("More than one event")
      if (type === "attachment") {
        if (++attachments > limits.maxAttachments) {
          return tooLarge(`More than ${limits.maxAttachments} attachments`)
        }
        if (bytes > limits.maxAttachmentBytes) return tooLarge("An attachment is too large")
      } else if (bytes > limits.maxEventBytes) return tooLarge(`An item of type ${type} is too large`)
      const payload = body.subarray(payloadStart, payloadEnd)
      items.push({ type, headers: itemHeaders, payload, start: at, end: payloadEnd })
    }
    at = afterBlankLines(body, payloadEnd + 1)
  }
  return Result.succeed({ headers, headerEnd, items, skipped })
}

/** Returns the bytes to store: the body itself, or a copy without the dropped items. */
export const storedEnvelope = (body: Buffer, envelope: Envelope): Buffer => {
  if (envelope.skipped === 0) return body
  const parts: Array<Buffer> = [body.subarray(0, envelope.headerEnd)]
  for (const item of envelope.items) parts.push(newlineBytes, body.subarray(item.start, item.end))
  return Buffer.concat(parts)
}

// internal

const newline = 10
const newlineBytes = Buffer.from("\n")

const isKept = (type: string): type is SentryItemType =>
  type === "event" ||
  type === "attachment" ||
  type === "user_report" ||
  type === "feedback" ||
  type === "client_report"

const lineEnd = (body: Buffer, from: number): number => {
  const index = body.indexOf(newline, from)
  return index === -1 ? body.length : index
}

/** Compared byte by byte, since a body can have millions of blank lines: searching for line ends takes far longer. */
const afterBlankLines = (body: Buffer, from: number): number => {
  let at = from
  while (at < body.length) {
    if (body[at] === newline) at++
    else if (isSpace(body[at]!) && (at + 1 === body.length || body[at + 1] === newline)) at += 2
    else break
  }
  return at
}

const isSpace = (byte: number): boolean => byte === 32 || byte === newline || byte === 13 || byte === 9

const isBlank = (body: Buffer, start: number, end: number): boolean => {
  for (let i = start; i < end; i++) {
    if (!isSpace(body[i]!)) return false
  }
  return true
}

const parseHeader = (body: Buffer, start: number, end: number): UnknownRecord | null => {
  const text = decodeText(body.subarray(start, end))
  const value = parseJson(text)
  return isRecord(value) && countKeys(text) === Object.keys(value).length ? value : null
}

// `JSON.parse` lets the last of equal keys win; counting the colons of the outermost object finds them all.
const countKeys = (text: string): number => {
  let keys = 0
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case 34: {
        for (i++; i < text.length && text.charCodeAt(i) !== 34; i++) if (text.charCodeAt(i) === 92) i++
        break
      }
      case 58:
        if (depth === 1) keys++
        break
      case 91:
      case 123:
        depth++
        break
      case 93:
      case 125:
        depth--
    }
  }
  return keys
}

const reject = (reason: SentryRejectionReason, detail: string): Result.Result<never, SentryRejection> =>
  Result.fail(new SentryRejection({ reason, detail }))

const invalid = (detail: string) => reject("invalid_envelope", detail)
const tooLarge = (detail: string) => reject("too_large", detail)
