/** The events of an instance that stores none of them. */
import type { CaptureEvent, ErrataOptions } from "../../src/index.js"

export const collecting = () => {
  const events: Array<CaptureEvent> = []
  const options = {
    beforeCapture: (event) => {
      events.push(event)
      return null
    },
  } satisfies Partial<ErrataOptions>
  return { events, options }
}

/** The message of an event's error, or its own. */
export const messageOf = ({ exception, message }: CaptureEvent): string | undefined =>
  message ?? exception?.values.at(-1)?.value
