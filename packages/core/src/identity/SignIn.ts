import { Context, Duration, Effect, Layer, Option, Redacted, Schema } from "effect"
import type { AuthorizedInstance } from "../access/AccessPolicy.js"
import { hashToken } from "../access/Secrets.js"
import { RateLimitStore } from "../storage/RateLimitStore.js"
import * as Transactions from "../storage/Transactions.js"
import type { User, UserId } from "../user/User.js"
import { UserNotFound } from "../user/UserNotFound.js"
import { UserStore } from "../user/UserStore.js"
import { isStorable } from "../validation/StorableText.js"
import { ValidationError } from "../validation/ValidationError.js"
import { CredentialStore, type SessionOfUser } from "./CredentialStore.js"
import * as Password from "./Password.js"
import { Sessions } from "./Sessions.js"
import * as SignInLink from "./SignInLink.js"
import * as Throttle from "./Throttle.js"

/** The credentials are wrong or have expired. It does not say which, to hide which accounts exist. */
export class SignInRefused extends Schema.TaggedError<SignInRefused>()("SignInRefused", {}) {}

/** An attempt to sign in with a password. */
export interface PasswordAttempt {
  readonly emailAddress: string
  readonly password: Redacted.Redacted
  /** The IP address of the client; empty if unknown. */
  readonly address: string
  readonly userAgent: string
}

/** Signs users in with a password or a one-time link. */
export class SignIn extends Context.Service<SignIn>()("@errata/core/identity/SignIn", {
  make: Effect.gen(function* () {
    const transaction = yield* Transactions.make
    const users = yield* UserStore
    const credentials = yield* CredentialStore
    const throttles = yield* RateLimitStore
    const sessions = yield* Sessions

    /** Starts a session. Timing, throttling and the error are the same for unknown accounts. */
    const withPassword = Effect.fn("SignIn.withPassword")(function* (attempt: PasswordAttempt) {
      const bounds = boundsOf(attempt)
      yield* Throttle.attempt(
        attempt.address === ""
          ? [bounds.both, bounds.account]
          : [bounds.address, bounds.both, bounds.account],
      ).pipe(Effect.provideService(RateLimitStore, throttles))
      const user = yield* activeByAddress(attempt.emailAddress)
      const stored = user === null ? Option.none<string>() : yield* credentials.findPassword(user.id)
      const isRight = yield* Password.verify(attempt.password, Option.getOrNull(stored))
      if (user === null || !isRight) return yield* new SignInRefused()
      yield* Throttle.forget(bounds.both).pipe(Effect.provideService(RateLimitStore, throttles))
      return yield* sessions.begin(user, "password", attempt.userAgent)
    })

    /** The user of a link. The link stays valid. */
    const linkUser = Effect.fn("SignIn.linkUser")(function* (token: Redacted.Redacted) {
      const hash = hashToken("errata-link_", Redacted.value(token))
      const id = hash === null ? Option.none<UserId>() : yield* credentials.findLink(hash)
      return yield* activeOrRefused(id)
    })

    /** Starts a session and deletes the link. */
    const withLink = Effect.fn("SignIn.withLink")(function* (token: Redacted.Redacted, userAgent: string) {
      const hash = hashToken("errata-link_", Redacted.value(token))
      if (hash === null) return yield* new SignInRefused()
      // If the session cannot be stored, the link stays valid.
      return yield* transaction(
        Effect.gen(function* () {
          const user = yield* activeOrRefused(yield* credentials.takeLink(hash))
          return yield* sessions.begin(user, "link", userAgent)
        }),
      )
    })

    /** Creates a link for an active user. Earlier links become invalid. */
    const createLink = Effect.fn("SignIn.createLink")(function* (
      _allowed: AuthorizedInstance<"users.administer">,
      id: UserId,
    ) {
      const user = yield* Effect.fromOption(
        yield* users.find(id),
        () => new UserNotFound({ user: String(id) }),
      )
      if (!user.active) return yield* ValidationError.of("user", "is deactivated")
      return yield* Effect.provideService(SignInLink.issue(id), CredentialStore, credentials)
    })

    const hasPassword = Effect.fn("SignIn.hasPassword")((id: UserId) =>
      Effect.map(credentials.findPassword(id), Option.isSome),
    )

    /**
     * Sets the password of the signed-in user and ends their other sessions. The current password is required, except
     * in a session that began with a link: that is how users replace a lost password.
     */
    const setPassword = Effect.fn("SignIn.setPassword")(function* (
      { session, user }: SessionOfUser,
      change: { readonly current: Redacted.Redacted; readonly password: Redacted.Redacted },
    ) {
      yield* ValidationError.ensure({ password: Password.problem(change.password) })
      const stored = yield* credentials.findPassword(user.id)
      if (Option.isSome(stored) && session.method === "password") {
        yield* Throttle.attempt([changesOf(user)]).pipe(Effect.provideService(RateLimitStore, throttles))
        const isRight = yield* Password.verify(change.current, stored.value)
        if (!isRight) return yield* ValidationError.of("current", "is not the current password")
      }
      const hash = yield* Password.hash(change.password)
      yield* transaction(
        Effect.andThen(credentials.setPassword(user.id, hash), credentials.endSessions(user.id, session.id)),
      )
    })

    const activeByAddress = Effect.fnUntraced(function* (emailAddress: string) {
      // Not storable or too long, so no account has it.
      if (!isStorable(emailAddress) || emailAddress.length > maxEmailAddress) return null
      const found = yield* users.findByEmailAddress(emailAddress.trim())
      return Option.getOrNull(Option.filter(found, ({ active }) => active))
    })

    const activeOrRefused = Effect.fnUntraced(function* (id: Option.Option<UserId>) {
      const user = Option.isNone(id) ? Option.none<User>() : yield* users.find(id.value)
      return yield* Effect.fromOption(
        Option.filter(user, ({ active }) => active),
        () => new SignInRefused(),
      )
    })

    return { withPassword, linkUser, withLink, createLink, hasPassword, setPassword }
  }),
}) {
  static readonly DefaultWithoutDependencies = Layer.effect(this, this.make)
  static readonly Default = this.DefaultWithoutDependencies.pipe(Layer.provide(Sessions.Default))
}

// internal

const maxEmailAddress = 200

/**
 * The first two limit guessing from one address. The third slows down guessing from many addresses; the owner can
 * still sign in with a link.
 */
const boundsOf = ({ address, emailAddress }: PasswordAttempt) => {
  const account = Throttle.accountOf(emailAddress)
  const subscriber = Throttle.subscriberOf(address)
  return {
    address: { what: "sign-in-address", whose: subscriber, limit: 60, window: Duration.minutes(15) },
    both: {
      what: "sign-in",
      whose: `${subscriber} ${account}`,
      limit: 10,
      window: Duration.minutes(15),
    },
    account: { what: "sign-in-account", whose: account, limit: 100, window: Duration.hours(1) },
  }
}

const changesOf = (user: User): Throttle.Bound => ({
  what: "password-change",
  whose: String(user.id),
  limit: 10,
  window: Duration.minutes(15),
})
