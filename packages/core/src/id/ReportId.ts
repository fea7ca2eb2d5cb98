import { Schema } from "effect"

export const ReportId = Schema.Int.pipe(Schema.check(Schema.isGreaterThan(0)), Schema.brand("ReportId"))
export type ReportId = typeof ReportId.Type
