/** How a report is headed in lists: what kind of error, what it says, and where it came from. */
import type { ErrorEvent, EventDetails, ExceptionValue, Frame } from "./ErrorEvent.js"

/** Strings of at most `maxTitleBytes`; empty where the event does not tell. */
export interface EventTitle {
  readonly errorType: string
  readonly errorMessage: string
  /** The SDK's transaction, or the place in the code: `module in function`. */
  readonly culprit: string
}

/** Bytes of UTF-8 of each string. */
export const maxTitleBytes = 8 * 1024

/** The title of an event, cut to the lengths that lists show. */
export const titleOf = ({ details }: ErrorEvent): EventTitle => {
  const { errorMessage, errorType } = heading(details)
  return {
    errorType: bounded(errorType),
    errorMessage: bounded(errorMessage),
    culprit: bounded(details.transaction || placeOf(mainStack(details))),
  }
}

// internal

const heading = (details: EventDetails): Omit<EventTitle, "culprit"> => {
  const raised = details.exceptions.findLast(isNamed)
  if (raised !== undefined) {
    // JavaScript's SDKs send a message with an exception that only carries the stack, and has no type.
    const untyped = raised.mechanism?.synthetic === true ? "Message" : ""
    return { errorType: raised.type || untyped, errorMessage: raised.value ?? "" }
  }
  const { logentry, security_report: security } = details
  if (security !== null && !logentry?.formatted) {
    return { errorType: security.directive || security.kind, errorMessage: security.blocked }
  }
  return { errorType: "Message", errorMessage: logentry?.formatted ?? "" }
}

/** The stack of the exception raised last, else of the thread that the report is about. */
const mainStack = (details: EventDetails): ReadonlyArray<Frame> => {
  const { exceptions, threads } = details
  for (let i = exceptions.length - 1; i >= 0; i--) {
    const frames = framesOf(exceptions[i]!, details)
    if (frames.length > 0) return frames
  }
  const withStack = threads.filter(({ frames }) => frames.length > 0)
  const thread =
    withStack.find(({ crashed }) => crashed === true) ??
    withStack.find(({ current }) => current === true) ??
    withStack.at(-1)
  return thread?.frames ?? []
}

// Native SDKs name the thread and leave its stack there.
const framesOf = ({ frames, thread_id }: ExceptionValue, { threads }: EventDetails): ReadonlyArray<Frame> =>
  frames.length > 0 || thread_id === undefined
    ? frames
    : (threads.find(({ id }) => id === thread_id)?.frames ?? [])

const placeOf = (frames: ReadonlyArray<Frame>): string => {
  const frame = frames.findLast(isOfApplication)
  return frame !== undefined ? describe(frame) : describe(frames.findLast(isDescribed))
}

// By name, as all that is asked of every event: see docs/decisions/018-hot-path.md, "No functions created per batch".
const isNamed = ({ type, value }: ExceptionValue): boolean => Boolean(type || value)
const isDescribed = (frame: Frame): boolean => describe(frame) !== ""
const isOfApplication = (frame: Frame): boolean => frame.in_app === true && isDescribed(frame)

const describe = (frame: Frame | undefined): string => {
  if (frame === undefined) return ""
  const file = frame.module || frame.filename || frame.abs_path || ""
  const name = frame.function ?? ""
  return file === "" || name === "" ? file || name : `${file} in ${name}`
}

const encoder = new TextEncoder()
const buffer = new Uint8Array(maxTitleBytes)

const bounded = (text: string): string =>
  // At most three bytes for a UTF-16 unit: nearly every string needs no counting.
  text.length * 3 <= maxTitleBytes ? text : text.slice(0, encoder.encodeInto(text, buffer).read)
