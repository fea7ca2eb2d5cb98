import { type GroupId, reservedTags, SearchQuery, type TagValue } from "@errata/core"
import {
  type GroupStore,
  maxCountedValues,
  maxShownKeys,
  maxSortedValues,
  maxTopValues,
} from "@errata/core/ports"
import { columnsOf, type State } from "./State.js"
import type { Reader } from "./Transaction.js"
import { treeOf } from "./Tree.js"

type TagReads = Pick<
  GroupStore["Service"],
  "listTagKeys" | "tagDistributions" | "tagValuesOf" | "completeTag"
>

export const make = (state: State): TagReads => {
  /** Counts of tag values in some groups, by tag key. */
  const tally = (reader: Reader, groupIds: ReadonlyArray<GroupId>) => {
    const tags = new Map<string, Map<string, number>>()
    for (const id of groupIds) {
      for (const [tag, count] of state.groupTags.get(id)?.entries(reader) ?? []) {
        if (count === 0) continue
        const [key = "", value = ""] = columnsOf(tag)
        const values = tags.get(key) ?? new Map<string, number>()
        tags.set(key, values.set(value, (values.get(value) ?? 0) + count))
      }
    }
    return tags
  }

  return {
    listTagKeys: (projectId, limit) =>
      state.read((reader) =>
        Array.from(state.tagKeys.get(projectId)?.entries(reader) ?? [], ([key]) => key)
          .sort((a, b) => compare(SearchQuery.foldKey(a), SearchQuery.foldKey(b)) || compare(a, b))
          .slice(0, limit),
      ),

    tagDistributions: (_projectId, groupId) =>
      state.read((reader) => {
        const tags = tally(reader, treeOf(state, reader, groupId))
        const first = [...tags.keys()].sort(compare).slice(0, maxShownKeys)
        const shown = new Set([...first, ...Object.values(reservedTags).filter((key) => tags.has(key))])
        return Array.from(shown, (key) => {
          const values = sorted(new Map([...tags.get(key)!].slice(0, maxCountedValues)))
          return {
            key,
            reportsCount: values.reduce((sum, { reportsCount }) => sum + reportsCount, 0),
            valuesCount: values.length,
            valuesCountCapped: tags.get(key)!.size > maxCountedValues,
            values: values.slice(0, maxTopValues),
          }
        }).sort((a, b) => b.reportsCount - a.reportsCount || compare(a.key, b.key))
      }),

    tagValuesOf: (_projectId, groupId, key, { cursor, limit }) =>
      state.read((reader) => {
        const values = tally(reader, treeOf(state, reader, groupId)).get(key)
        if (values === undefined) return null
        const all = sorted(values).slice(0, maxSortedValues)
        const end = (cursor ?? 0) + limit
        return { items: all.slice(cursor ?? 0, end), nextCursor: all.length > end ? end : null }
      }),

    completeTag: (projectId, key, prefix, limit) =>
      state.read((reader) => {
        const roots = [...(state.groupIds.get(projectId)?.descending(reader) ?? [])] as Array<GroupId>
        const values = tally(
          reader,
          roots.flatMap((id) => treeOf(state, reader, id)),
        ).get(key)
        return sorted(values ?? new Map())
          .map(({ value }) => value)
          .filter((value) => SearchQuery.foldKey(value).startsWith(SearchQuery.foldKey(prefix)))
          .slice(0, limit)
      }),
  }
}

// internal

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Most reports first. */
const sorted = (values: ReadonlyMap<string, number>): ReadonlyArray<TagValue> =>
  Array.from(values, ([value, reportsCount]) => ({ value, reportsCount })).sort(
    (a, b) => b.reportsCount - a.reportsCount || compare(a.value, b.value),
  )
