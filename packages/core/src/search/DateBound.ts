/** Dates and timestamps as people write them into filters. */
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
  // The 30th of February parses as a day in March.
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

/** What is wrong with a text that is neither. */
export const notDate = "must be a date or an ISO 8601 timestamp"

// internal

const DayMillis = 24 * 60 * 60 * 1000

// A zone can carry a moment out of the years that there are.
const within = (millis: number): number | null => (isMoment(millis) ? millis : null)

// A zone's plus sign that was not escaped in a URL arrives as a space.
const Pattern =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?:Z|([+\- ])(\d{2}):?(\d{2})?)?)?$/i
