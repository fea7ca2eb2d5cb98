/** Trees of merged groups. The data of a merged group stays with it, and reads show it under the root. */
import type { GroupId } from "@errata/core"
import type { Family } from "./Family.js"
import type { Ids } from "./Ids.js"
import type { State } from "./State.js"
import type { Reader } from "./Transaction.js"

/** Returns the root of a group; the group itself if it is not merged. */
export const rootOf = (state: State, reader: Reader, id: GroupId): GroupId =>
  state.groups.get(reader, id)?.mergedIntoId ?? id

/** Returns whether the data of a group is shown under `rootId`. */
export const isPartOf = (state: State, reader: Reader, id: GroupId, rootId: GroupId): boolean =>
  rootOf(state, reader, id) === rootId

/** Returns a group and all groups merged into it. */
export const treeOf = (state: State, reader: Reader, rootId: GroupId): ReadonlyArray<GroupId> => [
  rootId,
  ...([...(state.memberIds.get(rootId)?.ascending(reader) ?? [])] as Array<GroupId>),
]

/** Ids below `before` of the data of a group and of the groups merged into it, in descending order. */
export const idsInTree = (
  state: State,
  reader: Reader,
  family: Family<Ids>,
  rootId: GroupId,
  before: number | null,
): Iterable<number> => {
  const lists = treeOf(state, reader, rootId).map((id) => family.get(id)?.descending(reader, before) ?? [])
  return lists.length === 1 ? lists[0]! : inOneOrder(lists)
}

// internal

/** Merges lists of ids that are each in descending order. */
function* inOneOrder(lists: ReadonlyArray<Iterable<number>>): Generator<number> {
  const heads: Array<{ readonly rest: Iterator<number>; id: number }> = []
  for (const list of lists) {
    const rest = list[Symbol.iterator]()
    const first = rest.next()
    if (!first.done) heads.push({ rest, id: first.value })
  }
  while (heads.length > 0) {
    let highest = 0
    for (let i = 1; i < heads.length; i++) if (heads[i]!.id > heads[highest]!.id) highest = i
    const head = heads[highest]!
    yield head.id
    const next = head.rest.next()
    if (next.done) heads.splice(highest, 1)
    else head.id = next.value
  }
}
