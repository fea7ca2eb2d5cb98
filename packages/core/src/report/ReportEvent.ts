/** The event that a report is of, in what it was recorded from. */
import { Either } from "effect"
import type { ErrorEvent } from "../event/ErrorEvent.js"
import type { Payload, PayloadDecodeError, PayloadDecoder } from "../payload/PayloadDecoder.js"
import type { EventId } from "./Report.js"

/** Right of null where the report has no event. Feedback can have become a report of its own. */
export const decode = (
  decoder: PayloadDecoder["Type"],
  payload: Payload,
  eventId: EventId | null,
): Either.Either<ErrorEvent | null, PayloadDecodeError> =>
  Either.map(
    decoder.decode(payload),
    ({ event, feedback }) =>
      feedback.find(({ ownEvent }) => ownEvent?.eventId === eventId)?.ownEvent ?? event,
  )

/** Null also where the payload is kept no more, or cannot be decoded any more. */
export const find = (
  decoder: PayloadDecoder["Type"],
  { eventId, payload }: { readonly eventId: EventId | null; readonly payload: Payload | null },
): ErrorEvent | null =>
  payload === null ? null : Either.getOrElse(decode(decoder, payload, eventId), () => null)
