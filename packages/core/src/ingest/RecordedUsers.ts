/** The users of new reports, and their groups with the number of users that they have then. Pure. */
import { Group, type GroupId } from "../group/Group.js"
import type { GroupUser, LockedGroup } from "../group/GroupStore.js"
import type { ReportId } from "../report/Report.js"
import { unchecked } from "../validation/Unchecked.js"
import type { Recording } from "./Recording.js"

/** Each group's, each once; `ids` are the inserted reports' by position, null for reports that were there before. */
export const usersOf = (
  { reports }: Recording,
  locked: ReadonlyArray<LockedGroup>,
  ids: ReadonlyArray<ReportId | null>,
): ReadonlyArray<GroupUser> => {
  const users: Array<GroupUser> = []
  const seen = new Map<GroupId, Set<number>>()
  for (const [i, { candidate, user }] of reports.entries()) {
    if (user === null || (ids[i] ?? null) === null) continue
    const { group, groupId } = locked[candidate]!
    const known = seen.get(groupId)
    if (known?.has(user) === true) continue
    if (known === undefined) seen.set(groupId, new Set([user]))
    else known.add(user)
    users.push({ group, groupId, user })
  }
  return users
}

/** `counts` has the roots whose number changed. */
export const withUsers = (
  locked: ReadonlyArray<LockedGroup>,
  counts: ReadonlyMap<GroupId, number>,
): ReadonlyArray<LockedGroup> =>
  counts.size === 0
    ? locked
    : locked.map((one) => {
        const usersCount = counts.get(one.group.id)
        return usersCount === undefined
          ? one
          : { ...one, group: unchecked(Group, { ...one.group, usersCount }) }
      })
