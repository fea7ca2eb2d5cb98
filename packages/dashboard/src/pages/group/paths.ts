/** Addresses of the pages of a group. */
import type { Trail } from "../../data/trail.js"
import { trail } from "../../data/trail.js"
import { queryForTag } from "./TagQuery.js"

/** Names a group by the ids in its address. */
export interface GroupIds {
  readonly projectId: number
  readonly groupId: number
}

export const groupPathOf = ({ groupId, projectId }: GroupIds, rest = ""): string =>
  `projects/${projectId}/groups/${groupId}${rest}`

export const reportPath = (ids: GroupIds, reportId: number): string =>
  groupPathOf(ids, `/reports/${reportId}`)

/** The list of groups with a tag. Narrows the list that the reader came from, if there is one. */
export const tagPath = (
  projectId: number,
  key: string,
  value: string,
  from: Trail | null = trail.peek(),
): string => {
  const base = from === null ? "" : (new URL(from.href, "http://x").searchParams.get("query") ?? "")
  return `projects/${projectId}/groups?query=${encodeURIComponent(queryForTag(key, value, base))}`
}

/** The position of a group in the list that the reader came from. */
export interface Place {
  /** Counted from 1. */
  readonly position: number
  readonly previous: Trail["groups"][number] | undefined
  readonly next: Trail["groups"][number] | undefined
}

export const placeIn = (from: Trail | null, { groupId, projectId }: GroupIds): Place | null => {
  const at = from?.groups.findIndex((group) => group.id === groupId && group.project_id === projectId) ?? -1
  if (from === null || at === -1) return null
  return { position: at + 1, previous: from.groups[at - 1], next: from.groups[at + 1] }
}
