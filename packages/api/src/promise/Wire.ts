/** The filters of lists, under the names of the documentation. */
import type { Query } from "../surface/Names.js"

/** What groups can be listed by. */
export type GroupFilter = Query<"groups", "list">
/** What the reports of a group can be listed by. */
export type ReportFilter = Query<"reports", "list">
