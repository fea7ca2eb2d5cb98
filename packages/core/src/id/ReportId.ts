import { Schema } from "effect"

export const ReportId = Schema.Int.pipe(Schema.positive(), Schema.brand("ReportId"))
export type ReportId = typeof ReportId.Type
