/** The tags of a group's reports, counted by value. */
import type { TagValue } from "@errata/api/promise"
import { api, request } from "./client.js"

/** All keys with their most frequent values. */
export const groupTagsQuery = (projectId: number, groupId: number) => ({
  queryKey: ["group-tags", projectId, groupId],
  queryFn: async ({ signal }: { readonly signal: AbortSignal }) =>
    (await api.tags.ofGroup(projectId, groupId, { signal })).tags,
  staleTime: 30_000,
})

export interface TagValuesPage {
  readonly values: ReadonlyArray<TagValue>
  readonly next_cursor: number | string | null
  readonly has_more: boolean
}

/** The values of a key, the most frequent first. */
export const tagValuesQuery = (
  projectId: number,
  groupId: number,
  key: string,
  cursor: number | string | null,
) => ({
  queryKey: ["group-tag", projectId, groupId, key, cursor],
  queryFn: ({ signal }: { readonly signal: AbortSignal }): Promise<TagValuesPage> =>
    request("GET", `/projects/${projectId}/groups/${groupId}/tags/${encodeURIComponent(key)}`, {
      query: { limit: 100, cursor: cursor ?? undefined },
      signal,
    }),
  staleTime: 30_000,
})
