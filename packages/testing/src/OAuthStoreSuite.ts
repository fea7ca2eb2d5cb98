/** Clients, codes, connections and tokens, by the storage's clock. */
import type { User } from "@errata/core"
import { type Approval, type NewTokens, OAuthStore, UserStore } from "@errata/core/ports"
import { Duration, Effect, Option } from "effect"
import { expect } from "vitest"
import { advance, type ContractSuite, contractCase, onSecondNode } from "./ContractCase.js"
import * as Factory from "./Factory.js"
import * as Given from "./Given.js"
import { idOf } from "./internal/Paging.js"

const newClient = () => ({
  clientId: Factory.hash().slice(0, 32),
  name: 'An "application", ä',
  redirectUris: ["https://app.example.com/callback?a=b,c", 'cursor://x/{"}'],
})

const client = Effect.gen(function* () {
  return yield* (yield* OAuthStore).insertClient(newClient(), 1_000_000)
})

const approvalOf = (user: User, overrides: Partial<Approval> = {}): Approval => ({
  clientId: "a client",
  clientName: "A client",
  userId: user.id,
  redirectUri: "https://app.example.com/callback",
  codeChallenge: "challenge",
  resource: "https://errata.example.com/mcp",
  grants: ["read", "write"],
  ...overrides,
})

const approve = Effect.fnUntraced(function* (user: User, overrides: Partial<Approval> = {}) {
  const hash = Factory.hash()
  const approval = approvalOf(user, overrides)
  yield* (yield* OAuthStore).insertCode(hash, approval, Duration.minutes(1))
  return { hash, approval }
})

const connect = Effect.fnUntraced(function* (user: User, overrides: Partial<Approval> = {}) {
  const store = yield* OAuthStore
  const { approval, hash } = yield* approve(user, overrides)
  yield* store.takeCode(hash)
  return { code: hash, id: yield* store.connect(hash, approval) }
})

const newTokens = (overrides: Partial<NewTokens> = {}): NewTokens => ({
  accessTokenHash: Factory.hash(),
  refreshTokenHash: Factory.hash(),
  predecessorHash: null,
  grants: ["read"],
  accessLifetime: Duration.hours(12),
  refreshLifetime: Duration.days(3),
  keep: 20,
  ...overrides,
})

const take = (hash: string) => Effect.flatMap(OAuthStore, (store) => store.takeCode(hash))
const findAccess = (hash: string) => Effect.flatMap(OAuthStore, (store) => store.findAccessToken(hash))
const lock = (hash: string) => Effect.flatMap(OAuthStore, (store) => store.lockRefreshToken(hash))

const emptied = Effect.gen(function* () {
  const store = yield* OAuthStore
  while ((yield* store.expire(1000, patience)) > 0) {}
})

const patience = { unused: Duration.days(1), idle: Duration.days(2) }

export const oauthStoreSuite: ContractSuite = {
  name: "OAuthStore",
  cases: [
    contractCase(
      "keeps registered clients, and only the newest unapproved ones",
      Effect.gen(function* () {
        const store = yield* OAuthStore
        const kept = yield* client
        expect(kept).toMatchObject({ name: 'An "application", ä', redirectUris: newClient().redirectUris })
        const found = yield* onSecondNode(
          Effect.flatMap(OAuthStore, (other) => other.findClient(kept.clientId)),
        )
        expect(yield* Effect.fromOption(found)).toEqual(kept)
        expect(Option.isNone(yield* store.findClient("nobody"))).toBe(true)
        yield* approve(yield* Given.user(), { clientId: kept.clientId })
        const waiting = []
        for (let count = 0; count < 4; count++) {
          yield* advance("1 second")
          waiting.push(yield* store.insertClient(newClient(), 2))
        }
        const left = yield* Effect.filter([kept, ...waiting], ({ clientId }) =>
          Effect.map(store.findClient(clientId), Option.isSome),
        )
        expect(left).toEqual([kept, ...waiting.slice(2)])
      }),
    ),

    contractCase(
      "returns an approval once for its code, before it expires",
      Effect.gen(function* () {
        const user = yield* Given.user()
        const { approval, hash } = yield* approve(user, { grants: ["read"] })
        const taken = yield* Effect.all([take(hash), onSecondNode(take(hash)), take(hash)], {
          concurrency: "unbounded",
        })
        expect(taken.filter(({ _tag }) => _tag === "Taken")).toEqual([{ _tag: "Taken", approval }])
        expect(yield* take(hash)).toEqual({ _tag: "Spent", connectionId: null })
        const late = yield* approve(user)
        yield* advance("61 seconds")
        expect([yield* take(late.hash), yield* take(Factory.hash())]).toEqual([
          { _tag: "Unknown" },
          { _tag: "Unknown" },
        ])
      }),
    ),

    contractCase(
      "finds the connection of a used code until the connection ends",
      Effect.gen(function* () {
        const store = yield* OAuthStore
        const user = yield* Given.user()
        const { code, id } = yield* connect(user)
        yield* store.insertTokens(id, newTokens())
        yield* advance("1 day")
        yield* emptied
        expect(yield* onSecondNode(take(code))).toEqual({ _tag: "Spent", connectionId: id })
        expect(yield* store.disconnect(id, null)).toBe(true)
        expect(yield* take(code)).toEqual({ _tag: "Unknown" })
      }),
    ),

    contractCase(
      "finds the user, the scopes and the resource of an access token until it expires",
      Effect.gen(function* () {
        const store = yield* OAuthStore
        const user = yield* Given.user()
        const { id } = yield* connect(user)
        const tokens = newTokens()
        yield* store.insertTokens(id, tokens)
        const owner = { user, connectionId: id, grants: ["read"], resource: approvalOf(user).resource }
        expect(yield* Effect.fromOption(yield* onSecondNode(findAccess(tokens.accessTokenHash)))).toEqual(
          owner,
        )
        expect(Option.isNone(yield* findAccess(tokens.refreshTokenHash))).toBe(true)
        const [before] = yield* store.listConnections(user.id)
        yield* advance("5 minutes")
        yield* findAccess(tokens.accessTokenHash)
        const [after] = yield* store.listConnections(user.id)
        const since = after!.lastUsedAt.epochMilliseconds - before!.lastUsedAt.epochMilliseconds
        expect(Math.round(since / 60_000)).toBe(5)
        yield* advance("12 hours")
        expect(Option.isNone(yield* findAccess(tokens.accessTokenHash))).toBe(true)
      }),
    ),

    contractCase(
      "returns the time since a refresh token was first used",
      Effect.gen(function* () {
        const store = yield* OAuthStore
        const user = yield* Given.user()
        const { id } = yield* connect(user)
        const { accessTokenHash, refreshTokenHash: hash } = newTokens()
        yield* store.insertTokens(id, newTokens({ accessTokenHash, refreshTokenHash: hash }))
        const fresh = yield* Effect.fromOption(yield* lock(hash))
        expect([fresh.connection.id, fresh.usedFor]).toEqual([id, null])
        expect(Option.isNone(yield* lock(accessTokenHash))).toBe(true)
        yield* store.useRefreshToken(hash)
        yield* advance("2 minutes")
        yield* store.useRefreshToken(hash)
        const used = yield* Effect.fromOption(yield* onSecondNode(lock(hash)))
        expect(Math.round(Duration.toMinutes(used.usedFor!))).toBe(2)
        yield* advance("3 days")
        expect(Option.isNone(yield* lock(hash))).toBe(true)
        const found = yield* Effect.fromOption(yield* store.findConnection(hash))
        expect(found.id).toBe(id)
      }),
    ),

    contractCase(
      "returns whether a rival of a refresh token was used",
      Effect.gen(function* () {
        const store = yield* OAuthStore
        const { id } = yield* connect(yield* Given.user())
        const [root, other] = [newTokens(), newTokens()]
        const predecessorHash = root.refreshTokenHash
        const [left, right] = [newTokens({ predecessorHash }), newTokens({ predecessorHash })]
        for (const tokens of [root, other, left, right]) yield* store.insertTokens(id, tokens)
        const hashes = [root, other, left, right].map(({ refreshTokenHash }) => refreshTokenHash)
        const rivals = Effect.forEach(hashes, (hash) =>
          Effect.map(
            Effect.flatMap(onSecondNode(lock(hash)), Effect.fromOption),
            ({ isRivalUsed }) => isRivalUsed,
          ),
        )
        yield* store.useRefreshToken(root.refreshTokenHash)
        expect(yield* rivals).toEqual([false, false, false, false])
        yield* store.useRefreshToken(left.refreshTokenHash)
        expect(yield* rivals).toEqual([false, false, false, true])
      }),
    ),

    contractCase(
      "ends a connection with all its tokens, for its own user only",
      Effect.gen(function* () {
        const store = yield* OAuthStore
        const [user, other] = [yield* Given.user(), yield* Given.user()]
        const [first, second] = [yield* connect(user), yield* connect(user)]
        const tokens = newTokens()
        yield* store.insertTokens(first.id, tokens)
        expect((yield* store.listConnections(user.id)).map(idOf)).toEqual([second.id, first.id])
        expect(yield* store.disconnect(first.id, other.id)).toBe(false)
        expect(yield* store.disconnect(first.id, user.id)).toBe(true)
        expect(yield* store.disconnect(first.id, user.id)).toBe(false)
        expect(Option.isNone(yield* onSecondNode(findAccess(tokens.accessTokenHash)))).toBe(true)
        expect(Option.isNone(yield* lock(tokens.refreshTokenHash))).toBe(true)
        expect(Option.isNone(yield* store.findConnection(tokens.accessTokenHash))).toBe(true)
        yield* store.insertTokens(first.id, newTokens())
        expect((yield* store.listConnections(user.id)).map(idOf)).toEqual([second.id])
      }),
    ),

    contractCase(
      "ignores inactive users, and deletes all connections of a user",
      Effect.gen(function* () {
        const store = yield* OAuthStore
        const user = yield* Given.user()
        const { id } = yield* connect(user)
        const tokens = newTokens()
        yield* store.insertTokens(id, tokens)
        const { hash } = yield* approve(user)
        yield* (yield* UserStore).deactivate(user.id, Factory.noon)
        expect(Option.isNone(yield* findAccess(tokens.accessTokenHash))).toBe(true)
        expect(Option.isNone(yield* lock(tokens.refreshTokenHash))).toBe(true)
        expect(yield* take(hash)).toEqual({ _tag: "Unknown" })
        yield* store.disconnectUser(user.id)
        expect(yield* store.listConnections(user.id)).toEqual([])
      }),
    ),

    contractCase(
      "keeps the newest access tokens of a connection",
      Effect.gen(function* () {
        const store = yield* OAuthStore
        const user = yield* Given.user()
        const { id } = yield* connect(user)
        const all = [1, 2, 3, 4].map(() => newTokens({ keep: 2 }))
        for (const tokens of all) yield* store.insertTokens(id, tokens)
        const found = yield* Effect.forEach(all, (tokens) => findAccess(tokens.accessTokenHash))
        expect(found.map(Option.isSome)).toEqual([false, false, true, true])
        const refresh = yield* Effect.forEach(all, (tokens) => lock(tokens.refreshTokenHash))
        expect(refresh.every(Option.isSome)).toBe(true)
      }),
    ),

    contractCase(
      "deletes clients that are never approved, and long unused ones",
      Effect.gen(function* () {
        const store = yield* OAuthStore
        const user = yield* Given.user()
        yield* emptied
        const [unused, approved, connected] = [yield* client, yield* client, yield* client]
        yield* approve(user, { clientId: approved.clientId })
        const { id } = yield* connect(user, { clientId: connected.clientId })
        yield* store.insertTokens(id, newTokens({ refreshLifetime: Duration.days(4) }))
        const left = Effect.filter([unused, approved, connected], ({ clientId }) =>
          Effect.map(store.findClient(clientId), Option.isSome),
        )
        yield* advance("23 hours")
        yield* emptied
        expect(yield* left).toHaveLength(3)
        yield* advance("2 hours")
        yield* emptied
        expect(yield* left).toEqual([approved, connected])
        yield* advance("2 days")
        yield* emptied
        expect(yield* left).toEqual([connected])
        expect((yield* store.listConnections(user.id)).map(idOf)).toEqual([id])
        yield* advance("2 days")
        yield* emptied
        expect(yield* left).toEqual([])
        expect(yield* store.listConnections(user.id)).toEqual([])
      }),
    ),
  ],
}
