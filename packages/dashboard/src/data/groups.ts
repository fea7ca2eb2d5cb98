/** Groups as signals, so that a change renders only its row. */

import type { Group, GroupDetail, OwnGroupsPage } from "@errata/api/promise"
import { batch, type Signal, signal } from "@preact/signals"
import { api } from "./client.js"
import { type ListFilter, pageSize, parametersOf } from "./listFilter.js"
import { type Aborts, cache } from "./query.js"

/** A group with the changes that were made while the page was open. */
export type Row = Group & {
  readonly merged_into?: number | undefined
  readonly discarded?: boolean
}

export interface GroupRef {
  readonly project_id: number
  readonly id: number
}

export const keyOf = ({ project_id, id }: GroupRef): string => `${project_id}/${id}`

/** Returns the signal of a group, or undefined if no response contained it yet. */
export const rowOf = (ref: GroupRef): Signal<Row> | undefined => rows.get(keyOf(ref))

/** Stores groups from a response. Groups with a pending change keep the state of the change. */
export const remember = (groups: ReadonlyArray<Row>): void =>
  batch(() => {
    for (const group of groups) {
      const known = rows.get(keyOf(group))
      if (known === undefined) rows.set(keyOf(group), signal(group))
      else if (!changing.has(keyOf(group)) && !isSame(known.value, group)) known.value = group
    }
  })

/** Changes fields of groups everywhere they are shown. */
export const patch = (refs: ReadonlyArray<GroupRef>, fields: (row: Row) => Partial<Row>): void =>
  batch(() => {
    for (const ref of refs) {
      const known = rows.get(keyOf(ref))
      if (known !== undefined) known.value = { ...known.value, ...fields(known.value) }
      cache.setQueryData<GroupDetail>(["group", ref.project_id, ref.id], (detail) =>
        detail === undefined ? undefined : { ...detail, ...fields(detail) },
      )
    }
  })

/** Ignores polled responses for groups while a change of them is pending. */
export const whileChanging = async <A>(
  refs: ReadonlyArray<GroupRef>,
  change: () => Promise<A>,
): Promise<A> => {
  for (const ref of refs) changing.add(keyOf(ref))
  try {
    return await change()
  } finally {
    for (const ref of refs) changing.delete(keyOf(ref))
  }
}

/** The query of a group's page: `useQuery(groupQuery(1, 42))`. */
export const groupQuery = (projectId: number, groupId: number) => ({
  queryKey: ["group", projectId, groupId],
  queryFn: async ({ signal }: Aborts): Promise<GroupDetail & Row> => {
    const group = await api.groups.get(projectId, groupId, { signal })
    // For a merged group, the server returns its target.
    remember([group])
    return group
  },
})

/** Reads a group by its id. */
export const fetchGroup = async ({ id, project_id }: GroupRef): Promise<Row> =>
  cache.fetchQuery({ ...groupQuery(project_id, id), staleTime: 5_000 })

/** The query of the first page of a list. */
export const groupsQuery = (filter: ListFilter) => ({
  queryKey: ["groups", filter.projectId, filter.query, filter.sort],
  queryFn: ({ signal }: Aborts): Promise<OwnGroupsPage> => fetchGroups(filter, null, signal),
})

export const fetchGroups = async (
  filter: ListFilter,
  cursor: number | null,
  signal?: AbortSignal,
): Promise<OwnGroupsPage> => {
  const page = await readGroups(filter, cursor, pageSize, signal)
  remember(page.groups)
  return page
}

/** Reads a page without keeping its groups. */
export const readGroups = async (
  filter: ListFilter,
  cursor: number | null,
  limit: number,
  signal?: AbortSignal,
): Promise<OwnGroupsPage> => {
  const parameters = parametersOf(filter, cursor, limit)
  return filter.projectId === null
    ? api.groups.listAll(parameters, { signal })
    : api.groups.list(filter.projectId, parameters, { signal })
}

/** Counts the matching groups of a project, up to 1,000. */
export const countGroups = (projectId: number, query: string, signal: AbortSignal) =>
  api.groups.count(projectId, query === "" ? {} : { query }, { signal })

// internal

const rows = new Map<string, Signal<Row>>()
const changing = new Set<string>()

const isSame = (a: Row, b: Row): boolean =>
  Object.keys(b).every((key) => a[key as keyof Row] === b[key as keyof Row])
