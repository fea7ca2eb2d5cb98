/** The accounts of the instance. For admins only. */
import type { CreatedUser, SignInLink, User } from "@errata/api/promise"
import { api } from "./client.js"
import { usersQuery } from "./members.js"
import { cache } from "./query.js"

export type Role = User["role"]

export const createPerson = async (person: {
  readonly email_address: string
  readonly name: string
  readonly role: Role
}): Promise<CreatedUser> => {
  const { name, ...required } = person
  const created = await api.users.create(name === "" ? required : person)
  await refresh()
  return created
}

export const createSignInLink = (userId: number): Promise<SignInLink> => api.users.createSignInLink(userId)

/** Returns the new API key. No later response contains it. */
export const replaceApiKey = async (userId: number): Promise<string> =>
  (await api.users.rotateApiKey(userId)).api_key

export const setRole = (userId: number, role: Role): Promise<void> =>
  api.users.update(userId, { role }).then(refresh)

export const deactivate = (userId: number): Promise<void> => api.users.deactivate(userId).then(refresh)

// internal

const refresh = async (): Promise<void> => {
  for (const queryKey of [["me"], ["people"], ["members"], ["assignees"]]) {
    void cache.invalidateQueries({ queryKey })
  }
  await cache.invalidateQueries({ queryKey: usersQuery.queryKey })
}
