/** The title of a report in lists: error type, message and place in the code. */
import { culpritOf } from "./Culprit.js"
import type { ErrorEvent, EventDetails, ExceptionValue } from "./ErrorEvent.js"

/** Strings of at most `maxTitleBytes`; empty if unknown. */
export interface EventTitle {
  readonly errorType: string
  readonly errorMessage: string
  /** See `culpritOf`. */
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
    culprit: bounded(culpritOf(details)),
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

// Named, not inline: see docs/decisions/018-hot-path.md, "No functions created per batch".
const isNamed = ({ type, value }: ExceptionValue): boolean => Boolean(type || value)

const encoder = new TextEncoder()
const buffer = new Uint8Array(maxTitleBytes)

const bounded = (text: string): string =>
  // A UTF-16 unit takes at most three bytes, so nearly all strings skip the encoder.
  text.length * 3 <= maxTitleBytes ? text : text.slice(0, encoder.encodeInto(text, buffer).read)
