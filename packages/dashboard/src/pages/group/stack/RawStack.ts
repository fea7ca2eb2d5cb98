/** A stack as text, in the form that the platform itself prints. */
import type { ExceptionValue, Frame } from "@errata/core/event"
import { visible } from "../../../text/SafeText.js"
import { functionOf, type Order, placeOf } from "./Frames.js"

/** An exception as received. */
export type RawException = Pick<ExceptionValue, "frames"> & {
  readonly type: string | null
  readonly value: string | null
}

/** Returns the exceptions and all their frames as text, uncut. */
export const rawText = (exceptions: ReadonlyArray<RawException>, platform: string, order: Order): string => {
  const texts = exceptions.map((exception) => exceptionText(exception, platform, order))
  return order === "newest" ? texts.reverse().join("\n\nCaused by: ") : texts.join("\n\n")
}

/** Returns one exception with its frames as text. */
export const exceptionText = (
  { frames, type, value }: RawException,
  platform: string,
  order: Order,
): string => {
  const title = [type, value].filter(Boolean).join(": ")
  const lines = (order === "newest" ? [...frames].reverse() : frames).map((frame) =>
    platform === "python" ? pythonLine(frame) : frameLine(frame),
  )
  return visible([title, ...lines].filter(Boolean).join("\n"))
}

// internal

const frameLine = (frame: Frame): string => {
  const place = placeOf(frame)
  return `    at ${functionOf(frame)}${place === "" ? "" : ` (${place})`}`
}

const pythonLine = (frame: Frame): string => {
  const source = frame.context_line?.trim()
  return [
    `  File "${frame.filename ?? frame.module ?? ""}", line ${frame.lineno ?? "?"}, in ${functionOf(frame)}`,
    ...(source ? [`    ${source}`] : []),
  ].join("\n")
}
