/** The title of a report in lists: error type, message and place in the code. */
import type { ErrorEvent, EventDetails, ExceptionValue, Frame } from "./ErrorEvent.js"

/** Strings of at most `maxTitleBytes`; empty if unknown. */
export interface EventTitle {
  readonly errorType: string
  readonly errorMessage: string
  /** The SDK's transaction, or the place in the code: `module in function`. */
  readonly culprit: string
}

/** Maximum length of each string, in bytes of UTF-8. */
export const maxTitleBytes = 8 * 1024

/** Returns the title of an event, cut to the lengths that lists show. */
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
    // JavaScript SDKs send a message with a stack as an exception without a type.
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

// Native SDKs refer to the thread that holds the stack.
const framesOf = ({ frames, thread_id }: ExceptionValue, { threads }: EventDetails): ReadonlyArray<Frame> =>
  frames.length > 0 || thread_id === undefined
    ? frames
    : (threads.find(({ id }) => id === thread_id)?.frames ?? [])

const placeOf = (frames: ReadonlyArray<Frame>): string => {
  const frame = frames.findLast(isOfApplication)
  return frame !== undefined ? describe(frame) : describe(frames.findLast(isDescribed))
}

// Named, not inline: see docs/decisions/018-hot-path.md, "No functions created per batch".
const isNamed = ({ type, value }: ExceptionValue): boolean => Boolean(type || value)
const isDescribed = (frame: Frame): boolean => describe(frame) !== ""
const isOfApplication = (frame: Frame): boolean => frame.in_app === true && isDescribed(frame)

const describe = (frame: Frame | undefined): string => {
  if (frame === undefined) return ""
  const file = frame.module || frame.filename || frame.abs_path || ""
  // SDKs for JavaScript call functions without a name `?`.
  const name = frame.function === "?" ? "" : (frame.function ?? "")
  return file === "" || name === "" ? file || name : `${file} in ${name}`
}

const encoder = new TextEncoder()
const buffer = new Uint8Array(maxTitleBytes)

const bounded = (text: string): string =>
  // A UTF-16 unit takes at most three bytes, so nearly all strings skip the encoder.
  text.length * 3 <= maxTitleBytes ? text : text.slice(0, encoder.encodeInto(text, buffer).read)
