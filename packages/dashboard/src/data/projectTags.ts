/** Keys and values of a project's tags, for completion. */
import { api } from "./client.js"
import { cache, useQuery } from "./query.js"

/** The keys of a project's tags. Empty until they are `wanted` and loaded. */
export const useTagKeys = (projectId: number | null, wanted: boolean): ReadonlyArray<string> =>
  useQuery({
    queryKey: ["project-tags", projectId],
    queryFn: async ({ signal }) =>
      (await api.tags.keys(projectId ?? 0, { signal })).tags.map(({ key }) => key),
    staleTime: 5 * 60_000,
    enabled: wanted && projectId !== null,
  }).data ?? noKeys

const noKeys: ReadonlyArray<string> = []

/** Values of a tag that start with a prefix. Empty if the request fails. */
export const fetchTagValues = async (
  projectId: number,
  key: string,
  prefix: string,
): Promise<ReadonlyArray<string>> => {
  try {
    return await cache.fetchQuery({
      queryKey: ["project-tag-values", projectId, key, prefix],
      queryFn: async ({ signal }) =>
        (await api.tags.values(projectId, key, { prefix, limit: 12 }, { signal })).values,
      staleTime: 60_000,
    })
  } catch {
    return []
  }
}
