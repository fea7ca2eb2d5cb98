/** The tags of a group's reports, counted by value. */
import type { TagValuesPage } from "@errata/api/promise"
import { api } from "./client.js"
import type { Aborts } from "./query.js"

/** All keys with their most frequent values. */
export const groupTagsQuery = (projectId: number, groupId: number) => ({
  queryKey: ["group-tags", projectId, groupId],
  queryFn: async ({ signal }: Aborts) => (await api.tags.ofGroup(projectId, groupId, { signal })).tags,
  staleTime: 30_000,
})

/** The values of a key, the most frequent first. */
export const tagValuesQuery = (projectId: number, groupId: number, key: string, cursor: number | null) => ({
  queryKey: ["group-tag", projectId, groupId, key, cursor],
  queryFn: ({ signal }: Aborts): Promise<TagValuesPage> =>
    api.tags.valuesOfGroup(
      projectId,
      groupId,
      key,
      { limit: 100, ...(cursor !== null && { cursor }) },
      { signal },
    ),
  staleTime: 30_000,
})
