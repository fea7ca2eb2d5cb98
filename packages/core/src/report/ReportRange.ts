/** Parses the time range of a report list. */
import { DateTime, Effect } from "effect"
import { momentOf, notTimeBound, parseTimeBound, type TimeBound } from "../search/DateBound.js"
import { ValidationError } from "../validation/ValidationError.js"
import type { ReportRange } from "./ReportStore.js"

/** Dates, ISO 8601 timestamps, or spans back from now such as `24h`. Of a date the range leaves out its first moment as `since`, its last as `until`. */
export interface ReportRangeTexts {
  readonly since?: string | undefined
  readonly until?: string | undefined
}

export const readRange = ({
  since,
  until,
}: ReportRangeTexts): Effect.Effect<ReportRange, ValidationError> => {
  const [from, to] = [read(since, "start"), read(until, "end")]
  if (from === undefined || to === undefined) return ValidationError.of("range", notTimeBound)
  return Effect.map(DateTime.now, (now) => ({ since: momentOrNull(from, now), until: momentOrNull(to, now) }))
}

// internal

/** Null where nothing is given, undefined where it cannot be read. */
const read = (text: string | undefined, edge: "start" | "end"): TimeBound | null | undefined =>
  text === undefined ? null : (parseTimeBound(text, edge) ?? undefined)

const momentOrNull = (bound: TimeBound | null, now: DateTime.Utc): DateTime.Utc | null =>
  bound === null ? null : DateTime.makeUnsafe(momentOf(bound, "past", now.epochMilliseconds))
