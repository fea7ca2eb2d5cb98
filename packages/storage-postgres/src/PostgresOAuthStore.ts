import type { Grant, UserId } from "@errata/core"
import type { Connection, ConnectionId } from "@errata/core/internal"
import { type Approval, type OAuthClient, OAuthStore, type TakenCode } from "@errata/core/ports"
import { Array, Duration, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { byIndex } from "./internal/ByIndex.js"
import { named } from "./internal/PgStorageError.js"
import { interval } from "./internal/PgTime.js"
import * as Rows from "./internal/Rows.js"
import { boolean, float8, int8, nullable, text, texts, time } from "./internal/SqlType.js"
import { toUser, userColumns } from "./internal/UserRow.js"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const connectionColumns = sql.literal(connectionRows.select("c"))

  return OAuthStore.of({
    insertClient: ({ clientId, name, redirectUris }, keepUnused) =>
      Effect.gen(function* () {
        const [row] = yield* sql`
          INSERT INTO errata.oauth_clients (client_id, name, redirect_uris)
          VALUES (${clientId}, ${name}, ${redirectUris}::text[])
          RETURNING ${sql.literal(clientRows.select())}`
        yield* sql`
          DELETE FROM errata.oauth_clients WHERE client_id = ANY (ARRAY(
            SELECT client_id FROM errata.oauth_clients WHERE approved_at IS NULL
            ORDER BY created_at DESC OFFSET ${keepUnused} FOR UPDATE SKIP LOCKED))`
        return toClient(row!)
      }).pipe(named("OAuthStore.insertClient")),

    findClient: (clientId) =>
      sql`SELECT ${sql.literal(clientRows.select())} FROM errata.oauth_clients WHERE client_id = ${clientId}`.pipe(
        Effect.map((rows) => Array.head(rows.map(toClient))),
        named("OAuthStore.findClient"),
      ),

    insertCode: (codeHash, approval, lifetime) =>
      sql`
        WITH client AS (
          UPDATE errata.oauth_clients SET approved_at = errata.now() WHERE client_id = ${approval.clientId}
        )
        INSERT INTO errata.oauth_codes (
          code_hash, client_id, client_name, user_id, redirect_uri, code_challenge, resource, grants, ends_at
        ) VALUES (
          ${codeHash}, ${approval.clientId}, ${approval.clientName}, ${approval.userId}, ${approval.redirectUri},
          ${approval.codeChallenge}, ${approval.resource}, ${approval.grants}::text[],
          errata.now() + ${interval(lifetime)}::interval
        )`.pipe(Effect.asVoid, named("OAuthStore.insertCode")),

    takeCode: (codeHash) =>
      Effect.gen(function* () {
        const [taken] = yield* sql`
          UPDATE errata.oauth_codes AS c SET used_at = errata.now()
          FROM errata.users AS u
          WHERE c.code_hash = ${codeHash} AND c.used_at IS NULL AND c.ends_at > errata.now()
            AND u.id = c.user_id AND u.active
          RETURNING ${sql.literal(approvalRows.select("c"))}`
        if (taken !== undefined) return { _tag: "Taken", approval: toApproval(taken) } satisfies TakenCode
        const [spent] = yield* sql`
          SELECT connection_id FROM errata.oauth_codes WHERE code_hash = ${codeHash} AND used_at IS NOT NULL`
        return (
          spent === undefined
            ? { _tag: "Unknown" }
            : { _tag: "Spent", connectionId: spentRows.read(spent).connectionId }
        ) satisfies TakenCode
      }).pipe(named("OAuthStore.takeCode")),

    connect: (codeHash, approval) =>
      Effect.gen(function* () {
        const [row] = yield* sql`
          INSERT INTO errata.oauth_connections (client_id, client_name, user_id, resource, grants)
          VALUES (
            ${approval.clientId}, ${approval.clientName}, ${approval.userId}, ${approval.resource},
            ${approval.grants}::text[]
          )
          RETURNING id`
        const { id } = idRows.read(row!)
        yield* sql`UPDATE errata.oauth_codes SET connection_id = ${id} WHERE code_hash = ${codeHash}`
        return id
      }).pipe(named("OAuthStore.connect")),

    insertTokens: (id, tokens) =>
      Effect.gen(function* () {
        yield* sql`
          INSERT INTO errata.oauth_tokens (token_hash, connection_id, kind, predecessor_hash, grants, ends_at)
          SELECT t.hash, c.id, t.kind, t.predecessor, ${tokens.grants}::text[], errata.now() + t.lifetime
          FROM errata.oauth_connections AS c, (VALUES
            (${tokens.accessTokenHash}, 'access', NULL::text, ${interval(tokens.accessLifetime)}::interval),
            (${tokens.refreshTokenHash}, 'refresh', ${tokens.predecessorHash}, ${interval(tokens.refreshLifetime)}::interval)
          ) AS t (hash, kind, predecessor, lifetime)
          WHERE c.id = ${id}`
        yield* sql`
          DELETE FROM errata.oauth_tokens WHERE token_hash IN (
            SELECT token_hash FROM errata.oauth_tokens WHERE connection_id = ${id} AND kind = 'access'
            ORDER BY created_at DESC OFFSET ${tokens.keep}
          )`
      }).pipe(named("OAuthStore.insertTokens")),

    lockRefreshToken: (tokenHash) =>
      Effect.gen(function* () {
        // Lock the connection before its tokens, as ending a connection does, to prevent deadlocks.
        yield* sql`
          SELECT FROM errata.oauth_connections
          WHERE id = (SELECT connection_id FROM errata.oauth_tokens WHERE token_hash = ${tokenHash})
          FOR UPDATE`
        const rows = yield* sql`
          SELECT ${connectionColumns}, (extract(epoch FROM errata.now() - t.used_at) * 1000)::float8 AS used_for,
            EXISTS (
              SELECT FROM errata.oauth_tokens AS o
              WHERE o.connection_id = t.connection_id AND o.kind = 'refresh' AND o.used_at IS NOT NULL
                AND o.predecessor_hash = t.predecessor_hash AND o.token_hash <> t.token_hash
            ) AS is_rival_used
          FROM errata.oauth_tokens AS t
          JOIN errata.oauth_connections AS c ON c.id = t.connection_id
          JOIN errata.users AS u ON u.id = c.user_id
          WHERE t.token_hash = ${tokenHash} AND t.kind = 'refresh' AND t.ends_at > errata.now() AND u.active
          FOR UPDATE OF t`
        return Array.head(
          rows.map((row) => {
            const { isRivalUsed, usedFor } = useRows.read(row)
            return {
              connection: connectionRows.read(row),
              usedFor: usedFor === null ? null : Duration.millis(Math.max(0, usedFor)),
              isRivalUsed,
            }
          }),
        )
      }).pipe(named("OAuthStore.lockRefreshToken")),

    useRefreshToken: (tokenHash) =>
      sql`
        UPDATE errata.oauth_tokens SET used_at = errata.now()
        WHERE token_hash = ${tokenHash} AND used_at IS NULL`.pipe(
        Effect.asVoid,
        named("OAuthStore.useRefreshToken"),
      ),

    findAccessToken: (tokenHash) =>
      Effect.gen(function* () {
        const [row] = yield* sql`
          SELECT ${sql.literal(userColumns)}, t.grants, c.id AS connection_id, c.resource,
            c.last_used_at <= errata.now() - INTERVAL '1 minute' AS is_stale
          FROM errata.oauth_tokens AS t
          JOIN errata.oauth_connections AS c ON c.id = t.connection_id
          JOIN errata.users AS u ON u.id = c.user_id
          WHERE t.token_hash = ${tokenHash} AND t.kind = 'access' AND t.ends_at > errata.now() AND u.active`
        if (row === undefined) return Option.none()
        const owner = ownerRows.read(row)
        if (row["is_stale"] === true) {
          yield* sql`
            UPDATE errata.oauth_connections SET last_used_at = errata.now() WHERE id = ${owner.connectionId}`
        }
        return Option.some({ user: toUser(row), ...owner })
      }).pipe(named("OAuthStore.findAccessToken")),

    findConnection: (tokenHash) =>
      sql`
        SELECT ${connectionColumns} FROM errata.oauth_tokens AS t
        JOIN errata.oauth_connections AS c ON c.id = t.connection_id
        WHERE t.token_hash = ${tokenHash}`.pipe(
        Effect.map((rows) => Array.head(rows.map(toConnection))),
        named("OAuthStore.findConnection"),
      ),

    listConnections: (userId) =>
      sql`
        SELECT ${connectionColumns} FROM errata.oauth_connections AS c WHERE c.user_id = ${userId}
        ORDER BY c.id DESC LIMIT 100`.pipe(
        Effect.map((rows) => rows.map(toConnection)),
        named("OAuthStore.listConnections"),
      ),

    disconnect: (id, userId) =>
      sql`
        DELETE FROM errata.oauth_connections
        WHERE id = ${id} ${userId === null ? sql`` : sql`AND user_id = ${userId}`} RETURNING 1`.pipe(
        Effect.map((rows) => rows.length > 0),
        named("OAuthStore.disconnect"),
      ),

    disconnectUser: (userId) =>
      sql`DELETE FROM errata.oauth_connections WHERE user_id = ${userId}`.pipe(
        Effect.andThen(sql`DELETE FROM errata.oauth_codes WHERE user_id = ${userId}`),
        Effect.asVoid,
        named("OAuthStore.disconnectUser"),
      ),

    expire: (limit, { idle, unused }) =>
      Effect.gen(function* () {
        let total = 0
        for (const statement of [
          sql`
            DELETE FROM errata.oauth_tokens WHERE token_hash IN (
              SELECT token_hash FROM errata.oauth_tokens WHERE ends_at <= errata.now()
              ORDER BY ends_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
            ) RETURNING 1`,
          sql`
            DELETE FROM errata.oauth_connections WHERE id IN (
              SELECT id FROM errata.oauth_connections AS c
              WHERE NOT EXISTS (SELECT FROM errata.oauth_tokens AS t WHERE t.connection_id = c.id)
              LIMIT ${limit} FOR UPDATE SKIP LOCKED
            ) RETURNING 1`,
          sql`
            DELETE FROM errata.oauth_codes WHERE code_hash IN (
              SELECT code_hash FROM errata.oauth_codes
              WHERE connection_id IS NULL AND ends_at <= errata.now() LIMIT ${limit} FOR UPDATE SKIP LOCKED
            ) RETURNING 1`,
          sql`
            DELETE FROM errata.oauth_clients WHERE client_id IN (
              SELECT client_id FROM errata.oauth_clients
              WHERE approved_at IS NULL AND created_at <= errata.now() - ${interval(unused)}::interval
              LIMIT ${limit} FOR UPDATE SKIP LOCKED
            ) RETURNING 1`,
          sql`
            DELETE FROM errata.oauth_clients WHERE client_id IN (
              SELECT client_id FROM errata.oauth_clients AS o
              WHERE approved_at <= errata.now() - ${interval(idle)}::interval
                AND NOT EXISTS (SELECT FROM errata.oauth_connections AS c WHERE c.client_id = o.client_id)
              LIMIT ${limit} FOR UPDATE SKIP LOCKED
            ) RETURNING 1`,
        ]) {
          total += (yield* statement).length
        }
        return total
      }).pipe(byIndex(sql), named("OAuthStore.expire")),
  })
})

export const layer = Layer.effect(OAuthStore, make)

// internal

const idRows = Rows.make({ id: int8<ConnectionId>() })
const spentRows = Rows.make({ connectionId: nullable(int8<ConnectionId>()) })
const useRows = Rows.make({ usedFor: nullable(float8), isRivalUsed: boolean })
const ownerRows = Rows.make({
  connectionId: int8<ConnectionId>(),
  grants: texts<Grant>(),
  resource: text(),
})

const clientRows = Rows.make({ clientId: text(), name: text(), redirectUris: texts(), createdAt: time })

const approvalRows = Rows.make({
  clientId: text(),
  clientName: text(),
  userId: int8<UserId>(),
  redirectUri: text(),
  codeChallenge: text(),
  resource: text(),
  grants: texts<Grant>(),
})

const connectionRows = Rows.make({
  id: int8<ConnectionId>(),
  clientId: text(),
  clientName: text(),
  userId: int8<UserId>(),
  resource: text(),
  grants: texts<Grant>(),
  createdAt: time,
  lastUsedAt: time,
})

const toClient = (row: object): OAuthClient => clientRows.read(row)
const toApproval = (row: object): Approval => approvalRows.read(row)
const toConnection = (row: object): Connection => connectionRows.read(row)
