/** The releases of a project. */
import type { Release } from "@errata/api/promise"
import { api } from "./client.js"

/** The newest ones, as many as fit in a chart: `useQuery(releasesQuery(1))`. */
export const releasesQuery = (projectId: number) => ({
  queryKey: ["releases", projectId],
  queryFn: async ({ signal }: { readonly signal: AbortSignal }): Promise<ReadonlyArray<Release>> =>
    (await api.releases.list(projectId, { limit: 50 }, { signal })).releases,
  staleTime: 60_000,
})
