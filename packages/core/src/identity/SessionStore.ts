import { Context, type Duration, type Effect, type Option } from "effect"
import type { StorageError } from "../storage/StorageError.js"
import type { User, UserId } from "../user/User.js"
import type { Session, SessionId, SignInMethod } from "./Session.js"

/** A session that begins. */
export interface NewSession {
  readonly userId: UserId
  /** SHA-256 in hexadecimal. */
  readonly tokenHash: string
  readonly method: SignInMethod
  readonly userAgent: string
  /** It ends when it is not used for so long, and whatever happens after the longest time. */
  readonly idle: Duration.Duration
  readonly longest: Duration.Duration
}

/** A session and whose it is. */
export interface SessionOfUser {
  readonly session: Session
  readonly user: User
}

/** Keeps who is signed in where. Time is told by the storage's clock, which all nodes share. */
export class SessionStore extends Context.Service<
  SessionStore,
  {
    /** Of more than so many sessions of the user the oldest end. */
    readonly insert: (session: NewSession, keep: number) => Effect.Effect<Session, StorageError>

    /** The session of a token, while it has not ended and its user is active; it is used by this. */
    readonly use: (
      tokenHash: string,
      idle: Duration.Duration,
    ) => Effect.Effect<Option.Option<SessionOfUser>, StorageError>

    /** Those of a user that have not ended, newest first. */
    readonly list: (userId: UserId) => Effect.Effect<ReadonlyArray<Session>, StorageError>

    /** Ends a session of a user; false where the user has no such session. */
    readonly end: (userId: UserId, id: SessionId) => Effect.Effect<boolean, StorageError>

    /** Ends all sessions of a user but one, if any is given. */
    readonly endAll: (userId: UserId, except: SessionId | null) => Effect.Effect<void, StorageError>

    /** A bearer token that ends with its session. Of more than so many of the session the oldest end. */
    readonly insertBearer: (
      sessionId: SessionId,
      tokenHash: string,
      lifetime: Duration.Duration,
      keep: number,
    ) => Effect.Effect<void, StorageError>

    /** The user of a bearer token, while it and its session have not ended and the user is active. */
    readonly findBearer: (tokenHash: string) => Effect.Effect<Option.Option<User>, StorageError>

    /** Removes at most so many rows that no longer mean anything; answers how many. */
    readonly expire: (limit: number) => Effect.Effect<number, StorageError>
  }
>()("@errata/core/identity/SessionStore") {}
