/** Rows of `errata.users`, shared by stores that find users in different ways. */
import type { Role, User, UserId } from "@errata/core"
import * as Rows from "./Rows.js"
import { boolean, int8, integers, text, time } from "./SqlType.js"

const userRows = Rows.make({
  id: int8<UserId>(),
  name: text(),
  emailAddress: text(),
  role: text<Role>(),
  active: boolean,
  createdAt: time,
  updatedAt: time,
  projectIds: integers(),
})

/** Columns of `errata.users` as `u`. */
export const userColumns = userRows.select("u", {
  projectIds: `ARRAY(
    SELECT m.project_id FROM errata.memberships AS m JOIN errata.projects AS p ON p.id = m.project_id
    WHERE m.user_id = u.id AND p.deleted_at IS NULL ORDER BY m.project_id)`,
})

export const toUser = (row: object): User => userRows.read(row)
