import { type Connection, ConnectionId } from "@errata/core/internal"
import type { OAuthStore, TakenCode } from "@errata/core/ports"
import { DateTime, Duration, Option } from "effect"
import type { OAuthTokenRow, State } from "./internal/State.js"
import type { Reader, Transaction } from "./internal/Transaction.js"

export const make = (state: State): OAuthStore["Service"] => {
  const tokensOf = (reader: Reader, id: ConnectionId): ReadonlyArray<readonly [string, OAuthTokenRow]> =>
    Array.from(state.oauthTokens.entries(reader)).filter(([, { connectionId }]) => connectionId === id)

  const remove = (transaction: Transaction, id: ConnectionId): void => {
    state.connections.delete(transaction, id)
    for (const [hash] of tokensOf(transaction, id)) state.oauthTokens.delete(transaction, hash)
    for (const [hash, code] of state.oauthCodes.entries(transaction)) {
      if (code.connectionId === id) state.oauthCodes.delete(transaction, hash)
    }
  }

  const activeUser = (reader: Reader, id: number) => {
    const user = state.users.get(reader, id)
    return user?.active === true ? user : undefined
  }

  /** Returns a valid token with its connection and user. */
  const alive = (reader: Reader, tokenHash: string, kind: OAuthTokenRow["kind"], now: number) => {
    const token = state.oauthTokens.get(reader, tokenHash)
    if (token === undefined || token.kind !== kind || token.endsAt <= now) return undefined
    const connection = state.connections.get(reader, token.connectionId)
    const user = connection === undefined ? undefined : activeUser(reader, connection.userId)
    return connection === undefined || user === undefined ? undefined : { token, connection, user }
  }

  return {
    insertClient: (input, keepUnused) =>
      state.write((transaction, now) => {
        const client = { ...input, createdAt: DateTime.makeUnsafe(now) }
        state.oauthClients.set(transaction, client.clientId, { client, approvedAt: null })
        const unused = Array.from(state.oauthClients.entries(transaction), ([, row]) => row)
          .filter(({ approvedAt }) => approvedAt === null)
          .sort((a, b) => b.client.createdAt.epochMilliseconds - a.client.createdAt.epochMilliseconds)
        for (const { client } of unused.slice(keepUnused)) {
          state.oauthClients.delete(transaction, client.clientId)
        }
        return client
      }),

    findClient: (clientId) =>
      state.read((reader) => Option.fromNullishOr(state.oauthClients.get(reader, clientId)?.client)),

    insertCode: (codeHash, approval, lifetime) =>
      state.write((transaction, now) => {
        const client = state.oauthClients.get(transaction, approval.clientId)
        if (client !== undefined) {
          state.oauthClients.set(transaction, approval.clientId, { ...client, approvedAt: now })
        }
        const endsAt = now + Duration.toMillis(lifetime)
        state.oauthCodes.set(transaction, codeHash, { approval, endsAt, isUsed: false, connectionId: null })
      }),

    takeCode: (codeHash) =>
      state.write((transaction, now): TakenCode => {
        const row = state.oauthCodes.get(transaction, codeHash)
        if (row?.isUsed) return { _tag: "Spent", connectionId: row.connectionId }
        if (row === undefined || row.endsAt <= now) return { _tag: "Unknown" }
        if (activeUser(transaction, row.approval.userId) === undefined) return { _tag: "Unknown" }
        state.oauthCodes.set(transaction, codeHash, { ...row, isUsed: true })
        return { _tag: "Taken", approval: row.approval }
      }),

    connect: (codeHash, approval) =>
      state.write((transaction, now) => {
        const id = ConnectionId.make(state.nextId("connection"))
        const { clientId, clientName, grants, resource, userId } = approval
        const at = DateTime.makeUnsafe(now)
        const connection: Connection = {
          id,
          clientId,
          clientName,
          userId,
          resource,
          grants,
          createdAt: at,
          lastUsedAt: at,
        }
        state.connections.set(transaction, id, connection)
        const code = state.oauthCodes.get(transaction, codeHash)
        if (code !== undefined) state.oauthCodes.set(transaction, codeHash, { ...code, connectionId: id })
        return id
      }),

    insertTokens: (id, tokens) =>
      state.write((transaction, now) => {
        if (!state.connections.has(transaction, id)) return
        const insert = (hash: string, kind: OAuthTokenRow["kind"], lifetime: Duration.Duration) =>
          state.oauthTokens.set(transaction, hash, {
            connectionId: id,
            kind,
            predecessorHash: kind === "refresh" ? tokens.predecessorHash : null,
            grants: tokens.grants,
            endsAt: now + Duration.toMillis(lifetime),
            usedAt: null,
          })
        const former = tokensOf(transaction, id).filter(([, { kind }]) => kind === "access")
        for (const [hash] of former.slice(0, Math.max(0, former.length + 1 - tokens.keep))) {
          state.oauthTokens.delete(transaction, hash)
        }
        insert(tokens.accessTokenHash, "access", tokens.accessLifetime)
        insert(tokens.refreshTokenHash, "refresh", tokens.refreshLifetime)
      }),

    lockRefreshToken: (tokenHash) =>
      state.read((reader, now) => {
        const found = alive(reader, tokenHash, "refresh", now)
        if (found === undefined) return Option.none()
        const { connection, token } = found
        const usedFor = token.usedAt === null ? null : Duration.millis(now - token.usedAt)
        const isRivalUsed =
          token.predecessorHash !== null &&
          tokensOf(reader, connection.id).some(
            ([hash, other]) =>
              hash !== tokenHash && other.predecessorHash === token.predecessorHash && other.usedAt !== null,
          )
        return Option.some({ connection, usedFor, isRivalUsed })
      }),

    useRefreshToken: (tokenHash) =>
      state.write((transaction, now) => {
        const token = state.oauthTokens.get(transaction, tokenHash)
        if (token?.usedAt !== null) return
        state.oauthTokens.set(transaction, tokenHash, { ...token, usedAt: now })
      }),

    findAccessToken: (tokenHash) =>
      state.write((transaction, now) => {
        const found = alive(transaction, tokenHash, "access", now)
        if (found === undefined) return Option.none()
        const { connection, token, user } = found
        if (now - connection.lastUsedAt.epochMilliseconds >= 60_000) {
          const used = { ...connection, lastUsedAt: DateTime.makeUnsafe(now) }
          state.connections.set(transaction, connection.id, used)
        }
        const { id: connectionId, resource } = connection
        return Option.some({ user, connectionId, grants: token.grants, resource })
      }),

    findConnection: (tokenHash) =>
      state.read((reader) => {
        const token = state.oauthTokens.get(reader, tokenHash)
        return Option.fromNullishOr(
          token === undefined ? undefined : state.connections.get(reader, token.connectionId),
        )
      }),

    listConnections: (userId) =>
      state.read((reader) =>
        Array.from(state.connections.entries(reader), ([, connection]) => connection)
          .filter((connection) => connection.userId === userId)
          .sort((a, b) => b.id - a.id)
          .slice(0, 100),
      ),

    disconnect: (id, userId) =>
      state.write((transaction) => {
        const connection = state.connections.get(transaction, id)
        if (connection === undefined || (userId !== null && connection.userId !== userId)) return false
        remove(transaction, id)
        return true
      }),

    disconnectUser: (userId) =>
      state.write((transaction) => {
        for (const [, connection] of state.connections.entries(transaction)) {
          if (connection.userId === userId) remove(transaction, connection.id)
        }
        for (const [hash, { approval }] of state.oauthCodes.entries(transaction)) {
          if (approval.userId === userId) state.oauthCodes.delete(transaction, hash)
        }
      }),

    expire: (limit, { idle, unused }) =>
      state.write((transaction, now) => {
        let total = 0
        const connected = new Set<ConnectionId>()
        for (const [hash, { connectionId, endsAt }] of state.oauthTokens.entries(transaction)) {
          if (endsAt > now || total >= limit) connected.add(connectionId)
          else {
            state.oauthTokens.delete(transaction, hash)
            total++
          }
        }
        const clients = new Set<string>()
        for (const [, { clientId, id }] of state.connections.entries(transaction)) {
          if (connected.has(id)) clients.add(clientId)
          else {
            remove(transaction, id)
            total++
          }
        }
        for (const [hash, { connectionId, endsAt }] of state.oauthCodes.entries(transaction)) {
          if (connectionId !== null || endsAt > now) continue
          state.oauthCodes.delete(transaction, hash)
          total++
        }
        for (const [id, { approvedAt, client }] of state.oauthClients.entries(transaction)) {
          const isOver =
            approvedAt === null
              ? client.createdAt.epochMilliseconds <= now - Duration.toMillis(unused)
              : approvedAt <= now - Duration.toMillis(idle) && !clients.has(id)
          if (!isOver) continue
          state.oauthClients.delete(transaction, id)
          total++
        }
        return total
      }),
  }
}
