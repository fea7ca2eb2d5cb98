/** Exact users of groups, which a database estimates. */
import type { GroupId } from "@errata/core"
import type { State } from "./State.js"
import type { Reader } from "./Transaction.js"
import { treeOf } from "./Tree.js"

/** Returns the number of distinct users of a root and its members. */
export const countUsers = (state: State, reader: Reader, rootId: GroupId): number => {
  const users = new Set<number>()
  for (const id of treeOf(state, reader, rootId)) {
    for (const [user] of state.groupUsers.get(id)?.entries(reader) ?? []) users.add(user)
  }
  return users.size
}
