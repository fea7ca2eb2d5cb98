import { StorageError, type User, UserId } from "@errata/core"
import { maxPeople, type UserStore } from "@errata/core/ports"
import { Effect, Option } from "effect"
import { pageOf } from "./internal/Pages.js"
import type { State } from "./internal/State.js"
import type { Reader, Transaction } from "./internal/Transaction.js"

export const make = (state: State): UserStore["Service"] => {
  const find = (reader: Reader, id: number | undefined) =>
    Option.fromNullishOr(id === undefined ? undefined : state.users.get(reader, id))

  const update = (transaction: Transaction, user: User, change: Partial<User>) =>
    state.users.set(transaction, user.id, { ...user, ...change })

  const setHash = (transaction: Transaction, id: number, apiKeyHash: string | null) => {
    const former = state.apiKeyHashes.get(transaction, id)
    if (former !== undefined) state.userByApiKeyHash.delete(transaction, former)
    if (apiKeyHash === null) {
      state.apiKeyHashes.delete(transaction, id)
    } else {
      state.apiKeyHashes.set(transaction, id, apiKeyHash)
      state.userByApiKeyHash.set(transaction, apiKeyHash, id)
    }
  }

  return {
    insert: (input, now) =>
      Effect.flatten(
        state.write((transaction) => {
          const address = input.emailAddress.toLowerCase()
          const former = find(transaction, state.userByEmailAddress.get(transaction, address))
          if (Option.exists(former, (user) => user.active)) return Effect.succeedNone
          if (state.userByApiKeyHash.has(transaction, input.apiKeyHash)) return Effect.succeedNone
          const { apiKeyHash, ...fields } = input
          const user = {
            ...fields,
            id: UserId.make(state.nextId("user")),
            active: true,
            projectIds: [],
            createdAt: now,
            updatedAt: now,
          }
          state.users.set(transaction, user.id, user)
          state.userIds.add(transaction, user.id)
          state.userByEmailAddress.set(transaction, address, user.id)
          setHash(transaction, user.id, apiKeyHash)
          return Effect.succeedSome(user)
        }),
      ),

    names: (ids) =>
      state.read((reader) => {
        const names = new Map<UserId, string>()
        for (const id of ids) {
          const user = state.users.get(reader, id)
          if (user !== undefined) names.set(id, user.name)
        }
        return names
      }),

    find: (id) => state.read((reader) => find(reader, id)),

    findByEmailAddress: (emailAddress) =>
      state.read((reader) => find(reader, state.userByEmailAddress.get(reader, emailAddress.toLowerCase()))),

    findByApiKeyHash: (apiKeyHash) =>
      state.read((reader) => find(reader, state.userByApiKeyHash.get(reader, apiKeyHash))),

    list: (projectId, page) =>
      state.read((reader) =>
        pageOf(state.userIds.descending(reader, page.cursor), page, (id) => {
          const user = state.users.get(reader, id)
          const hasAccess =
            projectId === null || user?.role === "admin" || user?.projectIds.includes(projectId)
          return hasAccess ? user : undefined
        }),
      ),

    listSharing: (projectIds) =>
      state.read((reader) => {
        const shared = projectIds === null ? null : new Set(projectIds)
        return [...state.users.entries(reader)]
          .map(([, user]) => user)
          .filter(
            (user) =>
              shared === null ||
              (shared.size > 0 && (user.role === "admin" || user.projectIds.some((id) => shared.has(id)))),
          )
          .sort((a, b) => b.id - a.id)
          .slice(0, maxPeople)
          .map(({ id, name }) => ({ id, name }))
      }),

    countActiveAdmins: state.read((reader) => {
      let count = 0
      for (const id of state.userIds.ascending(reader)) {
        if (state.users.get(reader, id)?.role === "admin") count++
      }
      return count
    }),

    setApiKeyHash: (id, apiKeyHash, now) =>
      Effect.flatten(
        state.write((transaction) => {
          const user = state.users.get(transaction, id)
          if (user === undefined) return Effect.void
          const owner = state.userByApiKeyHash.get(transaction, apiKeyHash)
          if (owner !== undefined && owner !== id) return rejected("UserStore.setApiKeyHash")
          setHash(transaction, id, apiKeyHash)
          update(transaction, user, { updatedAt: now })
          return Effect.void
        }),
      ),

    deactivate: (id, now) =>
      state.write((transaction) => {
        const user = state.users.get(transaction, id)
        if (user === undefined || !user.active) return
        update(transaction, user, { active: false, updatedAt: now })
        state.userIds.remove(transaction, id)
        setHash(transaction, id, null)
      }),

    setRole: (id, role, now) =>
      state.write((transaction) => {
        const user = state.users.get(transaction, id)
        if (user !== undefined) update(transaction, user, { role, updatedAt: now })
      }),

    addMembership: (userId, projectId) =>
      state.write((transaction) => {
        const user = state.users.get(transaction, userId)
        if (user === undefined || user.projectIds.includes(projectId)) return
        if (!state.projects.has(transaction, projectId)) return
        const projectIds = [...user.projectIds, projectId].sort((a, b) => a - b)
        update(transaction, user, { projectIds })
      }),

    removeMembership: (userId, projectId) =>
      state.write((transaction) => {
        const user = state.users.get(transaction, userId)
        if (user === undefined) return
        update(transaction, user, { projectIds: user.projectIds.filter((id) => id !== projectId) })
      }),
  }
}

// internal

const rejected = (operation: string) =>
  new StorageError({ operation, reason: "rejected", cause: new Error("a user has this API key") })
