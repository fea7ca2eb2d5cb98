import { Context, Effect, Layer, Option, Redacted, Schema } from "effect"
import { generateToken, hashToken, sha256 } from "../access/Secrets.js"
import type { User, UserId } from "../user/User.js"
import { toStorable } from "../validation/StorableText.js"
import { CredentialStore, type SessionOfUser } from "./CredentialStore.js"
import * as Session from "./Session.js"

/** The bearer token is unknown or has expired. */
export class NotSignedIn extends Schema.TaggedError<NotSignedIn>()("NotSignedIn", {}) {}

/** A new session with its token. The token is not stored and cannot be read again. */
export interface SignedIn extends SessionOfUser {
  readonly token: Redacted.Redacted
}

/** Manages sessions and their bearer tokens. */
export class Sessions extends Context.Service<Sessions>()("@errata/core/identity/Sessions", {
  make: Effect.gen(function* () {
    const store = yield* CredentialStore

    /** Starts a session with a newly generated token, which prevents session fixation. */
    const begin = Effect.fn("Sessions.begin")(function* (
      user: User,
      method: Session.SignInMethod,
      userAgent: string,
    ) {
      const token = yield* generateToken("errata-session_")
      const session = yield* store.insertSession(
        {
          userId: user.id,
          tokenHash: sha256(Redacted.value(token)),
          method,
          userAgent: toStorable(userAgent.slice(0, maxUserAgent)),
          idle: Session.idleLifetime,
          longest: Session.longestLifetime,
        },
        Session.maxSessions,
      )
      return { session, user, token } satisfies SignedIn
    })

    /** The session of a token, or none if it has expired or its user is inactive. */
    const identify = Effect.fn("Sessions.identify")(function* (token: Redacted.Redacted) {
      const hash = hashToken("errata-session_", Redacted.value(token))
      return hash === null
        ? Option.none<SessionOfUser>()
        : yield* store.useSession(hash, Session.idleLifetime)
    })

    /** Issues a bearer token for the API. It expires after 15 minutes, or with the session. */
    const exchange = Effect.fn("Sessions.exchange")(function* (session: Session.Session) {
      const token = yield* generateToken("errata-bearer_")
      yield* store.insertBearer(
        session.id,
        sha256(Redacted.value(token)),
        Session.bearerLifetime,
        Session.maxBearers,
      )
      return token
    })

    /** Issues a bearer token to a user of the embedding application, with a session of the same lifetime. */
    const exchangeForeign = Effect.fn("Sessions.exchangeForeign")(function* (user: User) {
      const token = yield* generateToken("errata-session_")
      const session = yield* store.insertSession(
        {
          userId: user.id,
          tokenHash: sha256(Redacted.value(token)),
          method: "application",
          userAgent: "",
          idle: Session.bearerLifetime,
          longest: Session.bearerLifetime,
        },
        Session.maxSessions,
      )
      return yield* exchange(session)
    })

    /** The user of a bearer token. */
    const authenticate = Effect.fn("Sessions.authenticate")(function* (bearer: Redacted.Redacted) {
      const hash = hashToken("errata-bearer_", Redacted.value(bearer))
      const found = hash === null ? Option.none<User>() : yield* store.findBearer(hash)
      return yield* Effect.fromOption(found, () => new NotSignedIn())
    })

    /** Newest first. */
    const list = Effect.fn("Sessions.list")((userId: UserId) => store.listSessions(userId))

    /** Idempotent. */
    const end = Effect.fn("Sessions.end")((userId: UserId, id: Session.SessionId) =>
      Effect.asVoid(store.endSession(userId, id)),
    )

    /** Ends the sessions that the embedding application started for a user. Idempotent. */
    const endForeign = Effect.fn("Sessions.endForeign")(function* (userId: UserId) {
      const sessions = yield* store.listSessions(userId)
      const foreign = sessions.filter(({ method }) => method === "application")
      yield* Effect.forEach(foreign, ({ id }) => store.endSession(userId, id), { discard: true })
    })

    return { begin, identify, exchange, exchangeForeign, authenticate, list, end, endForeign }
  }),
}) {
  static readonly Default = Layer.effect(this, this.make)
}

// internal

const maxUserAgent = 200
