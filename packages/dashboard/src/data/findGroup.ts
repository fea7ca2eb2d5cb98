/** Finds the project of a group by the number of the group. No two projects have a group of the same number. */
import { NotFoundError } from "@errata/api/promise"
import { api } from "./client.js"
import type { GroupRef } from "./groups.js"
import { projectsQuery } from "./projects.js"
import { type Aborts, cache } from "./query.js"

/** The query of a group in any project of the caller; null if none has it: `useQuery(findGroupQuery(42))`. */
export const findGroupQuery = (id: number) => ({
  queryKey: ["find-group", id],
  queryFn: async ({ signal }: Aborts): Promise<GroupRef | null> => {
    const projects = await cache.fetchQuery(projectsQuery)
    for (let at = 0; at < projects.length; at += atOnce) {
      const some = projects.slice(at, at + atOnce)
      const found = await Promise.all(some.map((project) => has(project.id, id, signal)))
      const project = some[found.indexOf(true)]
      if (project !== undefined) return { project_id: project.id, id }
    }
    return null
  },
})

// internal

const atOnce = 6

/** A merged group counts: its page leads to the group that received its reports. */
const has = async (projectId: number, id: number, signal: AbortSignal): Promise<boolean> => {
  try {
    await api.groups.get(projectId, id, { signal })
    return true
  } catch (error) {
    if (error instanceof NotFoundError) return error.mergedIntoId !== null
    throw error
  }
}
