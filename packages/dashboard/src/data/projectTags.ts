/** Keys and values of a project's tags, for completion. */
import { api } from "./client.js"
import { cache } from "./query.js"

export const projectTagsQuery = (projectId: number) => ({
  queryKey: ["project-tags", projectId],
  queryFn: async ({ signal }: { readonly signal: AbortSignal }): Promise<ReadonlyArray<string>> =>
    (await api.tags.keys(projectId, { signal })).tags.map(({ key }) => key),
  staleTime: 5 * 60_000,
})

/** Values of a tag that start with a prefix; none if the server does not answer. */
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
