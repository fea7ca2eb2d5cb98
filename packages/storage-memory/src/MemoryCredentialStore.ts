import { UserId } from "@errata/core"
import type { CredentialStore } from "@errata/core/ports"
import { Clock, DateTime, Duration, Effect, Option } from "effect"
import type { State } from "./internal/State.js"
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

  return {
    findPassword: (userId) =>
      state.read((reader) => Option.fromNullishOr(state.passwords.get(reader, userId))),

    setPassword: (userId, hash) =>
      state.write((transaction) => state.passwords.set(transaction, userId, hash)),

    putLink: (userId, tokenHash, lifetime) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        state.write((transaction) => {
          const endsAt = now + Duration.toMillis(lifetime)
          removeLink(transaction, userId)
          state.signInLinks.set(transaction, userId, { tokenHash, endsAt })
          state.userBySignInLink.set(transaction, tokenHash, userId)
          return DateTime.makeUnsafe(endsAt)
        }),
      ),

    findLink: (tokenHash) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        state.read((reader) => linkOwner(reader, tokenHash, now)),
      ),

    takeLink: (tokenHash) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        state.write((transaction) => {
          const owner = linkOwner(transaction, tokenHash, now)
          if (owner._tag === "Some") removeLink(transaction, owner.value)
          return owner
        }),
      ),

    forget: (userId) =>
      state.write((transaction) => {
        state.passwords.delete(transaction, userId)
        removeLink(transaction, userId)
      }),

    expire: (limit) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        state.write((transaction) => {
          const ended: Array<number> = []
          for (const [userId, link] of state.signInLinks.entries(transaction)) {
            if (ended.length < limit && link.endsAt <= now) ended.push(userId)
          }
          for (const userId of ended) removeLink(transaction, userId)
          return ended.length
        }),
      ),
  }
}
