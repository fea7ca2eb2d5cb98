/** Applications that act for people, through the core's service. */
import { createHash, randomBytes } from "node:crypto"
import { OAuth, type User } from "@errata/core"
import type { Authorization, Tokens } from "@errata/core/internal"
import { advance, contractCase, Given, onSecondNode } from "@errata/testing"
import { Effect, Option, Redacted } from "effect"
import { expect } from "vitest"
import * as OAuthJob from "../../src/oauth/OAuthJob.js"
import { onStorages } from "../support/storages.js"

const resource = "https://errata.example.test/mcp"
const redirectUri = "https://app.example.test/callback"
const names: Authorization.Names = { scopes: { read: "read", write: "write" }, resources: [resource] }

const run = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provide(effect, OAuth.Default)
const oauth = <A, E, R>(use: (oauth: OAuth["Service"]) => Effect.Effect<A, E, R>) =>
  run(Effect.flatMap(OAuth, use))

let subscribers = 0
const newAddress = Effect.sync(() => `2001:db8:0:${(++subscribers).toString(16)}::1`)

const approve = Effect.fnUntraced(function* (user: User) {
  const address = yield* newAddress
  const verifier = randomBytes(32).toString("base64url")
  const client = yield* oauth((service) => service.register({ redirect_uris: [redirectUri] }, address))
  const codeChallenge = createHash("sha256").update(verifier).digest("base64url")
  const code = yield* oauth((service) =>
    service.approve(user, client, redirectUri, { codeChallenge, grants: ["read", "write"], resource }),
  )
  return { clientId: client.clientId, code: Redacted.value(code), verifier }
})

const exchange = (approved: Effect.Success<ReturnType<typeof approve>>) =>
  oauth((service) => service.exchange({ ...approved, redirectUri, resources: [resource] }, names))

const connect = Effect.fnUntraced(function* (user: User) {
  const approved = yield* approve(user)
  return { clientId: approved.clientId, tokens: yield* exchange(approved) }
})

const refresh = (clientId: string, { refreshToken }: Tokens) =>
  oauth((service) =>
    service.refresh(
      { clientId, refreshToken: Redacted.value(refreshToken), scope: null, resources: [] },
      names,
    ),
  )

const isValid = ({ accessToken }: Tokens) =>
  Effect.map(Effect.option(oauth((service) => service.authenticate(accessToken, [resource]))), Option.isSome)

const refusalOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), (error) => (error as { readonly error?: string }).error)

onStorages("OAuth", [
  contractCase(
    "exchanges a code on one of two nodes, and revokes tokens on reuse",
    Effect.gen(function* () {
      const approved = yield* approve(yield* Given.user())
      const both = yield* Effect.all(
        [Effect.result(exchange(approved)), onSecondNode(Effect.result(exchange(approved)))],
        { concurrency: "unbounded" },
      )
      const given = both.flatMap((either) => (either._tag === "Success" ? [either.success] : []))
      expect(given).toHaveLength(1)
      expect(yield* isValid(given[0]!)).toBe(false)
      const late = yield* approve(yield* Given.user())
      yield* advance("61 seconds")
      expect(yield* refusalOf(exchange(late))).toBe("invalid_grant")
    }),
  ),

  contractCase(
    "expires access tokens after twelve hours, and unused refresh tokens",
    Effect.gen(function* () {
      const { clientId, tokens } = yield* connect(yield* Given.user())
      yield* advance("11 hours")
      expect(yield* onSecondNode(isValid(tokens))).toBe(true)
      expect(yield* Effect.option(oauth((s) => s.authenticate(tokens.accessToken, ["elsewhere"])))).toEqual(
        Option.none(),
      )
      yield* advance("61 minutes")
      expect(yield* isValid(tokens)).toBe(false)
      yield* OAuthJob.expire
      expect(yield* isValid(yield* refresh(clientId, tokens))).toBe(true)
    }),
  ),

  contractCase(
    "accepts a used refresh token again for a few seconds, and later ends its connection",
    Effect.gen(function* () {
      const { clientId, tokens } = yield* connect(yield* Given.user())
      const lost = yield* refresh(clientId, tokens)
      yield* advance("5 seconds")
      const second = yield* onSecondNode(refresh(clientId, tokens))
      const third = yield* refresh(clientId, second)
      expect([yield* isValid(lost), yield* isValid(third)]).toEqual([true, true])
      yield* advance("11 seconds")
      expect(yield* refusalOf(onSecondNode(refresh(clientId, tokens)))).toBe("invalid_grant")
      for (const ended of [tokens, lost, second, third]) expect(yield* isValid(ended)).toBe(false)
      expect(yield* refusalOf(refresh(clientId, third))).toBe("invalid_grant")
    }),
  ),

  contractCase(
    "ends a connection if two successors of one refresh token are used",
    Effect.gen(function* () {
      const { clientId, tokens } = yield* connect(yield* Given.user())
      const owner = yield* refresh(clientId, tokens)
      yield* advance("3 seconds")
      const thief = yield* onSecondNode(refresh(clientId, tokens))
      yield* advance("12 hours")
      const later = yield* refresh(clientId, thief)
      yield* advance("1 hour")
      expect(yield* isValid(later)).toBe(true)
      expect(yield* refusalOf(onSecondNode(refresh(clientId, owner)))).toBe("invalid_grant")
      expect(yield* isValid(later)).toBe(false)
      for (const ended of [tokens, owner, thief, later]) {
        expect(yield* refusalOf(refresh(clientId, ended))).toBe("invalid_grant")
      }
    }),
  ),

  contractCase(
    "rejects tokens from another client, also for revocation",
    Effect.gen(function* () {
      const mine = yield* connect(yield* Given.user())
      const other = yield* connect(yield* Given.user())
      expect(yield* refusalOf(refresh(other.clientId, mine.tokens))).toBe("invalid_grant")
      const token = Redacted.value(mine.tokens.accessToken)
      yield* oauth((service) => service.revoke(token, other.clientId))
      expect(yield* isValid(mine.tokens)).toBe(true)
      yield* oauth((service) => service.revoke(token, null))
      expect(yield* isValid(mine.tokens)).toBe(false)
      expect(yield* isValid(other.tokens)).toBe(true)
    }),
  ),

  contractCase(
    "registers at most sixty clients an hour for one IPv6 network",
    Effect.gen(function* () {
      const prefix = (yield* newAddress).replace("::1", "")
      const register = (count: number) =>
        oauth((service) => service.register({ redirect_uris: [redirectUri] }, `${prefix}::${count}`))
      for (let count = 1; count <= 60; count++) yield* register(count)
      const refused = yield* Effect.flip(onSecondNode(register(61)))
      expect(refused._tag).toBe("TooManyAttempts")
      expect((yield* oauth((s) => s.register({ redirect_uris: [redirectUri] }, "192.0.2.7"))).name).toBe(
        "Unnamed application",
      )
    }),
  ),
])
