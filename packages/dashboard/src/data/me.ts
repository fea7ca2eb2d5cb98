/** The signed-in user, and the names of colleagues. */

import { request } from "./client.js"
import type { Me, Person } from "./pending.js"
import { useQuery } from "./query.js"

export const useMe = (): Me | undefined => useMyself().data

/** The caller, with the failure to load it. */
export const useMyself = () =>
  useQuery<Me>({
    queryKey: ["me"],
    queryFn: ({ signal }) => request("GET", "/me", { signal }),
    staleTime: 60_000,
  })

/** True if the instance grants the caller a rule, e.g. `createProject`. */
export const useCan = (rule: string): boolean => useMe()?.can.includes(rule) ?? false

/** Returns the name of a user by id. */
export const useNames = (): ((id: number | null) => string | null) => {
  const people = useQuery<ReadonlyArray<Person>>({
    queryKey: ["people"],
    queryFn: async ({ signal }) =>
      (await request<{ readonly people: ReadonlyArray<Person> }>("GET", "/people", { signal })).people,
    staleTime: 60_000,
  }).data
  return (id) => (id === null ? null : (people?.find((person) => person.id === id)?.name ?? `user ${id}`))
}
