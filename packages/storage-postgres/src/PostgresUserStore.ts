import { Page, type User, type UserId } from "@errata/core"
import { maxPeople, UserStore } from "@errata/core/ports"
import { Array, Effect, Layer } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { named } from "./internal/PgStorageError.js"
import { toDate } from "./internal/PgTime.js"
import * as Rows from "./internal/Rows.js"
import { int8, text } from "./internal/SqlType.js"
import { toUser, userColumns } from "./internal/UserRow.js"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const select = (where: Statement.Fragment): Effect.Effect<ReadonlyArray<User>, SqlError.SqlError> =>
    Effect.map(sql`SELECT ${sql.literal(userColumns)} FROM errata.users AS u WHERE ${where}`, (rows) =>
      rows.map(toUser),
    )

  return UserStore.of({
    insert: (user, now) =>
      Effect.gen(function* () {
        const [row] = yield* sql`
          INSERT INTO errata.users ${sql.insert({
            name: user.name,
            email_address: user.emailAddress,
            role: user.role,
            api_key_hash: user.apiKeyHash,
            created_at: toDate(now),
            updated_at: toDate(now),
          })}
          ON CONFLICT DO NOTHING
          RETURNING id`
        return row === undefined ? [] : yield* select(sql`u.id = ${idRows.read(row).id}`)
      }).pipe(Effect.map(Array.head), named("UserStore.insert")),

    find: (id) => select(sql`u.id = ${id}`).pipe(Effect.map(Array.head), named("UserStore.find")),

    names: (ids) =>
      sql`SELECT id, name FROM errata.users WHERE id = ANY (${[...new Set(ids)]}::bigint[])`.pipe(
        Effect.map((rows) => new Map(rows.map(nameRows.read).map(({ id, name }) => [id, name]))),
        named("UserStore.names"),
      ),

    // Active users first: former users may have had the same address.
    findByEmailAddress: (emailAddress) =>
      select(
        sql`lower(u.email_address) = lower(${emailAddress}) ORDER BY u.active DESC, u.id DESC LIMIT 1`,
      ).pipe(Effect.map(Array.head), named("UserStore.findByEmailAddress")),

    // Prepared, because every API request uses it.
    findByApiKeyHash: (apiKeyHash) =>
      sql`/* prepared */
        SELECT ${sql.literal(userColumns)} FROM errata.users AS u
        WHERE u.api_key_hash = ${apiKeyHash} AND u.active`.pipe(
        Effect.map((rows) => Array.head(rows.map(toUser))),
        named("UserStore.findByApiKeyHash"),
      ),

    list: (projectId, page) => {
      const hasAccess =
        projectId === null
          ? sql`true`
          : sql`(u.role = 'admin' OR EXISTS (
              SELECT FROM errata.memberships AS m WHERE m.project_id = ${projectId} AND m.user_id = u.id
            ))`
      return select(
        sql`
          u.active AND u.id < ${page.cursor ?? Number.MAX_SAFE_INTEGER} AND ${hasAccess}
          ORDER BY u.id DESC LIMIT ${page.limit + 1}`,
      ).pipe(
        Effect.map((rows) => Page.fromRows(rows, page)),
        named("UserStore.list"),
      )
    },

    listSharing: (projectIds) =>
      sql`
        SELECT u.id, u.name FROM errata.users AS u
        WHERE ${
          projectIds === null
            ? sql`true`
            : sql`cardinality(${[...new Set(projectIds)]}::bigint[]) > 0 AND (u.role = 'admin' OR EXISTS (
                SELECT FROM errata.memberships AS m
                WHERE m.user_id = u.id AND m.project_id = ANY (${[...new Set(projectIds)]}::bigint[])))`
        }
        ORDER BY u.id DESC LIMIT ${maxPeople}`.pipe(
        Effect.map((rows) => rows.map(nameRows.read)),
        named("UserStore.listSharing"),
      ),

    countActiveAdmins:
      sql`SELECT id FROM errata.users WHERE active AND role = 'admin' ORDER BY id FOR UPDATE`.pipe(
        Effect.map((rows) => rows.length),
        named("UserStore.countActiveAdmins"),
      ),

    setApiKeyHash: (id, apiKeyHash, now) =>
      sql`UPDATE errata.users SET api_key_hash = ${apiKeyHash}, updated_at = ${toDate(now)} WHERE id = ${id}`.pipe(
        Effect.asVoid,
        named("UserStore.setApiKeyHash"),
      ),

    deactivate: (id, now) =>
      sql`
        UPDATE errata.users SET active = false, api_key_hash = NULL, updated_at = ${toDate(now)}
        WHERE id = ${id}`.pipe(Effect.asVoid, named("UserStore.deactivate")),

    setRole: (id, role, now) =>
      sql`UPDATE errata.users SET role = ${role}, updated_at = ${toDate(now)} WHERE id = ${id}`.pipe(
        Effect.asVoid,
        named("UserStore.setRole"),
      ),

    addMembership: (userId, projectId) =>
      sql`
        INSERT INTO errata.memberships (user_id, project_id) VALUES (${userId}, ${projectId})
        ON CONFLICT DO NOTHING`.pipe(Effect.asVoid, named("UserStore.addMembership")),

    removeMembership: (userId, projectId) =>
      sql`DELETE FROM errata.memberships WHERE user_id = ${userId} AND project_id = ${projectId}`.pipe(
        Effect.asVoid,
        named("UserStore.removeMembership"),
      ),
  })
})

export const layer = Layer.effect(UserStore, make)

// internal

const nameRows = Rows.make({ id: int8<UserId>(), name: text() })

const idRows = Rows.make({ id: int8<UserId>() })
