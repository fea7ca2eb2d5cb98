import { SqlClient } from "@effect/sql"
import { describe, expect, it } from "@effect/vitest"
import { OAuthStore, Storage } from "@errata/core"
import { Factory, Given } from "@errata/testing"
import { Deferred, Duration, Effect, Fiber, Option } from "effect"
import * as Node from "./support/node.js"

describe("A connection that is ended while its token is renewed", () => {
  it.scopedLive("ends, and neither waits for the other for ever", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const store = yield* OAuthStore
      const { transaction } = yield* Storage
      const user = yield* Given.user()
      const approval = {
        clientId: "a client",
        clientName: "A client",
        userId: user.id,
        redirectUri: "https://app.example.com/callback",
        codeChallenge: "challenge",
        resource: "https://errata.example.com/mcp",
        grants: ["read"],
      } as const
      const id = yield* store.connect(Factory.hash(), approval)
      const refreshTokenHash = Factory.hash()
      yield* store.insertTokens(id, {
        accessTokenHash: Factory.hash(),
        refreshTokenHash,
        grants: ["read"],
        accessLifetime: Duration.hours(12),
        refreshLifetime: Duration.days(90),
        keep: 20,
      })
      const isEnding = yield* Deferred.make<void>()
      const renewing = yield* Effect.fork(
        Effect.zipRight(Deferred.await(isEnding), transaction(store.lockRefreshToken(refreshTokenHash))),
      )
      yield* sql.withTransaction(
        Effect.gen(function* () {
          // Whoever ends a connection has it first, and then all that belongs to it.
          yield* sql`SELECT FROM errata.oauth_connections WHERE id = ${id} FOR UPDATE`
          yield* Deferred.succeed(isEnding, undefined)
          yield* Effect.repeat(
            sql`
              SELECT count(*)::int AS waiting FROM pg_locks
              WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))`,
            { until: ([row]) => row?.["waiting"] === 1 },
          )
          yield* store.disconnect(id, null)
        }),
      )
      expect(yield* Fiber.join(renewing)).toEqual(Option.none())
    }).pipe(Effect.provide(Node.layer())),
  )
})
