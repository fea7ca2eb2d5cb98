/** Filters of lists, with the names from the documentation. */
import type { Query } from "../surface/Names.js"

/** Filters for the list of groups. */
export type GroupFilter = Query<"groups", "list">
/** Filters for the list of a group's reports. */
export type ReportFilter = Query<"reports", "list">
