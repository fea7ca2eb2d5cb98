/** Connections that end while codes or tokens of them are being used. */

import { createHash } from "node:crypto"
import { describe, expect, it } from "@effect/vitest"
import { OAuth } from "@errata/core"
import { Secrets } from "@errata/core/internal"
import { type Approval, OAuthStore, Storage } from "@errata/core/ports"
import { Factory, Given } from "@errata/testing"
import { Deferred, Duration, Effect, Fiber, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Node from "./support/node.js"

const redirectUri = "https://app.example.com/callback"
const resource = "https://errata.example.com/mcp"
const verifier = "v".repeat(43)

const approval = Effect.map(
  Given.user(),
  (user): Approval => ({
    clientId: "https://app.example.com/client.json",
    clientName: "A client",
    userId: user.id,
    redirectUri,
    codeChallenge: createHash("sha256").update(verifier).digest("base64url"),
    resource,
    grants: ["read"],
  }),
)

/** Waits until another transaction is blocked by this one. */
const untilSomebodyWaits = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.repeat(
    sql`
      SELECT count(*)::int AS waiting FROM pg_locks
      WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))`,
    { until: ([row]) => row?.["waiting"] === 1 },
  ),
)

/** Ends a connection once another transaction waits for it. Locks the connection before its tokens. */
const endOnceAwaited = (id: number, isHeld: Deferred.Deferred<void>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`SELECT FROM errata.oauth_connections WHERE id = ${id} FOR UPDATE`
        yield* Deferred.succeed(isHeld, undefined)
        yield* untilSomebodyWaits
        yield* sql`DELETE FROM errata.oauth_connections WHERE id = ${id}`
      }),
    )
  })

describe("A connection ends without deadlocks", () => {
  it.live("while its token is renewed", () =>
    Effect.gen(function* () {
      const store = yield* OAuthStore
      const { transaction } = yield* Storage
      const id = yield* store.connect(Factory.hash(), yield* approval)
      const refreshTokenHash = Factory.hash()
      yield* store.insertTokens(id, {
        accessTokenHash: Factory.hash(),
        refreshTokenHash,
        predecessorHash: null,
        grants: ["read"],
        accessLifetime: Duration.hours(12),
        refreshLifetime: Duration.days(90),
        keep: 20,
      })
      const isHeld = yield* Deferred.make<void>()
      const renewing = yield* Effect.forkChild(
        Effect.andThen(Deferred.await(isHeld), transaction(store.lockRefreshToken(refreshTokenHash))),
      )
      yield* endOnceAwaited(id, isHeld)
      expect(yield* Fiber.join(renewing)).toEqual(Option.none())
    }).pipe(Effect.provide(Node.layer())),
  )

  it.live("while a second request presents its code", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const store = yield* OAuthStore
      // The victim of a deadlock is retried.
      let tries = 0
      const takeCode = (hash: string) =>
        Effect.suspend(() => {
          tries++
          return store.takeCode(hash)
        })
      const oauth = yield* OAuth.pipe(
        Effect.provide(OAuth.Default),
        Effect.provideService(OAuthStore, { ...store, takeCode }),
      )
      const given = yield* approval
      const code = Redacted.value(yield* Secrets.generateToken("errata-code_"))
      const codeHash = Secrets.sha256(code)
      yield* store.insertCode(codeHash, given, Duration.minutes(1))
      const id = yield* store.connect(codeHash, given)
      const isTaken = yield* Deferred.make<void>()
      const isHeld = yield* Deferred.make<void>()
      const again = yield* Effect.forkChild(
        Effect.andThen(
          Deferred.await(isTaken),
          Effect.flip(
            oauth.exchange(
              { code, clientId: given.clientId, redirectUri, verifier, resources: [] },
              { scopes: { read: "read", write: "write" }, resources: [resource] },
            ),
          ),
        ),
      )
      const ending = yield* Effect.forkChild(endOnceAwaited(id, isHeld))
      yield* Deferred.await(isHeld)
      yield* sql.withTransaction(
        Effect.gen(function* () {
          expect((yield* store.takeCode(codeHash))._tag).toBe("Taken")
          yield* Deferred.succeed(isTaken, undefined)
          yield* untilSomebodyWaits
        }),
      )
      yield* Fiber.join(ending)
      expect(yield* Fiber.join(again)).toMatchObject({ error: "invalid_grant" })
      expect(tries).toBe(1)
    }).pipe(Effect.provide(Node.layer())),
  )
})
