/** Formats and parses times for people. */
import { momentOf, parseTimeBound } from "@errata/core/internal"
import { Clock, DateTime, Duration, Effect } from "effect"
import { type CommandFailed, usageError } from "../ErrorOutput.js"

/** Formats a time relative to now: `3m ago`, `in 2h`. Null becomes an empty text. */
export const relative = (moment: DateTime.DateTime | null, now: DateTime.DateTime): string => {
  if (moment === null) return ""
  const text = age(moment, now)
  return text === "now" ? "just now" : DateTime.isLessThan(moment, now) ? `${text} ago` : `in ${text}`
}

/** Formats the distance from now in its largest unit: `3m`, `2h`, `5d`, or `now` below a second. */
export const age = (moment: DateTime.DateTime, now: DateTime.DateTime): string =>
  span(Math.abs(Duration.toMillis(DateTime.distance(moment, now)))) || "now"

/** Formats a time with its distance: `2026-01-02 03:04:05 UTC (3m ago)`. Null becomes an empty text. */
export const absolute = (moment: DateTime.DateTime | null, now: DateTime.DateTime): string =>
  moment === null
    ? ""
    : `${DateTime.formatIso(moment).slice(0, 19).replace("T", " ")} UTC (${relative(moment, now)})`

/**
 * Converts the value of a time option to the format of the API. Time spans like `30m`, `12h`, `7d` or `2w` count from
 * now. Dates and timestamps stay as they are.
 */
export const momentFrom = (
  option: string,
  text: string,
  direction: "past" | "future",
): Effect.Effect<string, CommandFailed> => {
  const bound = parseTimeBound(text, "start")
  if (bound === null) {
    return usageError(
      `${option} must be a date, an ISO 8601 timestamp, or a time span (30m, 12h, 7d, 2w), not "${text}"`,
    )
  }
  if (typeof bound === "number") return Effect.succeed(text)
  return Effect.map(Clock.currentTimeMillis, (now) => new Date(momentOf(bound, direction, now)).toISOString())
}

// internal

const units = [
  ["y", 365 * 86_400_000],
  ["mo", 30 * 86_400_000],
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
] as const

const span = (millis: number): string => {
  const unit = units.find(([, size]) => millis >= size)
  return unit === undefined ? "" : `${Math.floor(millis / unit[1])}${unit[0]}`
}
