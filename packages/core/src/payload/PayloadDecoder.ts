/**
 * Turns a stored payload into what is to be recorded. The core records whatever a decoder understands;
 * `@errata/sentry` gives the one for the Sentry protocol.
 */
import { Context, Data, type Result } from "effect"
import type { DiscardedEvents } from "../event/DiscardedEvents.js"
import type { ErrorEvent } from "../event/ErrorEvent.js"
import type { ProjectId } from "../project/Project.js"

export type { DiscardedEvents }

/** A payload as it was accepted: durable, but not looked into beyond its framing. */
export interface Payload {
  readonly projectId: ProjectId
  /** The event id that was answered to the sender; 32 lowercase hexadecimal characters. */
  readonly eventId: string
  /** How the body is framed, in the decoder's own words, e.g. `envelope`, `event` or `security`. */
  readonly kind: string
  /** Epoch milliseconds at which the request came in. */
  readonly receivedAt: number
  /** Decoded: never compressed. */
  readonly body: Uint8Array
}

/**
 * Where a payload is kept: written once, when it is accepted, and for as long as something refers to it. Payloads that
 * were accepted together share a segment.
 */
export interface PayloadPlace {
  readonly segmentId: number
  readonly position: number
}

/** A payload and where it is kept. */
export interface StoredPayload {
  readonly place: PayloadPlace
  readonly payload: Payload
}

/** A file that came with an event. */
export interface Attachment {
  readonly filename: string
  readonly contentType: string
  /** e.g. `event.attachment` or `event.minidump`. */
  readonly type: string
  readonly body: Uint8Array
}

/** What a person who was affected said about an error; it becomes a note on the group. */
export interface UserFeedback {
  /** The event it speaks of. */
  readonly eventId: string
  readonly name: string
  readonly email: string
  readonly comments: string
  /**
   * The same as an event, under an id of its own: what is recorded where the event it speaks of never comes. Without it
   * such feedback becomes a dead letter.
   */
  readonly ownEvent?: ErrorEvent
}

/** The contents of a payload. */
export interface DecodedPayload {
  readonly event: ErrorEvent | null
  /**
   * Belong to `event`. Where this payload holds none: to the event that its first feedback speaks of, else to that of
   * the payload's id.
   */
  readonly attachments: ReadonlyArray<Attachment>
  readonly feedback: ReadonlyArray<UserFeedback>
  readonly discarded: ReadonlyArray<DiscardedEvents>
}

/** A payload that cannot be understood, with a reason that may be shown to an operator. */
export class PayloadDecodeError extends Data.TaggedError("PayloadDecodeError")<{
  readonly reason: string
}> {}

/** Decodes payloads by their kind. Provide your own for another protocol. */
export class PayloadDecoder extends Context.Service<
  PayloadDecoder,
  {
    /** Never throws; synchronous, because it runs thousands of times a second. */
    readonly decode: (payload: Payload) => Result.Result<DecodedPayload, PayloadDecodeError>
    /** An error event that says that it is an example, as an application would have sent it. */
    readonly example: (of: Pick<Payload, "eventId" | "receivedAt">) => Pick<Payload, "kind" | "body">
  }
>()("@errata/core/payload/PayloadDecoder") {}
