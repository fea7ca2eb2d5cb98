/** How bad a report is. */
import { Schema } from "effect"
import * as Severities from "./Severities.js"

export { fromRank, max, rank, severities } from "./Severities.js"

/** How bad a report is, from `debug` up to `fatal`. A group carries the highest ever seen in it. */
export const Severity = Schema.Literals(Severities.levels)
export type Severity = Severities.Severity
