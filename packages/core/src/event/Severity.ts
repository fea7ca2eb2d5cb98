/** Schema of the severity of a report. */
import { Schema } from "effect"
import * as Severities from "./Severities.js"

export { fromRank, max, rank, severities } from "./Severities.js"

/** The severity of a report, from `debug` to `fatal`. A group has the highest severity of its reports. */
export const Severity = Schema.Literals(Severities.levels)
export type Severity = Severities.Severity
