/** A list of groups as a CSV file. */
import type { Row } from "../../data/groups.js"
import { csvOf } from "../../text/Csv.js"

/** Returns the file, with one row for each group. */
export const groupsCsv = (
  groups: ReadonlyArray<Row>,
  projectName: (projectId: number) => string,
  urlOf: (group: Row) => string,
): string =>
  csvOf([
    columns,
    ...groups.map((group) => [
      group.id,
      [group.error_type, group.error_message].filter((part) => part !== "").join(": "),
      projectName(group.project_id),
      group.resolved ? "resolved" : group.muted ? "muted" : "open",
      group.severity,
      group.first_occurred_at,
      group.last_occurred_at,
      group.reports_count,
      group.users_count,
      group.last_environment ?? "",
      group.last_release_version ?? "",
      urlOf(group),
    ]),
  ])

// internal

const columns = [
  "id",
  "title",
  "project",
  "state",
  "severity",
  "first seen",
  "last seen",
  "reports",
  "users",
  "environment",
  "release",
  "URL",
]
