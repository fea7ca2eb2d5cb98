import type { Session, SessionId, SignInMethod, UserId } from "@errata/core"
import { CredentialStore } from "@errata/core/ports"
import { Array, Effect, Layer, Option } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { byIndex } from "./internal/ByIndex.js"
import { named } from "./internal/PgStorageError.js"
import { interval } from "./internal/PgTime.js"
import * as Rows from "./internal/Rows.js"
import { int8, text, time } from "./internal/SqlType.js"
import { toUser, userColumns } from "./internal/UserRow.js"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const owner = (rows: ReadonlyArray<object>): Option.Option<UserId> =>
    Array.head(rows.map((row) => ownerRows.read(row).userId))

  const columns = sql.literal(sessionRows.select("s"))
  // As `isSessionValid`.
  const alive = sql`s.idle_until > errata.now() AND s.ends_at > errata.now()`

  const userWhere = (from: Statement.Fragment) =>
    Effect.map(sql`SELECT ${sql.literal(userColumns)} FROM ${from} AND u.active`, (rows) =>
      Array.head(rows.map(toUser)),
    )

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
        Effect.andThen(sql`DELETE FROM errata.sessions WHERE user_id = ${userId}`),
        Effect.asVoid,
        named("CredentialStore.forget"),
      ),

    insertSession: (session, keep) =>
      Effect.gen(function* () {
        const [row] = yield* sql`
          INSERT INTO errata.sessions AS s (user_id, token_hash, method, user_agent, idle_until, ends_at)
          VALUES (
            ${session.userId}, ${session.tokenHash}, ${session.method}, ${session.userAgent},
            errata.now() + ${interval(session.idle)}::interval, errata.now() + ${interval(session.longest)}::interval
          )
          RETURNING ${columns}`
        yield* sql`
          DELETE FROM errata.sessions WHERE user_id = ${session.userId} AND id < (
            SELECT min(id) FROM (
              SELECT id FROM errata.sessions WHERE user_id = ${session.userId} ORDER BY id DESC LIMIT ${keep}
            ) AS newest
          )`
        return toSession(row!)
      }).pipe(named("CredentialStore.insertSession")),

    useSession: (tokenHash, idle) =>
      Effect.gen(function* () {
        // At most once per minute: otherwise, every request would write.
        yield* sql`
          UPDATE errata.sessions AS s
          SET last_used_at = errata.now(), idle_until = errata.now() + ${interval(idle)}::interval
          WHERE s.token_hash = ${tokenHash} AND s.last_used_at <= errata.now() - INTERVAL '1 minute' AND ${alive}`
        const [row] = yield* sql`
          SELECT ${columns} FROM errata.sessions AS s WHERE s.token_hash = ${tokenHash} AND ${alive}`
        if (row === undefined) return Option.none()
        const session = toSession(row)
        const user = yield* userWhere(sql`errata.users AS u WHERE u.id = ${session.userId}`)
        return Option.map(user, (user) => ({ session, user }))
      }).pipe(named("CredentialStore.useSession")),

    listSessions: (userId) =>
      sql`
        SELECT ${columns} FROM errata.sessions AS s WHERE s.user_id = ${userId} AND ${alive}
        ORDER BY s.id DESC`.pipe(
        Effect.map((rows) => rows.map(toSession)),
        named("CredentialStore.listSessions"),
      ),

    endSession: (userId, id) =>
      sql`DELETE FROM errata.sessions WHERE user_id = ${userId} AND id = ${id} RETURNING 1`.pipe(
        Effect.map((rows) => rows.length > 0),
        named("CredentialStore.endSession"),
      ),

    endSessions: (userId, except) =>
      sql`DELETE FROM errata.sessions WHERE user_id = ${userId} AND id <> ${except}`.pipe(
        Effect.asVoid,
        named("CredentialStore.endSessions"),
      ),

    insertBearer: (sessionId, tokenHash, lifetime, keep) =>
      Effect.gen(function* () {
        // Inserts nothing if the session has just ended.
        yield* sql`
          INSERT INTO errata.bearers (token_hash, session_id, ends_at)
          SELECT ${tokenHash}, id, errata.now() + ${interval(lifetime)}::interval
          FROM errata.sessions WHERE id = ${sessionId} FOR KEY SHARE`
        yield* sql`
          DELETE FROM errata.bearers WHERE token_hash IN (
            SELECT token_hash FROM errata.bearers WHERE session_id = ${sessionId}
            ORDER BY created_at DESC OFFSET ${keep}
          )`
      }).pipe(named("CredentialStore.insertBearer")),

    findBearer: (tokenHash) =>
      userWhere(sql`
        errata.bearers AS b
        JOIN errata.sessions AS s ON s.id = b.session_id
        JOIN errata.users AS u ON u.id = s.user_id
        WHERE b.token_hash = ${tokenHash} AND b.ends_at > errata.now() AND ${alive}`).pipe(
        named("CredentialStore.findBearer"),
      ),

    expire: (limit) =>
      Effect.gen(function* () {
        const sessions = yield* sql`
          DELETE FROM errata.sessions WHERE id IN (
            SELECT id FROM errata.sessions WHERE least(idle_until, ends_at) <= errata.now()
            ORDER BY least(idle_until, ends_at) LIMIT ${limit} FOR UPDATE SKIP LOCKED
          ) RETURNING 1`
        const bearers = yield* sql`
          DELETE FROM errata.bearers WHERE token_hash IN (
            SELECT token_hash FROM errata.bearers WHERE ends_at <= errata.now()
            ORDER BY ends_at LIMIT ${limit - sessions.length} FOR UPDATE SKIP LOCKED
          ) RETURNING 1`
        const links = yield* sql`
          DELETE FROM errata.sign_in_links WHERE user_id IN (
            SELECT user_id FROM errata.sign_in_links WHERE ends_at <= errata.now()
            ORDER BY ends_at LIMIT ${limit - sessions.length - bearers.length} FOR UPDATE SKIP LOCKED
          ) RETURNING 1`
        return sessions.length + bearers.length + links.length
      }).pipe(byIndex(sql), named("CredentialStore.expire")),
  })
})

export const layer = Layer.effect(CredentialStore, make)

// internal

const ownerRows = Rows.make({ userId: int8<UserId>() })
const passwordRows = Rows.make({ hash: text() })
const endRows = Rows.make({ endsAt: time })
const sessionRows = Rows.make({
  id: int8<SessionId>(),
  userId: int8<UserId>(),
  method: text<SignInMethod>(),
  userAgent: text(),
  createdAt: time,
  lastUsedAt: time,
})

const toSession = (row: object): Session => sessionRows.read(row)
