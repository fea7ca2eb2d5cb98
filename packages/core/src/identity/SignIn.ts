import { Context, Duration, Effect, Layer, Option, Redacted, Schema } from "effect"
import type { AuthorizedInstance } from "../access/AccessPolicy.js"
import { hashToken } from "../access/Secrets.js"
import * as Transactions from "../storage/Transactions.js"
import type { User, UserId } from "../user/User.js"
import { UserNotFound } from "../user/UserNotFound.js"
import { UserStore } from "../user/UserStore.js"
import { isStorable } from "../validation/StorableText.js"
import { ValidationError } from "../validation/ValidationError.js"
import { CredentialStore } from "./CredentialStore.js"
import * as Password from "./Password.js"
import { type SessionOfUser, SessionStore } from "./SessionStore.js"
import { Sessions } from "./Sessions.js"
import * as SignInLink from "./SignInLink.js"
import * as Throttle from "./Throttle.js"
import { ThrottleStore } from "./ThrottleStore.js"

/** Wrong address or wrong password, a link that was used or has ended: never told apart. */
export class SignInRefused extends Schema.TaggedError<SignInRefused>()("SignInRefused", {}) {}

/** An attempt to sign in with a password. */
export interface PasswordAttempt {
  readonly emailAddress: string
  readonly password: Redacted.Redacted
  /** Where it comes from: an IP address; empty where nobody can tell. */
  readonly address: string
  readonly userAgent: string
}

/** How people prove who they are: with a password, or with a link that somebody gave them. */
export class SignIn extends Context.Service<SignIn>()("@errata/core/identity/SignIn", {
  make: Effect.gen(function* () {
    const transaction = yield* Transactions.make
    const users = yield* UserStore
    const credentials = yield* CredentialStore
    const throttles = yield* ThrottleStore
    const sessions = yield* Sessions
    const sessionStore = yield* SessionStore

    /** Begins a session. Takes as long, counts as much and fails alike whether or not there is such an account. */
    const withPassword = Effect.fn("SignIn.withPassword")(function* (attempt: PasswordAttempt) {
      const bounds = boundsOf(attempt)
      yield* Throttle.attempt(
        attempt.address === ""
          ? [bounds.both, bounds.account]
          : [bounds.address, bounds.both, bounds.account],
      ).pipe(Effect.provideService(ThrottleStore, throttles))
      const user = yield* activeByAddress(attempt.emailAddress)
      const stored = user === null ? Option.none<string>() : yield* credentials.findPassword(user.id)
      const isRight = yield* Password.verify(attempt.password, Option.getOrNull(stored))
      if (user === null || !isRight) return yield* new SignInRefused()
      yield* Throttle.forget(bounds.both).pipe(Effect.provideService(ThrottleStore, throttles))
      return yield* sessions.begin(user, "password", attempt.userAgent)
    })

    /** Whom a link would sign in. It still works afterwards. */
    const linkUser = Effect.fn("SignIn.linkUser")(function* (token: Redacted.Redacted) {
      const hash = hashToken("errata-link_", Redacted.value(token))
      const id = hash === null ? Option.none<UserId>() : yield* credentials.findLink(hash)
      return yield* activeOrRefused(id)
    })

    /** Begins a session, and the link works no longer. */
    const withLink = Effect.fn("SignIn.withLink")(function* (token: Redacted.Redacted, userAgent: string) {
      const hash = hashToken("errata-link_", Redacted.value(token))
      if (hash === null) return yield* new SignInRefused()
      // A link whose session could not be kept still works.
      return yield* transaction(
        Effect.gen(function* () {
          const user = yield* activeOrRefused(yield* credentials.takeLink(hash))
          return yield* sessions.begin(user, "link", userAgent)
        }),
      )
    })

    /** A fresh link for an active user; a former one no longer works. */
    const createLink = Effect.fn("SignIn.createLink")(function* (
      _allowed: AuthorizedInstance<"users.administer">,
      id: UserId,
    ) {
      const user = yield* users.find(id)
      if (user._tag === "None") return yield* new UserNotFound({ user: String(id) })
      if (!user.value.active) return yield* ValidationError.of("user", "is deactivated")
      return yield* Effect.provideService(SignInLink.issue(id), CredentialStore, credentials)
    })

    const hasPassword = Effect.fn("SignIn.hasPassword")((id: UserId) =>
      Effect.map(credentials.findPassword(id), Option.isSome),
    )

    /**
     * Sets the password of whoever is signed in, and ends all their other sessions. Who has one names it, unless the
     * session came from a link: that is how a lost one is replaced.
     */
    const setPassword = Effect.fn("SignIn.setPassword")(function* (
      { session, user }: SessionOfUser,
      change: { readonly current: Redacted.Redacted; readonly password: Redacted.Redacted },
    ) {
      yield* ValidationError.ensure({ password: Password.problem(change.password) })
      const stored = yield* credentials.findPassword(user.id)
      if (stored._tag === "Some" && session.method === "password") {
        yield* Throttle.attempt([changesOf(user)]).pipe(Effect.provideService(ThrottleStore, throttles))
        const isRight = yield* Password.verify(change.current, stored.value)
        if (!isRight) return yield* ValidationError.of("current", "is not the current password")
      }
      const hash = yield* Password.hash(change.password)
      yield* transaction(
        Effect.andThen(credentials.setPassword(user.id, hash), sessionStore.endAll(user.id, session.id)),
      )
    })

    const activeByAddress = (emailAddress: string) =>
      Effect.gen(function* () {
        // No storage can be asked about others.
        if (!isStorable(emailAddress) || emailAddress.length > maxEmailAddress) return null
        const found = yield* users.findByEmailAddress(emailAddress.trim())
        return found._tag === "Some" && found.value.active ? found.value : null
      })

    const activeOrRefused = (id: Option.Option<UserId>) =>
      Effect.gen(function* () {
        const user = id._tag === "None" ? Option.none<User>() : yield* users.find(id.value)
        return user._tag === "None" || !user.value.active ? yield* new SignInRefused() : user.value
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
 * Somebody who guesses from one address is stopped by the first two; guessing from many is slow by the third, and the
 * account's owner can still sign in with a link.
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
