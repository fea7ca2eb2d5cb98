import { Context, type Duration, type Effect, type Option } from "effect"
import type { Grant } from "../access/Actor.js"
import type { StorageError } from "../storage/StorageError.js"
import type { User, UserId } from "../user/User.js"
import type { Connection, ConnectionId } from "./Connection.js"
import type { OAuthClient } from "./OAuthClient.js"

/** A client to register. */
export interface NewOAuthClient {
  readonly clientId: string
  readonly name: string
  readonly redirectUris: ReadonlyArray<string>
}

/** An approved authorization request. */
export interface Approval {
  readonly clientId: string
  readonly clientName: string
  readonly userId: UserId
  readonly redirectUri: string
  readonly codeChallenge: string
  readonly resource: string
  readonly grants: ReadonlyArray<Grant>
}

/** The result of exchanging a code. */
export type TakenCode =
  | { readonly _tag: "Taken"; readonly approval: Approval }
  /** The code was used before. */
  | { readonly _tag: "Spent"; readonly connectionId: ConnectionId | null }
  | { readonly _tag: "Unknown" }

/** Tokens to store. Hashes are SHA-256 in hexadecimal. */
export interface NewTokens {
  readonly accessTokenHash: string
  readonly refreshTokenHash: string
  /** The refresh token that was exchanged; null for a code. */
  readonly predecessorHash: string | null
  readonly grants: ReadonlyArray<Grant>
  readonly accessLifetime: Duration.Duration
  readonly refreshLifetime: Duration.Duration
  /** Maximum number of access tokens of the connection. The oldest are deleted. */
  readonly keep: number
}

/** A refresh token, locked until the transaction ends. */
export interface LockedRefreshToken {
  readonly connection: Connection
  /** Time since its use; null if unused. */
  readonly usedFor: Duration.Duration | null
  /** True if another successor of its predecessor was used. */
  readonly isRivalUsed: boolean
}

/** The user of an access token, with its grants. */
export interface AccessTokenOwner {
  readonly user: User
  readonly connectionId: ConnectionId
  readonly grants: ReadonlyArray<Grant>
  readonly resource: string
}

/** Stores clients, codes, connections and token hashes (SHA-256, hexadecimal). Uses the storage's clock. */
export class OAuthStore extends Context.Service<
  OAuthStore,
  {
    /** Inserts a client. Deletes the oldest clients without an approval beyond `keepUnused`. */
    readonly insertClient: (
      client: NewOAuthClient,
      keepUnused: number,
    ) => Effect.Effect<OAuthClient, StorageError>

    readonly findClient: (clientId: string) => Effect.Effect<Option.Option<OAuthClient>, StorageError>

    /** Stores an approval under its code, and marks the client as used. */
    readonly insertCode: (
      codeHash: string,
      approval: Approval,
      lifetime: Duration.Duration,
    ) => Effect.Effect<void, StorageError>

    /** Returns the approval of a code once. Of concurrent calls, one gets it. */
    readonly takeCode: (codeHash: string) => Effect.Effect<TakenCode, StorageError>

    /** Connects a client to a user. The code refers to the connection while that lasts. */
    readonly connect: (codeHash: string, approval: Approval) => Effect.Effect<ConnectionId, StorageError>

    /** Does nothing if the connection was deleted. */
    readonly insertTokens: (id: ConnectionId, tokens: NewTokens) => Effect.Effect<void, StorageError>

    /** Locks an unexpired refresh token of an active user, used or not. */
    readonly lockRefreshToken: (
      tokenHash: string,
    ) => Effect.Effect<Option.Option<LockedRefreshToken>, StorageError>

    /** Marks a refresh token as used now, unless it already is. */
    readonly useRefreshToken: (tokenHash: string) => Effect.Effect<void, StorageError>

    /** The owner of an unexpired access token, if active. Records the use of the connection. */
    readonly findAccessToken: (
      tokenHash: string,
    ) => Effect.Effect<Option.Option<AccessTokenOwner>, StorageError>

    /** The connection of a token of either kind, even expired or used. */
    readonly findConnection: (tokenHash: string) => Effect.Effect<Option.Option<Connection>, StorageError>

    /** Connections of a user, newest first, at most 100. */
    readonly listConnections: (userId: UserId) => Effect.Effect<ReadonlyArray<Connection>, StorageError>

    /** Deletes a connection with its tokens, if it belongs to the user. Null means any user. */
    readonly disconnect: (id: ConnectionId, userId: UserId | null) => Effect.Effect<boolean, StorageError>

    /** Deletes all connections and approvals of a user. */
    readonly disconnectUser: (userId: UserId) => Effect.Effect<void, StorageError>

    /** Deletes at most `limit` expired rows. Returns their number. */
    readonly expire: (
      limit: number,
      clients: { readonly unused: Duration.Duration; readonly idle: Duration.Duration },
    ) => Effect.Effect<number, StorageError>
  }
>()("@errata/core/oauth/OAuthStore") {}
