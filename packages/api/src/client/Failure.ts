/** Failures without a problem document of the contract. They contain no keys and no bodies. */
import { Schema } from "effect"

const request = {
  /** Method and path, without the query. */
  request: Schema.String,
}

/** No response was received: the connection failed, broke, or timed out. */
export class ConnectionFailed extends Schema.TaggedError<ConnectionFailed>(
  "@errata/api/client/ConnectionFailed",
)("ConnectionFailed", {
  ...request,
  reason: Schema.Literals(["transport", "timeout"]),
  /** The transport's error message. */
  detail: Schema.String,
}) {
  override get message(): string {
    return `${this.request} received no response: ${this.detail}`
  }
}

/** The response does not match the contract. It comes from a proxy, or from another server or version. */
export class UnexpectedAnswer extends Schema.TaggedError<UnexpectedAnswer>(
  "@errata/api/client/UnexpectedAnswer",
)("UnexpectedAnswer", {
  ...request,
  status: Schema.Int,
  contentType: Schema.NullOr(Schema.String),
  /** The mismatch. */
  detail: Schema.String,
}) {
  override get message(): string {
    return `${this.request} received status ${this.status} (${this.contentType ?? "no content type"}): ${this.detail}`
  }
}
