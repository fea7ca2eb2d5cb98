import { Context, Duration, Effect, Layer, Option, Redacted, Result, Schema } from "effect"
import type { Grant } from "../access/Actor.js"
import { generateToken, hashToken, sha256 } from "../access/Secrets.js"
import * as Throttle from "../identity/Throttle.js"
import { RateLimitStore } from "../storage/RateLimitStore.js"
import type { StorageError } from "../storage/StorageError.js"
import * as Transactions from "../storage/Transactions.js"
import type { User, UserId } from "../user/User.js"
import { type AuthorizationRequest, type Names, readResource, readScope } from "./Authorization.js"
import { ClientDocuments, isDocumentAddress } from "./ClientDocuments.js"
import type { ConnectionId } from "./Connection.js"
import * as Lifetimes from "./Lifetimes.js"
import { type ClientMetadata, readMetadata } from "./OAuthClient.js"
import { OAuthRefused } from "./OAuthRefused.js"
import { type Approval, OAuthStore } from "./OAuthStore.js"
import { isVerifiedBy } from "./Pkce.js"
import { isRegistered } from "./RedirectUri.js"

/** The access token is unknown, expired, of an inactive user, or for another resource. */
export class InvalidAccessToken extends Schema.TaggedError<InvalidAccessToken>()("InvalidAccessToken", {}) {}

/** A client as the approval page shows it. */
export interface KnownClient {
  readonly clientId: string
  readonly name: string
  readonly redirectUris: ReadonlyArray<string>
}

export interface Tokens {
  readonly accessToken: Redacted.Redacted
  readonly refreshToken: Redacted.Redacted
  readonly grants: ReadonlyArray<Grant>
  readonly expiresIn: Duration.Duration
}

/** A token request with an authorization code (RFC 6749, 4.1.3, with PKCE). */
export interface CodeExchange {
  readonly code: string
  readonly clientId: string
  readonly redirectUri: string | null
  readonly verifier: string
  readonly resources: ReadonlyArray<string>
}

/** A token request with a refresh token (RFC 6749, 6). */
export interface Refresh {
  readonly refreshToken: string
  readonly clientId: string
  readonly scope: string | null
  readonly resources: ReadonlyArray<string>
}

/** The OAuth authorization server: applications that act for users. */
export class OAuth extends Context.Service<OAuth>()("@errata/core/oauth/OAuth", {
  make: Effect.gen(function* () {
    const transaction = yield* Transactions.make
    const store = yield* OAuthStore
    const throttles = yield* RateLimitStore

    /**
     * Registers a client. Anyone may register, so requests are limited per address. Clients without an approval are
     * deleted after a day, or earlier if there are too many; most are approved at once.
     */
    const register = Effect.fn("OAuth.register")(function* (metadata: ClientMetadata, address: string) {
      yield* Throttle.attempt([
        {
          what: "oauth-register",
          whose: Throttle.subscriberOf(address),
          limit: 60,
          window: Duration.hours(1),
        },
      ]).pipe(Effect.provideService(RateLimitStore, throttles))
      const { name, redirectUris } = yield* readMetadata(metadata)
      const clientId = sha256(Redacted.value(yield* generateToken("errata-code_"))).slice(0, 32)
      return yield* store.insertClient({ clientId, name, redirectUris }, Lifetimes.maxUnusedClients)
    })

    /**
     * Returns the client and its redirect URI: the given one if it is registered, or the only one. Call it only for a
     * signed-in user, because it may read the client's document. `address` is the user's network address.
     */
    const findClient = Effect.fn("OAuth.findClient")(function* (
      clientId: string,
      given: string | null,
      address: string,
    ) {
      const client = yield* clientOf(clientId, address)
      const [only, ...others] = client.redirectUris
      const redirectUri = given ?? (others.length === 0 ? only : undefined)
      if (redirectUri === undefined) {
        return yield* refused("invalid_request", "redirect_uri must be one that the client registered")
      }
      if (!isRegistered(client.redirectUris, redirectUri)) {
        return yield* refused("invalid_request", "the client did not register this redirect_uri")
      }
      return { client, redirectUri }
    })

    /** Creates a code for an approved request. It expires after a minute and works once, with the PKCE verifier. */
    const approve = Effect.fn("OAuth.approve")(function* (
      user: User,
      client: KnownClient,
      redirectUri: string,
      { codeChallenge, grants, resource }: AuthorizationRequest,
    ) {
      const code = yield* generateToken("errata-code_")
      const approval: Approval = {
        clientId: client.clientId,
        clientName: client.name,
        userId: user.id,
        redirectUri,
        codeChallenge,
        resource,
        grants,
      }
      yield* store.insertCode(sha256(Redacted.value(code)), approval, Lifetimes.code)
      return code
    })

    const exchange = Effect.fn("OAuth.exchange")(function* (asked: CodeExchange, names: Names) {
      yield* checkKnown(asked.clientId)
      const codeHash = hashToken("errata-code_", asked.code)
      if (codeHash === null) return yield* invalidGrant("unknown code")
      // Rejections are returned and not raised, because the transaction must commit the used code.
      const outcome = yield* transaction(
        Effect.gen(function* () {
          const taken = yield* store.takeCode(codeHash)
          if (taken._tag === "Unknown") return refusal("unknown code")
          if (taken._tag === "Spent") return taken
          const { approval } = taken
          if (approval.clientId !== asked.clientId) return refusal("the code belongs to another client")
          if (asked.redirectUri !== null && asked.redirectUri !== approval.redirectUri) {
            return refusal("redirect_uri differs from the authorization request")
          }
          if (!isVerifiedBy(approval.codeChallenge, asked.verifier)) {
            return refusal("code_verifier does not match code_challenge")
          }
          const resource = yield* Effect.result(readResource(asked.resources, names))
          if (Result.isFailure(resource)) return resource.failure
          const id = yield* store.connect(codeHash, approval)
          return yield* issue(id, approval.grants, null)
        }),
      )
      if ("_tag" in outcome && outcome._tag === "Spent") {
        // The code may have leaked, so end the connection (RFC 6749, 4.1.2). In a transaction of its own:
        // `disconnect` locks the connection before the code, so doing it above could deadlock.
        if (outcome.connectionId !== null) yield* transaction(store.disconnect(outcome.connectionId, null))
        return yield* refusal("the code was used before")
      }
      return outcome instanceof OAuthRefused ? yield* outcome : outcome
    })

    const refresh = Effect.fn("OAuth.refresh")(function* (asked: Refresh, names: Names) {
      yield* checkKnown(asked.clientId)
      const hash = hashToken("errata-refresh_", asked.refreshToken)
      if (hash === null) return yield* invalidGrant("unknown refresh token")
      yield* readResource(asked.resources, names)
      const wanted = asked.scope === null ? null : yield* readScope(asked.scope, names)
      const outcome = yield* transaction(
        Effect.gen(function* () {
          const found = yield* store.lockRefreshToken(hash)
          if (Option.isNone(found)) return refusal("unknown refresh token")
          const { connection, isRivalUsed, usedFor } = found.value
          if (connection.clientId !== asked.clientId) return refusal("the token belongs to another client")
          if (isRivalUsed || (usedFor !== null && Duration.isGreaterThan(usedFor, Lifetimes.grace))) {
            yield* store.disconnect(connection.id, null)
            return refusal(
              isRivalUsed
                ? "another successor of the same refresh token was used"
                : "the refresh token was used before",
            )
          }
          if (wanted?.some((grant) => !connection.grants.includes(grant))) {
            return new OAuthRefused({
              error: "invalid_scope",
              description: "the scope exceeds the approved scope",
            })
          }
          yield* store.useRefreshToken(hash)
          return yield* issue(connection.id, wanted ?? connection.grants, hash)
        }),
      )
      return outcome instanceof OAuthRefused ? yield* outcome : outcome
    })

    /** Ends the connection of an access or refresh token. Ignores unknown tokens and those of other clients. */
    const revoke = Effect.fn("OAuth.revoke")(function* (token: string, clientId: string | null) {
      const hash = hashToken("errata-refresh_", token) ?? hashToken("errata-access_", token)
      if (hash === null) return
      const found = yield* store.findConnection(hash)
      if (Option.isNone(found) || (clientId !== null && found.value.clientId !== clientId)) return
      yield* transaction(store.disconnect(found.value.id, null))
    })

    /** The user and grants of an access token for one of these resources. */
    const authenticate = Effect.fn("OAuth.authenticate")(function* (
      accessToken: Redacted.Redacted,
      resources: ReadonlyArray<string>,
    ) {
      const hash = hashToken("errata-access_", Redacted.value(accessToken))
      const found = hash === null ? Option.none() : yield* store.findAccessToken(hash)
      const wanted = Option.filter(found, ({ resource }) => resources.includes(resource))
      return yield* Effect.fromOption(wanted, () => new InvalidAccessToken())
    })

    /** Connections of a user, newest first. */
    const connections = Effect.fn("OAuth.connections")((userId: UserId) => store.listConnections(userId))

    /** Ends a connection of a user. Idempotent. */
    const disconnect = Effect.fn("OAuth.disconnect")((userId: UserId, id: ConnectionId) =>
      Effect.asVoid(transaction(store.disconnect(id, userId))),
    )

    /** Ends all connections of a user. */
    const disconnectAll = Effect.fn("OAuth.disconnectAll")((userId: UserId) =>
      transaction(store.disconnectUser(userId)),
    )

    const clientOf = (
      clientId: string,
      address: string,
    ): Effect.Effect<KnownClient, OAuthRefused | StorageError> =>
      isDocumentAddress(clientId) ? documentedClient(clientId, address) : registeredClient(clientId)

    const registeredClient = Effect.fnUntraced(function* (clientId: string) {
      const client = /^[0-9a-f]{32}$/.test(clientId) ? yield* store.findClient(clientId) : Option.none()
      return yield* Effect.fromOption(client, () => unknownClient)
    })

    /** Rejects deleted clients with `invalid_client`, so that they register again. Does not read documents. */
    const checkKnown = (clientId: string) =>
      isDocumentAddress(clientId) ? Effect.void : Effect.asVoid(registeredClient(clientId))

    const issue = (id: ConnectionId, grants: ReadonlyArray<Grant>, predecessorHash: string | null) =>
      Effect.gen(function* () {
        const accessToken = yield* generateToken("errata-access_")
        const refreshToken = yield* generateToken("errata-refresh_")
        yield* store.insertTokens(id, {
          accessTokenHash: sha256(Redacted.value(accessToken)),
          refreshTokenHash: sha256(Redacted.value(refreshToken)),
          predecessorHash,
          grants,
          accessLifetime: Lifetimes.accessToken,
          refreshLifetime: Lifetimes.refreshToken,
          keep: Lifetimes.maxAccessTokens,
        })
        return { accessToken, refreshToken, grants, expiresIn: Lifetimes.accessToken } satisfies Tokens
      })

    return {
      register,
      findClient,
      approve,
      exchange,
      refresh,
      revoke,
      authenticate,
      connections,
      disconnect,
      disconnectAll,
    }
  }),
}) {
  static readonly Default = Layer.effect(this, this.make)
}

// internal

const refused = (error: OAuthRefused["error"], description: string) =>
  new OAuthRefused({ error, description })
const refusal = (description: string) => refused("invalid_grant", description)
const invalidGrant = refusal
const unknownClient = refused("invalid_client", "no client has this client_id")

/** The document must name its own URL, so that others cannot copy it. */
const documentedClient = (clientId: string, address: string): Effect.Effect<KnownClient, OAuthRefused> =>
  Effect.gen(function* () {
    const documents = yield* ClientDocuments
    if (Option.isNone(documents)) return yield* unknownClient
    const document = yield* documents.value.read(clientId, address).pipe(
      Effect.tapError(({ reason }) =>
        Effect.annotateLogs(Effect.logInfo("Reading a client's metadata document failed"), { reason }),
      ),
      Effect.mapError(() => refused("invalid_client", "the client's metadata document could not be read")),
    )
    if (document.client_id !== clientId) {
      return yield* refused("invalid_client", "the client's metadata document has another client_id")
    }
    return { clientId, ...(yield* readMetadata(document)) }
  })
