/**
 * The culprit of an event: where it happened. It is the transaction that the SDK sent, or the `culprit` of old SDKs,
 * which Sentry's decoder reads as the transaction. Otherwise it is `module in function` of the last frame in the
 * application's own code, or of the last frame of all.
 */
import type { EventDetails, ExceptionValue, Frame } from "./ErrorEvent.js"

/** Returns the culprit of an event; empty if unknown. */
export const culpritOf = (details: EventDetails): string => details.transaction || placeOf(mainStack(details))

// internal

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
const isDescribed = (frame: Frame): boolean => describe(frame) !== ""
const isOfApplication = (frame: Frame): boolean => frame.in_app === true && isDescribed(frame)

const describe = (frame: Frame | undefined): string => {
  if (frame === undefined) return ""
  const file = frame.module || frame.filename || frame.abs_path || ""
  // SDKs for JavaScript call functions without a name `?`.
  const name = frame.function === "?" ? "" : (frame.function ?? "")
  return file === "" || name === "" ? file || name : `${file} in ${name}`
}
