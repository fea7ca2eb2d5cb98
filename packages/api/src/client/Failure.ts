/** How calls fail where the answer is no problem document of the contract. Nothing of keys and bodies is in them. */
import { Schema } from "effect"

const request = {
  /** The method and the path, without the query. */
  request: Schema.String,
}

/** There was no answer: no connection, one that broke, or none in time. */
export class ConnectionFailed extends Schema.TaggedError<ConnectionFailed>(
  "@errata/api/client/ConnectionFailed",
)("ConnectionFailed", {
  ...request,
  reason: Schema.Literals(["transport", "timeout"]),
  /** What the transport said. */
  detail: Schema.String,
}) {
  override get message(): string {
    return `${this.request} received no response: ${this.detail}`
  }
}

/** The answer is not what the contract says: that of a proxy in between, or of another server or version. */
export class UnexpectedAnswer extends Schema.TaggedError<UnexpectedAnswer>(
  "@errata/api/client/UnexpectedAnswer",
)("UnexpectedAnswer", {
  ...request,
  status: Schema.Int,
  contentType: Schema.NullOr(Schema.String),
  /** What is wrong with it. */
  detail: Schema.String,
}) {
  override get message(): string {
    return `${this.request} received status ${this.status} (${this.contentType ?? "no content type"}): ${this.detail}`
  }
}
