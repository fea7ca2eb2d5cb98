import { type DigestSubscription, defaultMemberMail, type MailMember, type User } from "@errata/core"
import type { MemberMailStore } from "@errata/core/ports"
import { type DateTime, Option } from "effect"
import type { MemberMailRow } from "./internal/NotificationTables.js"
import { keyOf, type State } from "./internal/State.js"
import type { Reader } from "./internal/Transaction.js"

export const make = (state: State): MemberMailStore["Service"] => {
  const rowOf = (reader: Reader, projectId: number, userId: number): MemberMailRow | undefined =>
    state.memberMail.get(reader, keyOf(projectId, userId))

  const activeUsers = (reader: Reader): ReadonlyArray<User> =>
    [...state.userIds.ascending(reader)].map((id) => state.users.get(reader, id)!)

  const isMember = (user: User, projectId: number): boolean => user.projectIds.includes(projectId)

  return {
    find: (projectId, userId) =>
      state.read((reader) =>
        Option.map(Option.fromNullishOr(rowOf(reader, projectId, userId)), ({ digest, mode }) => ({
          digest,
          mode,
        })),
      ),

    put: (projectId, userId, { digest, mode }, now) =>
      state.write((transaction) => {
        const former = rowOf(transaction, projectId, userId)
        const goesOn = former !== undefined && former.digest !== "never"
        const digestAt = digest === "never" ? null : goesOn ? former.digestAt : now
        const row = { projectId, userId, digest, mode, digestAt }
        state.memberMail.set(transaction, keyOf(projectId, userId), row)
      }),

    members: (projectIds) =>
      state.read((reader) => {
        const users = activeUsers(reader)
        const all: Array<MailMember> = []
        const ids = [...new Set(projectIds)].sort((a, b) => a - b)
        for (const projectId of ids) {
          if (!state.projects.has(reader, projectId)) continue
          const hasMembers = users.some((user) => isMember(user, projectId))
          for (const user of users) {
            const settings = rowOf(reader, projectId, user.id)
            const isAdmin = user.role === "admin" && (!hasMembers || settings !== undefined)
            if (!isAdmin && !isMember(user, projectId)) continue
            const { digest, mode } = settings ?? defaultMemberMail
            all.push({ projectId, userId: user.id, emailAddress: user.emailAddress, digest, mode })
          }
        }
        return all
      }),

    digests: (after, limit) =>
      state.read((reader) =>
        [...state.memberMail.entries(reader)]
          .flatMap(([, { digest, digestAt, projectId, userId }]): ReadonlyArray<DigestSubscription> => {
            const user = state.users.get(reader, userId)
            const hasAccess = user?.active === true && (user.role === "admin" || isMember(user, projectId))
            if (digest === "never" || !hasAccess || !state.projects.has(reader, projectId)) return []
            return [{ projectId, userId, digest, lastAt: digestAt }]
          })
          .sort((self, that) => self.projectId - that.projectId || self.userId - that.userId)
          .filter(
            ({ projectId, userId }) =>
              projectId > after.projectId || (projectId === after.projectId && userId > after.userId),
          )
          .slice(0, limit),
      ),

    advanceDigest: ({ lastAt, projectId, userId }, until) =>
      state.write((transaction) => {
        const row = rowOf(transaction, projectId, userId)
        if (row === undefined || row.digest === "never" || millisOf(row.digestAt) !== millisOf(lastAt)) {
          return false
        }
        state.memberMail.set(transaction, keyOf(projectId, userId), { ...row, digestAt: until })
        return true
      }),

    pause: (paused) =>
      state.write((transaction) => {
        if (state.pausedAddresses.has(transaction, paused.address)) return
        state.pausedAddresses.set(transaction, paused.address, paused)
      }),

    pausedAmong: (addresses) =>
      state.read((reader) =>
        [...new Set(addresses)].sort().flatMap((address) => state.pausedAddresses.get(reader, address) ?? []),
      ),

    paused: (after, limit) =>
      state.read((reader) =>
        [...state.pausedAddresses.entries(reader)]
          .map(([, paused]) => paused)
          .filter(({ address }) => address > after)
          .sort((self, that) => (self.address < that.address ? -1 : 1))
          .slice(0, limit),
      ),

    resume: (address) =>
      state.write((transaction) => {
        const isPaused = state.pausedAddresses.has(transaction, address)
        state.pausedAddresses.delete(transaction, address)
        return isPaused
      }),
  }
}

// internal

const millisOf = (time: DateTime.Utc | null): number | null => time?.epochMilliseconds ?? null
