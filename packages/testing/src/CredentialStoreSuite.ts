/** Passwords, one-time links and counts of attempts. */
import { CredentialStore, RateLimitStore } from "@errata/core/ports"
import { Duration, Effect, Option } from "effect"
import { expect } from "vitest"
import { advance, type ContractSuite, contractCase, onSecondNode } from "./ContractCase.js"
import * as Factory from "./Factory.js"
import * as Given from "./Given.js"

const day = Duration.days(1)

const find = (hash: string) => Effect.flatMap(CredentialStore, (store) => store.findLink(hash))
const take = (hash: string) => Effect.flatMap(CredentialStore, (store) => store.takeLink(hash))

export const credentialStoreSuite: ContractSuite = {
  name: "CredentialStore",
  cases: [
    contractCase(
      "keeps one password for each user",
      Effect.gen(function* () {
        const store = yield* CredentialStore
        const [user, other] = [yield* Given.user(), yield* Given.user()]
        expect(Option.isNone(yield* store.findPassword(user.id))).toBe(true)
        yield* store.setPassword(user.id, "first")
        yield* store.setPassword(other.id, "other")
        yield* store.setPassword(user.id, "second")
        expect(
          yield* Effect.fromOption(
            yield* onSecondNode(Effect.flatMap(CredentialStore, (s) => s.findPassword(user.id))),
          ),
        ).toBe("second")
        expect(yield* Effect.fromOption(yield* store.findPassword(other.id))).toBe("other")
      }),
    ),

    contractCase(
      "returns a link's user to only one of several concurrent callers",
      Effect.gen(function* () {
        const store = yield* CredentialStore
        const user = yield* Given.user()
        const hash = Factory.hash()
        yield* store.putLink(user.id, hash, day)
        expect(yield* Effect.fromOption(yield* find(hash))).toBe(user.id)
        expect(yield* Effect.fromOption(yield* onSecondNode(find(hash)))).toBe(user.id)
        const taken = yield* Effect.all([take(hash), onSecondNode(take(hash)), take(hash)], {
          concurrency: "unbounded",
        })
        expect(taken.filter(Option.isSome)).toEqual([Option.some(user.id)])
        expect(Option.isNone(yield* find(hash))).toBe(true)
      }),
    ),

    contractCase(
      "keeps one link for each user until it expires",
      Effect.gen(function* () {
        const store = yield* CredentialStore
        const user = yield* Given.user()
        const [former, hash] = [Factory.hash(), Factory.hash()]
        const first = yield* store.putLink(user.id, former, day)
        yield* advance("1 hour")
        const second = yield* store.putLink(user.id, hash, day)
        expect(Math.round((second.epochMilliseconds - first.epochMilliseconds) / 60_000)).toBe(60)
        expect(Option.isNone(yield* take(former))).toBe(true)
        yield* advance("23 hours")
        expect(Option.isSome(yield* find(hash))).toBe(true)
        yield* advance("61 minutes")
        expect([Option.isNone(yield* find(hash)), Option.isNone(yield* take(hash))]).toEqual([true, true])
      }),
    ),

    contractCase(
      "deletes a user's credentials, and expired links",
      Effect.gen(function* () {
        const store = yield* CredentialStore
        const [user, other] = [yield* Given.user(), yield* Given.user()]
        const [hash, kept] = [Factory.hash(), Factory.hash()]
        yield* store.setPassword(user.id, "password")
        yield* store.putLink(user.id, hash, day)
        yield* store.putLink(other.id, kept, Duration.days(3))
        yield* store.forget(user.id)
        expect(Option.isNone(yield* store.findPassword(user.id))).toBe(true)
        expect(Option.isNone(yield* find(hash))).toBe(true)
        while ((yield* store.expire(1000)) > 0) {}
        yield* store.putLink(user.id, hash, day)
        expect(yield* store.expire(1000)).toBe(0)
        yield* advance("25 hours")
        expect(yield* store.expire(1000)).toBe(1)
        expect(Option.isSome(yield* find(kept))).toBe(true)
      }),
    ),
  ],
}

let keys = 0
const newKey = Effect.sync(() => `attempts ${++keys}`)
const attempt = (key: string, limit = 3) =>
  Effect.flatMap(RateLimitStore, (throttles) => throttles.take(key, limit, Duration.minutes(15)))
const isAllowed = (key: string, limit?: number) => Effect.map(attempt(key, limit), ({ allowed }) => allowed)

export const rateLimitStoreSuite: ContractSuite = {
  name: "RateLimitStore",
  cases: [
    contractCase(
      "allows the given number of attempts across nodes",
      Effect.gen(function* () {
        const key = yield* newKey
        const all = yield* Effect.all(
          [1, 2, 3, 4].flatMap(() => [isAllowed(key), onSecondNode(isAllowed(key))]),
          { concurrency: "unbounded" },
        )
        expect(all.filter((allowed) => allowed)).toHaveLength(3)
        expect(yield* isAllowed(yield* newKey)).toBe(true)
      }),
    ),

    contractCase(
      "starts a new window on time, even if attempts continue",
      Effect.gen(function* () {
        const key = yield* newKey
        for (let count = 0; count < 3; count++) expect(yield* isAllowed(key)).toBe(true)
        yield* advance("10 minutes")
        const refused = yield* attempt(key)
        expect(refused.allowed).toBe(false)
        expect(Math.round(Duration.toMinutes(refused.after))).toBe(5)
        yield* advance("6 minutes")
        expect(yield* onSecondNode(isAllowed(key))).toBe(true)
        expect(Math.round(Duration.toMinutes((yield* attempt(key)).after))).toBe(15)
      }),
    ),

    contractCase(
      "resets a count on request, and expires counts after their window",
      Effect.gen(function* () {
        const throttles = yield* RateLimitStore
        const key = yield* newKey
        yield* attempt(key, 1)
        expect(yield* isAllowed(key, 1)).toBe(false)
        yield* throttles.reset(key)
        expect(yield* isAllowed(key, 1)).toBe(true)
        yield* advance("1 day")
        while ((yield* throttles.expire(1000)) > 0) {}
        yield* attempt(key)
        expect(yield* throttles.expire(1000)).toBe(0)
        yield* advance("16 minutes")
        expect(yield* throttles.expire(1000)).toBe(1)
      }),
    ),
  ],
}
