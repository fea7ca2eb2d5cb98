import { Schema } from "effect"

/** The receiver took a message; `status` is null if its protocol has none. */
export interface Sent {
  readonly status: number | null
}

/** An attempt that did not succeed, as it goes to the history. */
export class SendFailed extends Schema.TaggedError<SendFailed>()("SendFailed", {
  /** For people, without secrets. */
  detail: Schema.String,
  isRetryable: Schema.Boolean,
  status: Schema.NullOr(Schema.Int),
  /** The pause that the receiver wants. */
  retryAfter: Schema.NullOr(Schema.Duration),
}) {
  /** A failure without an answer. */
  static of(detail: string, isRetryable: boolean): SendFailed {
    return new SendFailed({ detail, isRetryable, status: null, retryAfter: null })
  }
}
