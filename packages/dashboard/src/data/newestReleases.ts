/** The newest releases of a project, for charts. */
import type { Release } from "@errata/api/promise"
import { api } from "./client.js"
import type { Aborts } from "./query.js"

/** Enough for a chart of seven days in most projects: `useQuery(newestReleasesQuery(1))`. */
export const newestReleasesQuery = (projectId: number) => ({
  queryKey: ["newest-releases", projectId],
  queryFn: async ({ signal }: Aborts): Promise<ReadonlyArray<Release>> =>
    (await api.releases.list(projectId, { limit: 50 }, { signal })).releases,
  staleTime: 60_000,
})
