/** Sessions of users and their bearer tokens, by the storage's clock. */
import type { User } from "@errata/core"
import { CredentialStore, type NewSession, UserStore } from "@errata/core/ports"
import { Duration, Effect, Option } from "effect"
import { expect } from "vitest"
import { advance, type ContractSuite, contractCase, onSecondNode } from "./ContractCase.js"
import * as Factory from "./Factory.js"
import * as Given from "./Given.js"
import { idOf } from "./internal/Paging.js"

const idle = Duration.days(1)

const begin = Effect.fnUntraced(function* (user: User, overrides: Partial<NewSession> = {}, keep = 10) {
  const store = yield* CredentialStore
  const input: NewSession = {
    userId: user.id,
    tokenHash: Factory.hash(),
    method: "password",
    userAgent: "Browser/1.0",
    idle,
    longest: Duration.days(3),
    ...overrides,
  }
  return { hash: input.tokenHash, session: yield* store.insertSession(input, keep) }
})

const use = (hash: string) => Effect.flatMap(CredentialStore, (store) => store.useSession(hash, idle))
const isUsable = (hash: string) => Effect.map(use(hash), Option.isSome)
const findBearer = (hash: string) => Effect.flatMap(CredentialStore, (store) => store.findBearer(hash))
const list = (user: User) => Effect.flatMap(CredentialStore, (store) => store.listSessions(user.id))

export const sessionsSuite: ContractSuite = {
  name: "CredentialStore sessions",
  cases: [
    contractCase(
      "finds a session by its token on every node, with its user",
      Effect.gen(function* () {
        const user = yield* Given.user()
        const { hash, session } = yield* begin(user, { method: "link", userAgent: 'Some "agent" ä' })
        expect(session).toMatchObject({ userId: user.id, method: "link", userAgent: 'Some "agent" ä' })
        expect(yield* Effect.fromOption(yield* onSecondNode(use(hash)))).toEqual({ session, user })
        expect(yield* isUsable(Factory.hash())).toBe(false)
      }),
    ),

    contractCase(
      "expires idle sessions, and used ones at their maximum age",
      Effect.gen(function* () {
        const user = yield* Given.user()
        const unused = yield* begin(user)
        const used = yield* begin(user)
        for (let day = 0; day < 3; day++) {
          yield* advance("23 hours")
          expect(yield* onSecondNode(isUsable(used.hash))).toBe(true)
        }
        expect(yield* isUsable(unused.hash)).toBe(false)
        expect((yield* list(user)).map(idOf)).toEqual([used.session.id])
        yield* advance("4 hours")
        expect(yield* isUsable(used.hash)).toBe(false)
        expect(yield* list(user)).toEqual([])
      }),
    ),

    contractCase(
      "returns the last use of a session to the minute",
      Effect.gen(function* () {
        const user = yield* Given.user()
        const { hash, session } = yield* begin(user)
        expect((yield* Effect.fromOption(yield* use(hash))).session.lastUsedAt).toEqual(session.lastUsedAt)
        yield* advance("5 minutes")
        const { session: used } = yield* Effect.fromOption(yield* use(hash))
        const since = used.lastUsedAt.epochMilliseconds - session.lastUsedAt.epochMilliseconds
        expect(Math.round(since / 60_000)).toBe(5)
        expect((yield* list(user))[0]?.lastUsedAt).toEqual(used.lastUsedAt)
      }),
    ),

    contractCase(
      "rejects sessions and bearer tokens of inactive users",
      Effect.gen(function* () {
        const user = yield* Given.user()
        const { hash, session } = yield* begin(user)
        const bearer = Factory.hash()
        yield* (yield* CredentialStore).insertBearer(session.id, bearer, idle, 10)
        expect(Option.isSome(yield* findBearer(bearer))).toBe(true)
        yield* (yield* UserStore).deactivate(user.id, Factory.noon)
        expect(yield* onSecondNode(isUsable(hash))).toBe(false)
        expect(Option.isNone(yield* onSecondNode(findBearer(bearer)))).toBe(true)
      }),
    ),

    contractCase(
      "ends one session of its own user, all but one, or all",
      Effect.gen(function* () {
        const store = yield* CredentialStore
        const user = yield* Given.user()
        const other = yield* Given.user()
        const theirs = yield* begin(other)
        const [a, b, c] = [yield* begin(user), yield* begin(user), yield* begin(user)]
        expect(yield* store.endSession(other.id, a.session.id)).toBe(false)
        expect(yield* store.endSession(user.id, a.session.id)).toBe(true)
        expect(yield* store.endSession(user.id, a.session.id)).toBe(false)
        expect(yield* isUsable(a.hash)).toBe(false)
        yield* store.endSessions(user.id, b.session.id)
        expect([yield* isUsable(b.hash), yield* isUsable(c.hash)]).toEqual([true, false])
        yield* store.forget(user.id)
        expect([yield* isUsable(b.hash), yield* isUsable(theirs.hash)]).toEqual([false, true])
      }),
    ),

    contractCase(
      "keeps the newest sessions of a user, and the newest bearer tokens of a session",
      Effect.gen(function* () {
        const store = yield* CredentialStore
        const user = yield* Given.user()
        const begun = []
        for (let count = 0; count < 4; count++) begun.push(yield* begin(user, {}, 2))
        expect((yield* list(user)).map(idOf)).toEqual([begun[3]!.session.id, begun[2]!.session.id])
        const bearers = []
        for (let count = 0; count < 4; count++) {
          const hash = Factory.hash()
          yield* store.insertBearer(begun[3]!.session.id, hash, idle, 2)
          bearers.push(hash)
        }
        const found = yield* Effect.forEach(bearers, (hash) => Effect.map(findBearer(hash), Option.isSome))
        expect(found).toEqual([false, false, true, true])
      }),
    ),

    contractCase(
      "ends a bearer token after its time, and with its session",
      Effect.gen(function* () {
        const store = yield* CredentialStore
        const user = yield* Given.user()
        const { session } = yield* begin(user)
        const [short, long] = [Factory.hash(), Factory.hash()]
        yield* store.insertBearer(session.id, short, Duration.minutes(15), 10)
        yield* store.insertBearer(session.id, long, Duration.hours(20), 10)
        expect((yield* Effect.fromOption(yield* onSecondNode(findBearer(short)))).id).toBe(user.id)
        yield* advance("16 minutes")
        expect(Option.isNone(yield* findBearer(short))).toBe(true)
        expect(Option.isSome(yield* findBearer(long))).toBe(true)
        yield* store.endSession(user.id, session.id)
        expect(Option.isNone(yield* findBearer(long))).toBe(true)
        yield* store.insertBearer(session.id, Factory.hash(), Duration.minutes(15), 10)
      }),
    ),

    contractCase(
      "removes only expired sessions and tokens",
      Effect.gen(function* () {
        const store = yield* CredentialStore
        const user = yield* Given.user()
        while ((yield* store.expire(1000)) > 0) {}
        const { session } = yield* begin(user)
        const longer = yield* begin(user, { idle: Duration.days(2) })
        yield* store.insertBearer(longer.session.id, Factory.hash(), Duration.minutes(15), 10)
        yield* store.insertBearer(session.id, Factory.hash(), Duration.minutes(15), 10)
        expect(yield* store.expire(1000)).toBe(0)
        yield* advance("16 minutes")
        expect(yield* store.expire(1)).toBe(1)
        expect(yield* store.expire(1000)).toBe(1)
        yield* advance("1 day")
        while ((yield* store.expire(1000)) > 0) {}
        expect((yield* list(user)).map(idOf)).toEqual([longer.session.id])
      }),
    ),
  ],
}
