/** Decodes stored payloads for recording. `@errata/sentry` provides the decoder of the Sentry protocol. */
import { Context, Data, type Result } from "effect"
import type { DiscardedEvents } from "../event/DiscardedEvents.js"
import type { ErrorEvent } from "../event/ErrorEvent.js"
import type { ProjectId } from "../project/Project.js"

export type { DiscardedEvents }

/** An accepted payload: durable, but parsed only as far as its framing. */
export interface Payload {
  readonly projectId: ProjectId
  /** The event id in the response to the sender: 32 lowercase hexadecimal characters. */
  readonly eventId: string
  /** The format of the body, as the decoder names it, e.g. `envelope`, `event` or `security`. */
  readonly kind: string
  /** When the request arrived, in epoch milliseconds. */
  readonly receivedAt: number
  /** Never compressed. */
  readonly body: Uint8Array
}

/**
 * The place of a stored payload. It is written once and kept while anything refers to it. Payloads that were accepted
 * together share a segment.
 */
export interface PayloadPlace {
  readonly segmentId: number
  readonly position: number
}

/** A payload with its place. */
export interface StoredPayload {
  readonly place: PayloadPlace
  readonly payload: Payload
}

/** A file that was sent with an event. */
export interface Attachment {
  readonly filename: string
  readonly contentType: string
  /** E.g. `event.attachment` or `event.minidump`. */
  readonly type: string
  readonly body: Uint8Array
}

/** A user's feedback on an error. It becomes a note on the group. */
export interface UserFeedback {
  /** The event that the feedback is about. */
  readonly eventId: string
  readonly name: string
  readonly email: string
  readonly comments: string
  /**
   * The feedback as an event with its own id, recorded if the other event never arrives. Without it, such feedback
   * becomes a dead letter.
   */
  readonly ownEvent?: ErrorEvent
}

/** The contents of a payload. */
export interface DecodedPayload {
  readonly event: ErrorEvent | null
  /**
   * Attachments of `event`. Without one, they belong to the event of the first feedback, or else to the payload's
   * event id.
   */
  readonly attachments: ReadonlyArray<Attachment>
  readonly feedback: ReadonlyArray<UserFeedback>
  readonly discarded: ReadonlyArray<DiscardedEvents>
}

/** A payload that cannot be decoded, with a reason for operators. */
export class PayloadDecodeError extends Data.TaggedError("PayloadDecodeError")<{
  readonly reason: string
}> {}

/** Decodes payloads by their kind. Provide your own for another protocol. */
export class PayloadDecoder extends Context.Service<
  PayloadDecoder,
  {
    /** Never throws. Synchronous, because it runs thousands of times per second. */
    readonly decode: (payload: Payload) => Result.Result<DecodedPayload, PayloadDecodeError>
    /** An example event as an application would send it. Its text says that it is an example. */
    readonly example: (of: Pick<Payload, "eventId" | "receivedAt">) => Pick<Payload, "kind" | "body">
  }
>()("@errata/core/payload/PayloadDecoder") {}
