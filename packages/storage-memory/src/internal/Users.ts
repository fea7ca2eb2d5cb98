/** Users of groups, all of them: what a database estimates is exact here. */
import type { GroupId } from "@errata/core"
import type { State } from "./State.js"
import type { Reader } from "./Transaction.js"
import { treeOf } from "./Tree.js"

/** How many a root has, with all that it stands for. */
export const countUsers = (state: State, reader: Reader, rootId: GroupId): number => {
  const users = new Set<number>()
  for (const id of treeOf(state, reader, rootId)) {
    for (const [user] of state.groupUsers.get(id)?.entries(reader) ?? []) users.add(user)
  }
  return users.size
}
