/** Parses dates, timestamps and time spans in filters and deadlines. */
import { isMoment } from "../validation/Moment.js"

/**
 * Epoch milliseconds of a date (`2025-01-31`) or an ISO 8601 timestamp; null where the text is neither. A bare date
 * is that day's first (`start`) or last (`end`) millisecond in UTC; a timestamp without a zone is UTC.
 */
export const parseDateBound = (text: string, edge: "start" | "end"): number | null => {
  const match = Pattern.exec(text)
  if (match === null) return null
  const [
    ,
    date = "",
    hours,
    minutes = "00",
    seconds = "00",
    fraction = "",
    sign,
    zoneHours,
    zoneMinutes = "00",
  ] = match
  const midnight = Date.parse(`${date}T00:00:00.000Z`)
  // JavaScript parses February 30 as a day in March.
  if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(date)) return null
  if (hours === undefined) return edge === "start" ? midnight : midnight + DayMillis - 1
  const time = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)
  if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 60) return null
  const milliseconds = Number(fraction.slice(0, 3).padEnd(3, "0"))
  if (zoneHours === undefined) return within(midnight + time * 1000 + milliseconds)
  if (Number(zoneHours) > 23 || Number(zoneMinutes) > 59) return null
  const offset = (Number(zoneHours) * 60 + Number(zoneMinutes)) * 60 * (sign === "-" ? -1 : 1)
  return within(midnight + (time - offset) * 1000 + milliseconds)
}

/** A span of time such as `24h`, in milliseconds, relative to the time of use. */
export interface Span {
  readonly span: number
}

/** Epoch milliseconds, or a span from now. */
export type TimeBound = number | Span

/**
 * Reads a span of minutes, hours, days or weeks (`30m`, `24h`, `7d`, `2w`), or a date or timestamp as
 * {@link parseDateBound} does. Returns null for other texts.
 */
export const parseTimeBound = (text: string, edge: "start" | "end"): TimeBound | null => {
  const [, count, unit] = /^(\d{1,6})([mhdw])$/.exec(text) ?? []
  if (count === undefined || unit === undefined) return parseDateBound(text, edge)
  const span = Number(count) * unitMillis[unit as Unit]
  return span <= maxSpan ? { span } : null
}

/** Epoch milliseconds of a bound. A span lies in the past or in the future of `now`. */
export const momentOf = (bound: TimeBound, direction: "past" | "future", now: number): number =>
  typeof bound === "number" ? bound : direction === "past" ? now - bound.span : now + bound.span

/** Writes a span in the largest unit that divides it. */
export const formatSpan = ({ span }: Span): string => {
  const unit = units.find((unit) => span % unitMillis[unit] === 0) ?? "m"
  return `${span / unitMillis[unit]}${unit}`
}

/** The message for an invalid bound. */
export const notTimeBound = "must be a date, an ISO 8601 timestamp, or a span such as 24h or 7d"

// internal

const DayMillis = 24 * 60 * 60 * 1000

const units = ["w", "d", "h", "m"] as const
type Unit = (typeof units)[number]
const unitMillis: Readonly<Record<Unit, number>> = {
  w: 7 * DayMillis,
  d: DayMillis,
  h: DayMillis / 24,
  m: DayMillis / 24 / 60,
}

/** A thousand years. A time this far from now still has a year with four digits. */
const maxSpan = 365_000 * DayMillis

// A time zone can move a time out of the valid range.
const within = (millis: number): number | null => (isMoment(millis) ? millis : null)

// A zone's plus sign that was not escaped in a URL arrives as a space.
const Pattern =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?:Z|([+\- ])(\d{2}):?(\d{2})?)?)?$/i
