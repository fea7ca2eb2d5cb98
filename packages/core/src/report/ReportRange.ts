/** The range of time of a list of reports, as it is written. */
import { DateTime, Effect } from "effect"
import { notDate, parseDateBound } from "../search/DateBound.js"
import { ValidationError } from "../validation/ValidationError.js"
import type { ReportRange } from "./ReportStore.js"

/** Dates or ISO 8601 timestamps. Of a date the range leaves out its first moment as `since`, its last as `until`. */
export interface ReportRangeTexts {
  readonly since?: string | undefined
  readonly until?: string | undefined
}

export const readRange = ({
  since,
  until,
}: ReportRangeTexts): Effect.Effect<ReportRange, ValidationError> => {
  const [from, to] = [read(since, "start"), read(until, "end")]
  return from === undefined || to === undefined
    ? ValidationError.of("range", notDate)
    : Effect.succeed({ since: from, until: to })
}

// internal

/** Null where nothing is given, undefined where it cannot be read. */
const read = (text: string | undefined, edge: "start" | "end"): DateTime.Utc | null | undefined => {
  if (text === undefined) return null
  const millis = parseDateBound(text, edge)
  return millis === null ? undefined : DateTime.unsafeMake(millis)
}
