/** Finds the event of a report in its payload. */
import { Result } from "effect"
import type { ErrorEvent } from "../event/ErrorEvent.js"
import type { Payload, PayloadDecodeError, PayloadDecoder } from "../payload/PayloadDecoder.js"
import type { EventId } from "./Report.js"

/** Succeeds with null if the report has no event. The event can also be one that feedback was turned into. */
export const decode = (
  decoder: PayloadDecoder["Service"],
  payload: Payload,
  eventId: EventId | null,
): Result.Result<ErrorEvent | null, PayloadDecodeError> =>
  Result.map(
    decoder.decode(payload),
    ({ event, feedback }) =>
      feedback.find(({ ownEvent }) => ownEvent?.eventId === eventId)?.ownEvent ?? event,
  )

/** Null also if the payload was deleted or cannot be decoded. */
export const find = (
  decoder: PayloadDecoder["Service"],
  { eventId, payload }: { readonly eventId: EventId | null; readonly payload: Payload | null },
): ErrorEvent | null =>
  payload === null ? null : Result.getOrElse(decode(decoder, payload, eventId), () => null)
