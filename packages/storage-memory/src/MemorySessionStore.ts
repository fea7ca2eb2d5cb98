import { SessionId } from "@errata/core"
import { isSessionValid, type SessionStore } from "@errata/core/ports"
import { Clock, DateTime, Duration, Effect, Option } from "effect"
import type { SessionRow, State } from "./internal/State.js"
import type { Reader, Transaction } from "./internal/Transaction.js"

export const make = (state: State): SessionStore["Service"] => {
  const remove = (transaction: Transaction, { session, tokenHash }: SessionRow) => {
    state.sessions.delete(transaction, session.id)
    state.sessionIds.of(session.userId).remove(transaction, session.id)
    state.sessionByToken.delete(transaction, tokenHash)
    for (const [hash, { sessionId }] of state.bearers.entries(transaction)) {
      if (sessionId === session.id) state.bearers.delete(transaction, hash)
    }
  }

  const ofUser = (reader: Reader, userId: number) =>
    Array.from(
      state.sessionIds.get(userId)?.descending(reader) ?? [],
      (id) => state.sessions.get(reader, id)!,
    )

  const alive = (reader: Reader, id: number | undefined, now: number) => {
    const row = id === undefined ? undefined : state.sessions.get(reader, id)
    if (row === undefined || !isSessionValid(row, now)) return undefined
    const user = state.users.get(reader, row.session.userId)
    return user?.active === true ? { row, user } : undefined
  }

  return {
    insert: (input, keep) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        state.write((transaction) => {
          const session = {
            id: SessionId.make(state.nextId("session")),
            userId: input.userId,
            method: input.method,
            userAgent: input.userAgent,
            createdAt: DateTime.makeUnsafe(now),
            lastUsedAt: DateTime.makeUnsafe(now),
          }
          state.sessions.set(transaction, session.id, {
            session,
            tokenHash: input.tokenHash,
            idleUntil: now + Duration.toMillis(input.idle),
            endsAt: now + Duration.toMillis(input.longest),
          })
          state.sessionIds.of(input.userId).add(transaction, session.id)
          state.sessionByToken.set(transaction, input.tokenHash, session.id)
          for (const row of ofUser(transaction, input.userId).slice(keep)) remove(transaction, row)
          return session
        }),
      ),

    use: (tokenHash, idle) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        state.write((transaction) => {
          const found = alive(transaction, state.sessionByToken.get(transaction, tokenHash), now)
          if (found === undefined) return Option.none()
          const { row, user } = found
          const { session } = row
          if (now - session.lastUsedAt.epochMilliseconds < 60_000) return Option.some({ session, user })
          const used = { ...session, lastUsedAt: DateTime.makeUnsafe(now) }
          state.sessions.set(transaction, session.id, {
            ...row,
            session: used,
            idleUntil: now + Duration.toMillis(idle),
          })
          return Option.some({ session: used, user })
        }),
      ),

    list: (userId) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        state.read((reader) =>
          ofUser(reader, userId)
            .filter((row) => isSessionValid(row, now))
            .map(({ session }) => session),
        ),
      ),

    end: (userId, id) =>
      state.write((transaction) => {
        const row = state.sessions.get(transaction, id)
        if (row?.session.userId !== userId) return false
        remove(transaction, row)
        return true
      }),

    endAll: (userId, except) =>
      state.write((transaction) => {
        for (const row of ofUser(transaction, userId)) {
          if (row.session.id !== except) remove(transaction, row)
        }
      }),

    insertBearer: (sessionId, tokenHash, lifetime, keep) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        state.write((transaction) => {
          if (!state.sessions.has(transaction, sessionId)) return
          const former: Array<string> = []
          for (const [hash, row] of state.bearers.entries(transaction)) {
            if (row.sessionId === sessionId) former.push(hash)
          }
          for (const hash of former.slice(0, Math.max(0, former.length - keep + 1))) {
            state.bearers.delete(transaction, hash)
          }
          state.bearers.set(transaction, tokenHash, { sessionId, endsAt: now + Duration.toMillis(lifetime) })
        }),
      ),

    findBearer: (tokenHash) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        state.read((reader) => {
          const bearer = state.bearers.get(reader, tokenHash)
          const found = alive(
            reader,
            bearer !== undefined && bearer.endsAt > now ? bearer.sessionId : undefined,
            now,
          )
          return Option.fromNullishOr(found?.user)
        }),
      ),

    expire: (limit) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        state.write((transaction) => {
          const ended: Array<SessionRow> = []
          for (const [, row] of state.sessions.entries(transaction)) {
            if (ended.length < limit && !isSessionValid(row, now)) ended.push(row)
          }
          for (const row of ended) remove(transaction, row)
          const over: Array<string> = []
          for (const [hash, { endsAt }] of state.bearers.entries(transaction)) {
            if (ended.length + over.length < limit && endsAt <= now) over.push(hash)
          }
          for (const hash of over) state.bearers.delete(transaction, hash)
          return ended.length + over.length
        }),
      ),
  }
}
