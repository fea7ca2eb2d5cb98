import { Context, type DateTime, type Duration, type Effect, type Option } from "effect"
import type { StorageError } from "../storage/StorageError.js"
import type { User, UserId } from "../user/User.js"
import type { Session, SessionId, SignInMethod } from "./Session.js"

/** A session to insert. */
export interface NewSession {
  readonly userId: UserId
  /** SHA-256 in hexadecimal. */
  readonly tokenHash: string
  readonly method: SignInMethod
  readonly userAgent: string
  /** The session expires after `idle` without use, and always after `longest`. */
  readonly idle: Duration.Duration
  readonly longest: Duration.Duration
}

/** A session and its user. */
export interface SessionOfUser {
  readonly session: Session
  readonly user: User
}

/**
 * Stores password hashes, one-time links, sessions and bearer tokens. Times come from the storage's clock, which all
 * nodes share.
 */
export class CredentialStore extends Context.Service<
  CredentialStore,
  {
    /** The format is that of `Password.hash`. */
    readonly findPassword: (userId: UserId) => Effect.Effect<Option.Option<string>, StorageError>

    readonly setPassword: (userId: UserId, hash: string) => Effect.Effect<void, StorageError>

    /** Replaces the user's link, if any. Returns the time when the new one expires. */
    readonly putLink: (
      userId: UserId,
      tokenHash: string,
      lifetime: Duration.Duration,
    ) => Effect.Effect<DateTime.Utc, StorageError>

    /** Finds the user of a link that has not expired. */
    readonly findLink: (tokenHash: string) => Effect.Effect<Option.Option<UserId>, StorageError>

    /** Finds the user of a link and deletes the link. Of concurrent calls, one succeeds. */
    readonly takeLink: (tokenHash: string) => Effect.Effect<Option.Option<UserId>, StorageError>

    /** Deletes the password, the link and all sessions of a user. */
    readonly forget: (userId: UserId) => Effect.Effect<void, StorageError>

    /** Inserts a session and deletes the user's oldest beyond `keep`. */
    readonly insertSession: (session: NewSession, keep: number) => Effect.Effect<Session, StorageError>

    /** Finds the unexpired session of a token, if its user is active, and records the use. */
    readonly useSession: (
      tokenHash: string,
      idle: Duration.Duration,
    ) => Effect.Effect<Option.Option<SessionOfUser>, StorageError>

    /** The unexpired sessions of a user, newest first. */
    readonly listSessions: (userId: UserId) => Effect.Effect<ReadonlyArray<Session>, StorageError>

    /** Deletes a session of a user. Returns false if the user has no such session. */
    readonly endSession: (userId: UserId, id: SessionId) => Effect.Effect<boolean, StorageError>

    /** Deletes all sessions of a user except one. */
    readonly endSessions: (userId: UserId, except: SessionId) => Effect.Effect<void, StorageError>

    /** Inserts a bearer token, which expires with its session, and deletes the session's oldest beyond `keep`. */
    readonly insertBearer: (
      sessionId: SessionId,
      tokenHash: string,
      lifetime: Duration.Duration,
      keep: number,
    ) => Effect.Effect<void, StorageError>

    /** The user of an unexpired bearer token, if its session has not expired and the user is active. */
    readonly findBearer: (tokenHash: string) => Effect.Effect<Option.Option<User>, StorageError>

    /** Deletes at most `limit` expired rows. Returns their number. */
    readonly expire: (limit: number) => Effect.Effect<number, StorageError>
  }
>()("@errata/core/identity/CredentialStore") {}
