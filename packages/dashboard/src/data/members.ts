/** Users with access to a project, and candidates. For admins only. */
import type { User } from "@errata/api/promise"
import { api } from "./client.js"
import { allOf } from "./lists.js"
import { cache } from "./query.js"

export const membersQuery = (projectId: number) => ({
  queryKey: ["members", projectId],
  queryFn: async (): Promise<ReadonlyArray<User>> => byName(await allOf(api.members.list(projectId))),
})

export const usersQuery = {
  queryKey: ["active-users"],
  queryFn: async (): Promise<ReadonlyArray<User>> => byName(await allOf(api.users.list())),
  staleTime: 60_000,
}

export const addMember = (projectId: number, userId: number): Promise<void> =>
  api.members.add(projectId, userId).then(() => refresh(projectId))

export const removeMember = (projectId: number, userId: number): Promise<void> =>
  api.members.remove(projectId, userId).then(() => refresh(projectId))

// internal

const byName = (users: ReadonlyArray<User>): ReadonlyArray<User> =>
  [...users].sort((a, b) => a.name.localeCompare(b.name))

const refresh = async (projectId: number): Promise<void> => {
  void cache.invalidateQueries({ queryKey: ["assignees", projectId] })
  await cache.invalidateQueries({ queryKey: ["members", projectId] })
}
