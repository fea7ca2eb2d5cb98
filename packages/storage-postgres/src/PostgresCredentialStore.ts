import type { UserId } from "@errata/core"
import { CredentialStore } from "@errata/core/ports"
import { Array, Effect, Layer, type Option } from "effect"
import { SqlClient } from "effect/sql"
import { byIndex } from "./internal/ByIndex.js"
import { named } from "./internal/PgStorageError.js"
import { interval } from "./internal/PgTime.js"
import * as Rows from "./internal/Rows.js"
import { int8, text, time } from "./internal/SqlType.js"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const owner = (rows: ReadonlyArray<object>): Option.Option<UserId> =>
    Array.head(rows.map((row) => ownerRows.read(row).userId))

  return CredentialStore.of({
    findPassword: (userId) =>
      sql`SELECT hash FROM errata.passwords WHERE user_id = ${userId}`.pipe(
        Effect.map((rows) => Array.head(rows.map((row) => passwordRows.read(row).hash))),
        named("CredentialStore.findPassword"),
      ),

    setPassword: (userId, hash) =>
      sql`
        INSERT INTO errata.passwords (user_id, hash) VALUES (${userId}, ${hash})
        ON CONFLICT (user_id) DO UPDATE SET hash = excluded.hash, set_at = excluded.set_at`.pipe(
        Effect.asVoid,
        named("CredentialStore.setPassword"),
      ),

    putLink: (userId, tokenHash, lifetime) =>
      sql`
        INSERT INTO errata.sign_in_links (user_id, token_hash, ends_at)
        VALUES (${userId}, ${tokenHash}, errata.now() + ${interval(lifetime)}::interval)
        ON CONFLICT (user_id) DO UPDATE SET token_hash = excluded.token_hash, ends_at = excluded.ends_at
        RETURNING ends_at`.pipe(
        Effect.map(([row]) => endRows.read(row!).endsAt),
        named("CredentialStore.putLink"),
      ),

    findLink: (tokenHash) =>
      sql`
        SELECT user_id FROM errata.sign_in_links
        WHERE token_hash = ${tokenHash} AND ends_at > errata.now()`.pipe(
        Effect.map(owner),
        named("CredentialStore.findLink"),
      ),

    takeLink: (tokenHash) =>
      sql`
        DELETE FROM errata.sign_in_links
        WHERE token_hash = ${tokenHash} AND ends_at > errata.now() RETURNING user_id`.pipe(
        Effect.map(owner),
        named("CredentialStore.takeLink"),
      ),

    forget: (userId) =>
      sql`DELETE FROM errata.passwords WHERE user_id = ${userId}`.pipe(
        Effect.andThen(sql`DELETE FROM errata.sign_in_links WHERE user_id = ${userId}`),
        Effect.asVoid,
        named("CredentialStore.forget"),
      ),

    expire: (limit) =>
      sql`
        DELETE FROM errata.sign_in_links WHERE user_id IN (
          SELECT user_id FROM errata.sign_in_links WHERE ends_at <= errata.now()
          ORDER BY ends_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
        ) RETURNING 1`.pipe(
        Effect.map((rows) => rows.length),
        byIndex(sql),
        named("CredentialStore.expire"),
      ),
  })
})

export const layer = Layer.effect(CredentialStore, make)

// internal

const ownerRows = Rows.make({ userId: int8<UserId>() })
const passwordRows = Rows.make({ hash: text() })
const endRows = Rows.make({ endsAt: time })
