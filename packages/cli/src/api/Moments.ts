/** Moments as people write and read them. */
import { parseDateBound } from "@errata/core"
import { DateTime, Duration, Effect, Option } from "effect"
import type { CommandFailed } from "../ErrorOutput.js"
import { wrong } from "../Setting.js"

/** How long ago a moment was, or in what time it comes: `3m ago`, `in 2h`; nothing of what has no moment. */
export const relative = (moment: DateTime.DateTime | null, now: DateTime.DateTime): string => {
  if (moment === null) return ""
  const text = age(moment, now)
  return text === "now" ? "just now" : DateTime.lessThan(moment, now) ? `${text} ago` : `in ${text}`
}

/** The distance of a moment from now in its largest unit: `3m`, `2h`, `5d`; below a second `now`. */
export const age = (moment: DateTime.DateTime, now: DateTime.DateTime): string =>
  span(Math.abs(DateTime.distance(moment, now))) || "now"

/** The moment with its distance: `2026-01-02 03:04:05 UTC (3m ago)`; nothing of what has no moment. */
export const absolute = (moment: DateTime.DateTime | null, now: DateTime.DateTime): string =>
  moment === null
    ? ""
    : `${DateTime.formatIso(moment).slice(0, 19).replace("T", " ")} UTC (${relative(moment, now)})`

/**
 * What is given to an option that takes a moment, as the API takes it: a span of time like `30m`, `12h`, `7d` or `2w`
 * is counted from now; dates and timestamps pass as they are.
 */
export const momentFrom = (
  option: string,
  text: string,
  direction: "past" | "future",
): Effect.Effect<string, CommandFailed> =>
  Option.match(spanFrom(text), {
    onNone: () =>
      parseDateBound(text, "start") === null
        ? wrong(
            `${option} must be a date, an ISO 8601 timestamp, or a span like 30m, 12h, 7d, 2w, not "${text}"`,
          )
        : Effect.succeed(text),
    onSome: (duration) =>
      Effect.map(DateTime.now, (now) =>
        DateTime.formatIso(
          direction === "future"
            ? DateTime.addDuration(now, duration)
            : DateTime.subtractDuration(now, duration),
        ),
      ),
  })

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

const spans: Readonly<Record<string, (count: number) => Duration.Duration>> = {
  m: Duration.minutes,
  h: Duration.hours,
  d: Duration.days,
  w: Duration.weeks,
}

const spanFrom = (text: string): Option.Option<Duration.Duration> => {
  const [, count, unit] = /^(\d{1,6})([mhdw])$/.exec(text) ?? []
  return count === undefined || unit === undefined ? Option.none() : Option.some(spans[unit]!(Number(count)))
}
