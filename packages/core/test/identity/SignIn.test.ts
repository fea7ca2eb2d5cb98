/** Passwords and sign-in links through the core's services. */
import { AccessPolicy, Actor, CurrentActor, Sessions, SignIn, type User, Users } from "@errata/core"
import { Password } from "@errata/core/internal"
import { CredentialStore } from "@errata/core/ports"
import { advance, contractCase, Given, onSecondNode } from "@errata/testing"
import { Effect, Layer, Option, Redacted } from "effect"
import { expect } from "vitest"
import * as SignInJob from "../../src/identity/SignInJob.js"
import { onStorages } from "../support/storages.js"

const services = Layer.provideMerge(
  Layer.mergeAll(Users.Default, SignIn.Default, Sessions.Default),
  AccessPolicy.layer,
)

const run = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  effect.pipe(
    Effect.provideService(CurrentActor, Actor.System()),
    Effect.provide(services),
    Effect.provideService(Password.Cost, { N: 2, r: 8, p: 1 }),
  )

const linkFor = (user: User) =>
  run(
    Effect.gen(function* () {
      return yield* (yield* SignIn).createLink(yield* AccessPolicy.instance("users.administer"), user.id)
    }),
  )

const withLink = (token: Redacted.Redacted) =>
  run(Effect.flatMap(SignIn, (signIn) => signIn.withLink(token, "Browser/1.0")))

const withPassword = (emailAddress: string, password: string, address = "192.0.2.1") =>
  run(
    Effect.flatMap(SignIn, (signIn) =>
      signIn.withPassword({
        emailAddress,
        password: Redacted.make(password),
        address,
        userAgent: "Browser/1.0",
      }),
    ),
  )

const isSignedIn = (token: Redacted.Redacted) =>
  run(Effect.flatMap(Sessions, (sessions) => Effect.map(sessions.identify(token), Option.isSome)))

const setPassword = (token: Redacted.Redacted, current: string, password: string) =>
  run(
    Effect.gen(function* () {
      const found = yield* Effect.fromOption(yield* (yield* Sessions).identify(token))
      const change = { current: Redacted.make(current), password: Redacted.make(password) }
      yield* (yield* SignIn).setPassword(found, change)
    }),
  )

const tagOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ _tag }) => _tag)

onStorages("SignIn", [
  contractCase(
    "begins with a link that works once, also when nodes use it at once",
    Effect.gen(function* () {
      const user = yield* Given.user()
      const { token } = yield* linkFor(user)
      const attempts = yield* Effect.all(
        [Effect.result(withLink(token)), onSecondNode(Effect.result(withLink(token)))],
        { concurrency: "unbounded" },
      )
      const begun = attempts.flatMap((attempt) => (attempt._tag === "Success" ? [attempt.success] : []))
      expect(begun).toHaveLength(1)
      expect(begun[0]).toMatchObject({ user: { id: user.id }, session: { method: "link" } })
      expect(yield* isSignedIn(begun[0]!.token)).toBe(true)
      expect(yield* tagOf(withLink(token))).toBe("SignInRefused")
      const later = yield* linkFor(user)
      yield* advance("25 hours")
      expect(yield* tagOf(withLink(later.token))).toBe("SignInRefused")
      expect(yield* tagOf(withLink(Redacted.make("errata-link_nonsense\0")))).toBe("SignInRefused")
    }),
  ),

  contractCase(
    "works with a password set after a link; a new password ends other sessions",
    Effect.gen(function* () {
      const user = yield* Given.user()
      const first = yield* withLink((yield* linkFor(user)).token)
      yield* setPassword(first.token, "", "first password")
      const second = yield* withPassword(user.emailAddress.toUpperCase(), "first password")
      expect(second.session.method).toBe("password")
      expect(yield* tagOf(setPassword(second.token, "wrong password", "second password"))).toBe(
        "ValidationError",
      )
      expect(yield* tagOf(setPassword(second.token, "first password", "short"))).toBe("ValidationError")
      yield* setPassword(second.token, "first password", "second password")
      expect([yield* isSignedIn(first.token), yield* isSignedIn(second.token)]).toEqual([false, true])
      expect(yield* tagOf(withPassword(user.emailAddress, "first password"))).toBe("SignInRefused")
      const third = yield* withPassword(user.emailAddress, "second password")
      expect(Redacted.value(third.token)).not.toBe(Redacted.value(second.token))
    }),
  ),

  contractCase(
    "allows ten attempts from one address across nodes, for known and unknown accounts",
    Effect.gen(function* () {
      const user = yield* Given.user()
      const nobody = `nobody-${user.emailAddress}`
      for (const emailAddress of [user.emailAddress, nobody]) {
        const address = `198.51.100.${emailAddress === nobody ? 1 : 2}`
        const tags = []
        for (let count = 0; count < 12; count++) {
          const attempt = tagOf(withPassword(emailAddress, "wrong password", address))
          tags.push(yield* count % 2 === 0 ? attempt : onSecondNode(attempt))
        }
        expect(tags).toEqual([...Array(10).fill("SignInRefused"), "TooManyAttempts", "TooManyAttempts"])
      }
      // From elsewhere the account can be reached, and here again after a while.
      expect(yield* tagOf(withPassword(user.emailAddress, "wrong password", "203.0.113.9"))).toBe(
        "SignInRefused",
      )
      yield* advance("16 minutes")
      expect(yield* tagOf(withPassword(user.emailAddress, "wrong password", "198.51.100.2"))).toBe(
        "SignInRefused",
      )
    }),
  ),

  contractCase(
    "ends the bearer tokens of a user of the application's own sign-in, and no other session",
    Effect.gen(function* () {
      const user = yield* Given.user()
      const { token } = yield* withLink((yield* linkFor(user)).token)
      const exchange = run(Effect.flatMap(Sessions, (sessions) => sessions.exchangeForeign(user)))
      const authenticate = (bearer: Redacted.Redacted) =>
        run(Effect.flatMap(Sessions, (sessions) => sessions.authenticate(bearer)))
      const [one, two] = [yield* exchange, yield* exchange]
      expect((yield* onSecondNode(authenticate(one))).id).toBe(user.id)
      yield* run(Effect.flatMap(Sessions, (sessions) => sessions.endForeign(user.id)))
      expect(yield* onSecondNode(tagOf(authenticate(one)))).toBe("NotSignedIn")
      expect(yield* tagOf(authenticate(two))).toBe("NotSignedIn")
      expect(yield* isSignedIn(token)).toBe(true)
      const late = yield* exchange
      yield* advance("16 minutes")
      expect(yield* tagOf(authenticate(late))).toBe("NotSignedIn")
    }),
  ),

  contractCase(
    "ends sessions, bearer tokens, password and link of a deactivated user",
    Effect.gen(function* () {
      const user = yield* Given.user()
      const { session, token } = yield* withLink((yield* linkFor(user)).token)
      yield* setPassword(token, "", "first password")
      const bearer = yield* run(Effect.flatMap(Sessions, (sessions) => sessions.exchange(session)))
      const authenticate = run(Effect.flatMap(Sessions, (sessions) => sessions.authenticate(bearer)))
      expect((yield* authenticate).id).toBe(user.id)
      const foreign = yield* run(Effect.flatMap(Sessions, (sessions) => sessions.exchangeForeign(user)))
      const authenticateForeign = run(Effect.flatMap(Sessions, (sessions) => sessions.authenticate(foreign)))
      expect((yield* authenticateForeign).id).toBe(user.id)
      const { token: link } = yield* linkFor(user)
      yield* run(
        Effect.gen(function* () {
          yield* (yield* Users).deactivate(yield* AccessPolicy.instance("users.administer"), user.id)
        }),
      )
      expect(yield* onSecondNode(isSignedIn(token))).toBe(false)
      expect(yield* tagOf(authenticate)).toBe("NotSignedIn")
      expect(yield* tagOf(authenticateForeign)).toBe("NotSignedIn")
      expect(yield* tagOf(withLink(link))).toBe("SignInRefused")
      expect(yield* tagOf(withPassword(user.emailAddress, "first password"))).toBe("SignInRefused")
      expect(yield* tagOf(linkFor(user))).toBe("ValidationError")
      expect(Option.isNone(yield* (yield* CredentialStore).findPassword(user.id))).toBe(true)
      yield* SignInJob.expire
    }),
  ),
])
