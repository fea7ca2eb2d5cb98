/**
 * The grouping algorithm `v2`: to which group of its project a report belongs.
 *
 * FROZEN, and `v2/` with it. Keys are kept for as long as their groups are: once released, nothing here may change what
 * any event gets, and nothing from outside is imported but types. Other rules are another algorithm, `GroupingV3.ts`.
 *
 * Order of evidence: the custom fingerprint; the stack of the oldest causal exception that has a useful one, with the
 * exception's type; the stack of the crashed, then current, then last thread; the exception's type and normalised
 * message; the message template; the normalised message; else the report stays alone.
 */
import { hash } from "node:crypto"
import type { ErrorEvent, EventDetails, ExceptionValue, Frame, Thread } from "../event/ErrorEvent.js"
import type { Grouping, GroupingData } from "./Grouping.js"
import { encode, shown } from "./v2/Encoding.js"
import { maxMessageLength, normalizeMessage } from "./v2/Message.js"
import { type FrameEvidence, usefulFrames } from "./v2/Stack.js"

/** The grouping of an event. Pure: the same event always gets the same key. */
export const group = (event: ErrorEvent): Grouping => {
  const fingerprint = customFingerprint(event.details)
  if (fingerprint === null) {
    const { components, data } = defaultEvidence(event)
    return { algorithm: "v2", key: keyOf(components), data }
  }
  const components = ["custom"]
  for (const part of fingerprint) {
    if (!isDefault(part)) components.push(`=${part}`)
    else for (const component of defaultEvidence(event).components) components.push(`~${component}`)
  }
  return { algorithm: "v2", key: keyOf(components), data: { method: "custom", fingerprint } }
}

// internal

/** What a key is made of, and how that is shown. */
interface Evidence {
  readonly components: ReadonlyArray<string>
  readonly data: GroupingData
}

const keyOf = (components: ReadonlyArray<string>): string => hash("sha256", encode(components), "hex")

const MaxTextLength = 1024

// Custom fingerprint

const MaxFingerprintParts = 32
const MaxFingerprintPartBytes = 1024
const MaxFingerprintBytes = 8 * 1024

const isDefault = (part: string): boolean => part === "{{ default }}" || part === "{{default}}"

const encoder = new TextEncoder()

/** The fingerprint that the event brings, or null where it brings none that counts. */
const customFingerprint = ({ custom_fingerprint: parts }: EventDetails): ReadonlyArray<string> | null => {
  if (parts === null || parts.length === 0 || parts.length > MaxFingerprintParts) return null
  let bytes = 0
  for (const part of parts) {
    const partBytes = part.length > MaxFingerprintPartBytes ? part.length : encoder.encode(part).length
    if (partBytes > MaxFingerprintPartBytes) return null
    bytes += partBytes
  }
  if (bytes > MaxFingerprintBytes) return null
  // SDKs send the lone placeholder for "no fingerprint of my own".
  return parts.length === 1 && isDefault(parts[0]!) ? null : parts
}

// Default evidence

const defaultEvidence = (event: ErrorEvent): Evidence => {
  const { details } = event
  const { exceptions, logentry, security_report: security, threads } = details
  for (const exception of exceptions) {
    const frames = usefulFrames(framesOf(exception, threads), event.platform)
    if (frames !== null) return backtrace(exception, frames)
  }
  // Raised last: the exception that the report is about.
  const exception = exceptions.findLast(({ type, value }) => Boolean(type || value))
  const frames = threadFrames(threads, event.platform)
  if (frames !== null) return backtrace(exception, frames)
  if (exception !== undefined) {
    const type = typeOf(exception)
    const value = normalizeMessage(exception.value ?? "")
    if (type !== "" || value !== "") {
      return {
        components: ["exception", type, value],
        data: { method: "exception", type: shown(type, MaxTextLength), value: shown(value, MaxTextLength) },
      }
    }
  }
  if (logentry !== null) {
    const { formatted, message: template = "", params } = logentry
    // Without parameters the sender has put the formatted text in the template's place.
    const isTemplate = template !== "" && (template !== formatted || isPresent(params))
    const message = isTemplate ? template.slice(0, maxMessageLength) : normalizeMessage(formatted || template)
    if (message !== "") return ofMessage([message], message)
  }
  if (security !== null) {
    const blocked = originOf(security.blocked)
    return ofMessage([security.kind, security.directive, blocked], `${security.directive} ${blocked}`.trim())
  }
  return { components: ["ungroupable", event.eventId], data: { method: "ungroupable" } }
}

const isPresent = (params: unknown): boolean =>
  typeof params === "object" && params !== null
    ? Object.keys(params).length > 0
    : params !== undefined && params !== null

const ofMessage = (components: ReadonlyArray<string>, message: string): Evidence => ({
  components: ["message", ...components],
  data: { method: "message", message: shown(message, MaxTextLength) },
})

/** The origin of a URL; what is none (`inline`, `eval`) as it is. */
const originOf = (text: string): string =>
  /^[a-z][a-z0-9+.-]{0,30}:\/\/[^/?#]*/i.exec(text)?.[0] ?? text.slice(0, 200)

const MaxTypeLength = 1024

// Classes made at run time carry the address of their object.
const typeOf = ({ type = "" }: ExceptionValue): string =>
  type
    .slice(0, MaxTypeLength)
    .replace(/0x[0-9a-f]{9,16}/gi, "<addr>")
    .trim()

const backtrace = (exception: ExceptionValue | undefined, frames: ReadonlyArray<FrameEvidence>): Evidence => {
  const components = ["backtrace", exception === undefined ? "" : typeOf(exception)]
  const texts: Array<string> = []
  for (const frame of frames) {
    components.push(frame.component)
    texts.push(frame.text)
  }
  return { components, data: { method: "backtrace", frames: texts } }
}

// Native SDKs name the thread that an exception was raised in and leave the stack there.
const framesOf = (
  { frames, thread_id }: ExceptionValue,
  threads: ReadonlyArray<Thread>,
): ReadonlyArray<Frame> =>
  frames.length > 0 || thread_id === undefined
    ? frames
    : (threads.find(({ id }) => id === thread_id)?.frames ?? frames)

const threadFrames = (
  threads: ReadonlyArray<Thread>,
  platform: string,
): ReadonlyArray<FrameEvidence> | null => {
  if (threads.length === 0) return null
  for (const candidates of [
    threads.filter(({ crashed }) => crashed === true),
    threads.filter(({ current }) => current === true),
    threads.toReversed(),
  ]) {
    for (const { frames } of candidates) {
      const useful = usefulFrames(frames, platform)
      if (useful !== null) return useful
    }
  }
  return null
}
