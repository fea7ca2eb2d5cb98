/**
 * The grouping algorithm `v2`, which assigns a report to a group of its project.
 *
 * FROZEN, including `v2/`. Keys are stored as long as their groups. After its release, no change here may alter the key
 * of any event, and only types may be imported from elsewhere. New rules need a new algorithm, `GroupingV3.ts`.
 *
 * The first evidence in this order decides; without any, the report is a group of its own:
 * - The custom fingerprint.
 * - The type of the oldest causal exception that has a useful stack, with the frames of the oldest one that has in-app
 *   frames. Without in-app frames in any exception, its own frames count.
 * - The stack of the crashed, then current, then last thread.
 * - The exception's type and normalized message.
 * - The message template, or else the normalized message.
 * - The kind, directive and blocked origin of a security report.
 */
import { hash } from "node:crypto"
import type { ErrorEvent, EventDetails, ExceptionValue, Frame, Thread } from "../event/ErrorEvent.js"
import type { Grouping, GroupingData } from "./Grouping.js"
import { encode, shown } from "./v2/Encoding.js"
import { maxMessageLength, normalizeMessage } from "./v2/Message.js"
import { type FrameEvidence, usefulFrames } from "./v2/Stack.js"

/** Returns the grouping of an event. Pure: the same event always gets the same key. */
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

/** The components of a key, and their display form. */
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

/** The event's custom fingerprint, or null if it is absent, too large or only the placeholder. */
const customFingerprint = ({ custom_fingerprint: parts }: EventDetails): ReadonlyArray<string> | null => {
  if (parts === null || parts.length === 0 || parts.length > MaxFingerprintParts) return null
  let bytes = 0
  for (const part of parts) {
    const partBytes = part.length > MaxFingerprintPartBytes ? part.length : encoder.encode(part).length
    if (partBytes > MaxFingerprintPartBytes) return null
    bytes += partBytes
  }
  if (bytes > MaxFingerprintBytes) return null
  // SDKs send the lone placeholder if there is no custom fingerprint.
  return parts.length === 1 && isDefault(parts[0]!) ? null : parts
}

// Default evidence

const defaultEvidence = (event: ErrorEvent): Evidence => {
  const { details } = event
  const { exceptions, logentry, security_report: security, threads } = details
  const cause = causeOf(exceptions, threads, event.platform)
  if (cause !== null) return backtrace(cause.exception, cause.frames)
  // The exception raised last is the subject of the report.
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
    // Without parameters, SDKs put the formatted text in place of the template.
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

/** The exception and the frames that locate an error. */
interface Cause {
  readonly exception: ExceptionValue
  readonly frames: ReadonlyArray<FrameEvidence>
}

/**
 * Some languages record the stack of a cause only up to the place that catches it. If that is inside a library, the
 * stack is the same for all callers of the library.
 */
const causeOf = (
  exceptions: ReadonlyArray<ExceptionValue>,
  threads: ReadonlyArray<Thread>,
  platform: string,
): Cause | null => {
  let oldest: Cause | null = null
  for (const exception of exceptions) {
    const stack = framesOf(exception, threads)
    const frames = usefulFrames(stack, platform)
    if (frames === null) continue
    if (stack.some(isInApp)) return { exception: oldest?.exception ?? exception, frames }
    oldest ??= { exception, frames }
  }
  return oldest
}

// Named, not inline: see docs/decisions/018-hot-path.md, "No functions created per batch".
const isInApp = (frame: Frame): boolean => frame.in_app === true

const isPresent = (params: unknown): boolean =>
  typeof params === "object" && params !== null
    ? Object.keys(params).length > 0
    : params !== undefined && params !== null

const ofMessage = (components: ReadonlyArray<string>, message: string): Evidence => ({
  components: ["message", ...components],
  data: { method: "message", message: shown(message, MaxTextLength) },
})

/** The origin of a URL. Other texts (`inline`, `eval`) are returned as they are. */
const originOf = (text: string): string =>
  /^[a-z][a-z0-9+.-]{0,30}:\/\/[^/?#]*/i.exec(text)?.[0] ?? text.slice(0, 200)

const MaxTypeLength = 1024

// Classes created at run time have an object address in their name.
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

// Native SDKs refer to the thread that holds the stack.
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
