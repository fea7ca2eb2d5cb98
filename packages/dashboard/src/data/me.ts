/** The signed-in user, and the names of colleagues. */
import type { Me } from "@errata/api/promise"
import { api } from "./client.js"
import { useQuery } from "./query.js"

export const useMe = (): Me | undefined => useMyself().data

/** The caller, with the failure to load it. */
export const useMyself = () =>
  useQuery({
    queryKey: ["me"],
    queryFn: ({ signal }) => api.me.get({ signal }),
    staleTime: 60_000,
  })

/** True if the instance grants the caller a rule, e.g. `createProject`. */
export const useCan = (rule: string): boolean => useMe()?.can.includes(rule) ?? false

/** Returns the name of a user by id. */
export const useNames = (): ((id: number | null) => string | null) => {
  const people = useQuery({
    queryKey: ["people"],
    queryFn: async ({ signal }) => (await api.people.all({ signal })).people,
    staleTime: 60_000,
  }).data
  return (id) => (id === null ? null : (people?.find((person) => person.id === id)?.name ?? `user ${id}`))
}
