import { SessionId, UserId } from "@errata/core"
import { type CredentialStore, isSessionValid } from "@errata/core/ports"
import { DateTime, Duration, Option } from "effect"
import type { SessionRow, State } from "./internal/State.js"
import type { Reader, Transaction } from "./internal/Transaction.js"

export const make = (state: State): CredentialStore["Service"] => {
  const linkOwner = (reader: Reader, tokenHash: string, now: number) => {
    const userId = state.userBySignInLink.get(reader, tokenHash)
    const link = userId === undefined ? undefined : state.signInLinks.get(reader, userId)
    return link !== undefined && link.endsAt > now ? Option.some(UserId.make(userId!)) : Option.none<UserId>()
  }

  const removeLink = (transaction: Transaction, userId: number) => {
    const link = state.signInLinks.get(transaction, userId)
    if (link === undefined) return
    state.signInLinks.delete(transaction, userId)
    state.userBySignInLink.delete(transaction, link.tokenHash)
  }

  const removeSession = (transaction: Transaction, { session, tokenHash }: SessionRow) => {
    state.sessions.delete(transaction, session.id)
    state.sessionIds.of(session.userId).remove(transaction, session.id)
    state.sessionByToken.delete(transaction, tokenHash)
    for (const [hash, { sessionId }] of state.bearers.entries(transaction)) {
      if (sessionId === session.id) state.bearers.delete(transaction, hash)
    }
  }

  const sessionsOf = (reader: Reader, userId: number) =>
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
    findPassword: (userId) =>
      state.read((reader) => Option.fromNullishOr(state.passwords.get(reader, userId))),

    setPassword: (userId, hash) =>
      state.write((transaction) => state.passwords.set(transaction, userId, hash)),

    putLink: (userId, tokenHash, lifetime) =>
      state.write((transaction, now) => {
        const endsAt = now + Duration.toMillis(lifetime)
        removeLink(transaction, userId)
        state.signInLinks.set(transaction, userId, { tokenHash, endsAt })
        state.userBySignInLink.set(transaction, tokenHash, userId)
        return DateTime.makeUnsafe(endsAt)
      }),

    findLink: (tokenHash) => state.read((reader, now) => linkOwner(reader, tokenHash, now)),

    takeLink: (tokenHash) =>
      state.write((transaction, now) => {
        const owner = linkOwner(transaction, tokenHash, now)
        if (Option.isSome(owner)) removeLink(transaction, owner.value)
        return owner
      }),

    forget: (userId) =>
      state.write((transaction) => {
        state.passwords.delete(transaction, userId)
        removeLink(transaction, userId)
        for (const row of sessionsOf(transaction, userId)) removeSession(transaction, row)
      }),

    insertSession: (input, keep) =>
      state.write((transaction, now) => {
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
        for (const row of sessionsOf(transaction, input.userId).slice(keep)) removeSession(transaction, row)
        return session
      }),

    useSession: (tokenHash, idle) =>
      state.write((transaction, now) => {
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

    listSessions: (userId) =>
      state.read((reader, now) =>
        sessionsOf(reader, userId)
          .filter((row) => isSessionValid(row, now))
          .map(({ session }) => session),
      ),

    endSession: (userId, id) =>
      state.write((transaction) => {
        const row = state.sessions.get(transaction, id)
        if (row?.session.userId !== userId) return false
        removeSession(transaction, row)
        return true
      }),

    endSessions: (userId, except) =>
      state.write((transaction) => {
        for (const row of sessionsOf(transaction, userId)) {
          if (row.session.id !== except) removeSession(transaction, row)
        }
      }),

    insertBearer: (sessionId, tokenHash, lifetime, keep) =>
      state.write((transaction, now) => {
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

    findBearer: (tokenHash) =>
      state.read((reader, now) => {
        const bearer = state.bearers.get(reader, tokenHash)
        const found = alive(
          reader,
          bearer !== undefined && bearer.endsAt > now ? bearer.sessionId : undefined,
          now,
        )
        return Option.fromNullishOr(found?.user)
      }),

    expire: (limit) =>
      state.write((transaction, now) => {
        const ended: Array<SessionRow> = []
        for (const [, row] of state.sessions.entries(transaction)) {
          if (ended.length < limit && !isSessionValid(row, now)) ended.push(row)
        }
        for (const row of ended) removeSession(transaction, row)
        const over: Array<string> = []
        for (const [hash, { endsAt }] of state.bearers.entries(transaction)) {
          if (ended.length + over.length < limit && endsAt <= now) over.push(hash)
        }
        for (const hash of over) state.bearers.delete(transaction, hash)
        const links: Array<number> = []
        for (const [userId, { endsAt }] of state.signInLinks.entries(transaction)) {
          if (ended.length + over.length + links.length < limit && endsAt <= now) links.push(userId)
        }
        for (const userId of links) removeLink(transaction, userId)
        return ended.length + over.length + links.length
      }),
  }
}
