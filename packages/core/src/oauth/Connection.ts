import { type DateTime, Schema } from "effect"
import type { Grant } from "../access/Actor.js"
import type { UserId } from "../user/User.js"

export const ConnectionId = Schema.Int.pipe(
  Schema.check(Schema.isGreaterThan(0)),
  Schema.brand("ConnectionId"),
)
export type ConnectionId = typeof ConnectionId.Type

/** An application that a person has let in: all tokens that came of one approval. */
export interface Connection {
  readonly id: ConnectionId
  readonly clientId: string
  readonly clientName: string
  readonly userId: UserId
  readonly resource: string
  readonly grants: ReadonlyArray<Grant>
  readonly createdAt: DateTime.Utc
  /** To the minute. */
  readonly lastUsedAt: DateTime.Utc
}
