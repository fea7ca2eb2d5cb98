import { type DateTime, Schema } from "effect"
import type { Grant } from "../access/Actor.js"
import type { UserId } from "../user/User.js"

export const ConnectionId = Schema.Int.pipe(
  Schema.check(Schema.isGreaterThan(0)),
  Schema.brand("ConnectionId"),
)
export type ConnectionId = typeof ConnectionId.Type

/** A client that a user approved, with all tokens of that approval. */
export interface Connection {
  readonly id: ConnectionId
  readonly clientId: string
  readonly clientName: string
  readonly userId: UserId
  readonly resource: string
  readonly grants: ReadonlyArray<Grant>
  readonly createdAt: DateTime.Utc
  /** Accurate to the minute. */
  readonly lastUsedAt: DateTime.Utc
}
