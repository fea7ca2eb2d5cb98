import { Context, type Duration, type Effect, type Option } from "effect"
import type { Grant } from "../access/Actor.js"
import type { StorageError } from "../storage/StorageError.js"
import type { User, UserId } from "../user/User.js"
import type { Connection, ConnectionId } from "./Connection.js"
import type { OAuthClient } from "./OAuthClient.js"

/** An application that registers. */
export interface NewOAuthClient {
  readonly clientId: string
  readonly name: string
  readonly redirectUris: ReadonlyArray<string>
}

/** What somebody has approved, and what the code stands for. */
export interface Approval {
  readonly clientId: string
  readonly clientName: string
  readonly userId: UserId
  readonly redirectUri: string
  readonly codeChallenge: string
  readonly resource: string
  readonly grants: ReadonlyArray<Grant>
}

/** What became of a code that was presented. */
export type TakenCode =
  | { readonly _tag: "Taken"; readonly approval: Approval }
  /** It was presented before. */
  | { readonly _tag: "Spent"; readonly connectionId: ConnectionId | null }
  | { readonly _tag: "Unknown" }

/** Tokens that are to be stored. Hashes are SHA-256 in hexadecimal. */
export interface NewTokens {
  readonly accessTokenHash: string
  readonly refreshTokenHash: string
  /** The refresh token whose use brings these; null where a code does. */
  readonly predecessorHash: string | null
  readonly grants: ReadonlyArray<Grant>
  readonly accessLifetime: Duration.Duration
  readonly refreshLifetime: Duration.Duration
  /** Of more access tokens than these the oldest end. */
  readonly keep: number
}

/** A refresh token that the running transaction has locked. */
export interface LockedRefreshToken {
  readonly connection: Connection
  /** How long ago it was used; null for one that was not. */
  readonly usedFor: Duration.Duration | null
  /** True after the use of another successor of its predecessor. */
  readonly isRivalUsed: boolean
}

/** The user of an access token, and its rights. */
export interface AccessTokenOwner {
  readonly user: User
  readonly connectionId: ConnectionId
  readonly grants: ReadonlyArray<Grant>
  readonly resource: string
}

/** Keeps clients, codes, connections and tokens. Tokens are SHA-256 in hexadecimal; time is the storage's. */
export class OAuthStore extends Context.Service<
  OAuthStore,
  {
    /** Of more than so many clients that wait for their first approval the oldest make room. */
    readonly insertClient: (
      client: NewOAuthClient,
      keepUnused: number,
    ) => Effect.Effect<OAuthClient, StorageError>

    readonly findClient: (clientId: string) => Effect.Effect<Option.Option<OAuthClient>, StorageError>

    /** Keeps what was approved, for its code; the client is in use from then on. */
    readonly insertCode: (
      codeHash: string,
      approval: Approval,
      lifetime: Duration.Duration,
    ) => Effect.Effect<void, StorageError>

    /** Gives an approval out once: of several who present its code at once one is given it. */
    readonly takeCode: (codeHash: string) => Effect.Effect<TakenCode, StorageError>

    /** Connects a client with a user. The code leads to the connection for as long as that lasts. */
    readonly connect: (codeHash: string, approval: Approval) => Effect.Effect<ConnectionId, StorageError>

    /** For a connection that is gone meanwhile, nothing. */
    readonly insertTokens: (id: ConnectionId, tokens: NewTokens) => Effect.Effect<void, StorageError>

    /** A refresh token that has not ended, used or not, of an active user; locked until the transaction ends. */
    readonly lockRefreshToken: (
      tokenHash: string,
    ) => Effect.Effect<Option.Option<LockedRefreshToken>, StorageError>

    /** Marks a refresh token as used, from now on; what was marked stays as it is. */
    readonly useRefreshToken: (tokenHash: string) => Effect.Effect<void, StorageError>

    /** Whose access token it is, while it has not ended and its user is active. The connection is used by this. */
    readonly findAccessToken: (
      tokenHash: string,
    ) => Effect.Effect<Option.Option<AccessTokenOwner>, StorageError>

    /** The connection of a token of either kind, also one that has ended or was used. */
    readonly findConnection: (tokenHash: string) => Effect.Effect<Option.Option<Connection>, StorageError>

    /** Those of a user, newest first: at most a hundred. */
    readonly listConnections: (userId: UserId) => Effect.Effect<ReadonlyArray<Connection>, StorageError>

    /** Ends a connection with all its tokens; of this user only, where one is named. */
    readonly disconnect: (id: ConnectionId, userId: UserId | null) => Effect.Effect<boolean, StorageError>

    /** Ends all connections of a user, and forgets what was approved. */
    readonly disconnectUser: (userId: UserId) => Effect.Effect<void, StorageError>

    /** Removes at most so many rows that no longer mean anything; answers how many. */
    readonly expire: (
      limit: number,
      clients: { readonly unused: Duration.Duration; readonly idle: Duration.Duration },
    ) => Effect.Effect<number, StorageError>
  }
>()("@errata/core/oauth/OAuthStore") {}
