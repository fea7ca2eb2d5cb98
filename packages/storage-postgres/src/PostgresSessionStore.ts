import type { Session, SessionId, SignInMethod, UserId } from "@errata/core"
import { SessionStore } from "@errata/core/ports"
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
  const columns = sql.literal(sessionRows.select("s"))
  // As `isSessionValid`.
  const alive = sql`s.idle_until > errata.now() AND s.ends_at > errata.now()`

  const userWhere = (from: Statement.Fragment) =>
    Effect.map(sql`SELECT ${sql.literal(userColumns)} FROM ${from} AND u.active`, (rows) =>
      Array.head(rows.map(toUser)),
    )

  return SessionStore.of({
    insert: (session, keep) =>
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
      }).pipe(named("SessionStore.insert")),

    use: (tokenHash, idle) =>
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
      }).pipe(named("SessionStore.use")),

    list: (userId) =>
      sql`
        SELECT ${columns} FROM errata.sessions AS s WHERE s.user_id = ${userId} AND ${alive}
        ORDER BY s.id DESC`.pipe(
        Effect.map((rows) => rows.map(toSession)),
        named("SessionStore.list"),
      ),

    end: (userId, id) =>
      sql`DELETE FROM errata.sessions WHERE user_id = ${userId} AND id = ${id} RETURNING 1`.pipe(
        Effect.map((rows) => rows.length > 0),
        named("SessionStore.end"),
      ),

    endAll: (userId, except) =>
      sql`DELETE FROM errata.sessions WHERE user_id = ${userId} AND id <> ${except ?? 0}`.pipe(
        Effect.asVoid,
        named("SessionStore.endAll"),
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
      }).pipe(named("SessionStore.insertBearer")),

    findBearer: (tokenHash) =>
      userWhere(sql`
        errata.bearers AS b
        JOIN errata.sessions AS s ON s.id = b.session_id
        JOIN errata.users AS u ON u.id = s.user_id
        WHERE b.token_hash = ${tokenHash} AND b.ends_at > errata.now() AND ${alive}`).pipe(
        named("SessionStore.findBearer"),
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
        return sessions.length + bearers.length
      }).pipe(byIndex(sql), named("SessionStore.expire")),
  })
})

export const layer = Layer.effect(SessionStore, make)

// internal

const sessionRows = Rows.make({
  id: int8<SessionId>(),
  userId: int8<UserId>(),
  method: text<SignInMethod>(),
  userAgent: text(),
  createdAt: time,
  lastUsedAt: time,
})

const toSession = (row: object): Session => sessionRows.read(row)
