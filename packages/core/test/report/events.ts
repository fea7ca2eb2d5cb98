import type { ErrorEvent, EventDetails, ExceptionValue, Frame, Thread } from "../../src/event/ErrorEvent.js"
import { makeErrorEvent } from "../../src/event/ErrorEventBuilder.js"

const empty = makeErrorEvent({
  eventId: "0123456789abcdef0123456789abcdef",
  occurredAt: 0,
  platform: "python",
})

/** An event with exactly these details, even if no transport would accept them. */
export const eventOf = (
  details: Partial<EventDetails>,
  event: Partial<Omit<ErrorEvent, "details">> = {},
): ErrorEvent => ({ ...empty, ...event, details: { ...empty.details, ...details } })

export const exception = (
  type: string | undefined,
  value: string | undefined,
  frames: ReadonlyArray<Frame> = [],
  more: Partial<ExceptionValue> = {},
): ExceptionValue => ({
  ...(type === undefined ? {} : { type }),
  ...(value === undefined ? {} : { value }),
  ...more,
  frames,
})

export const thread = (frames: ReadonlyArray<Frame>, more: Partial<Thread> = {}): Thread => ({
  ...more,
  frames,
})
