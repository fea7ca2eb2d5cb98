/** Rows of `errata.projects`. */
import type { Project, ProjectId, ProjectMute, ProjectToken, UserId } from "@errata/core"
import * as Rows from "./Rows.js"
import { boolean, int8, nullable, text, time } from "./SqlType.js"

const mute = {
  id: int8<ProjectId>(),
  mutedAt: nullable(time),
  muterId: nullable(int8<UserId>()),
  mutedUntil: nullable(time),
}

/** Columns of a project's mute. */
export const muteRows = Rows.make(mute)

/** Columns of a project whose mute is being applied to its groups. */
export const unfinishedMuteRows = Rows.make({ ...mute, muteAfter: int8(), muteLast: int8() })

const rows = Rows.make({
  ...mute,
  name: text(),
  key: nullable(text()),
  platform: text(),
  timezone: text(),
  token: text<ProjectToken>(),
  errorAndFatalNotificationsOnly: boolean,
  groupsCount: int8(),
  reportsCount: int8(),
  firstReportAt: nullable(time),
  lastReportAt: nullable(time),
  lastContactAt: nullable(time),
  createdAt: time,
  updatedAt: time,
})

/** Columns with the project's counts as `c` and its last contact as `contact`. */
export const projectColumns = rows.select("p", {
  groupsCount: "coalesce(c.groups_count, 0)",
  reportsCount: "coalesce(c.reports_count, 0)",
  firstReportAt: "c.first_report_at",
  lastReportAt: "c.last_report_at",
  lastContactAt: "contact.last_contact_at",
})

export const toProject = (row: object): Project => {
  const { muterId, mutedAt, mutedUntil, ...project } = rows.read(row)
  return { ...project, mute: muteOf({ muterId, mutedAt, mutedUntil }) }
}

export const muteOf = (row: Omit<Rows.RowOf<typeof mute>, "id">): ProjectMute | null =>
  row.mutedAt === null ? null : { at: row.mutedAt, by: row.muterId, until: row.mutedUntil }
