import type { GroupUser, LockedGroup } from "../group/GroupStore.js"
import type { ReportId } from "../report/Report.js"
import type { Recording } from "./Recording.js"

/** The users of new reports. `ids` are those of the inserted reports by position, null for reports that are not new. */
export const usersOf = (
  { reports }: Recording,
  locked: ReadonlyArray<LockedGroup>,
  ids: ReadonlyArray<ReportId | null>,
): ReadonlyArray<GroupUser> => {
  const users: Array<GroupUser> = []
  for (let i = 0; i < reports.length; i++) {
    const { candidate, user } = reports[i]!
    if (user === null || (ids[i] ?? null) === null) continue
    const { group, groupId } = locked[candidate]!
    users.push({ group, groupId, user })
  }
  return users
}
