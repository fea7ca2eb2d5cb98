/** The newest releases of a project, for charts. */
import { api } from "./client.js"
import type { Aborts } from "./query.js"

/** The open ones of the newest 50, the last that appeared first: `useQuery(newestReleasesQuery(1))`. */
export const newestReleasesQuery = (projectId: number) => ({
  queryKey: ["newest-releases", projectId],
  queryFn: async ({ signal }: Aborts) => (await api.releases.newest(projectId, { signal })).releases,
  staleTime: 60_000,
})
