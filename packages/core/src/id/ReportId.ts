import { Schema } from "effect"

/** Identifies a report: a positive integer, larger for newer ones. */
export const ReportId = Schema.Int.pipe(Schema.check(Schema.isGreaterThan(0)), Schema.brand("ReportId"))
export type ReportId = typeof ReportId.Type
