/** Hours of the day in which a target gets no messages. */
import { DateTime, Option } from "effect"
import type { QuietHours } from "../notification/Target.js"

/** Returns the quiet hours around a time, or null outside of them. They are longer or shorter when clocks change. */
export const at = (
  { from, timezone, to }: QuietHours,
  now: DateTime.Utc,
): { readonly startsAt: DateTime.Utc; readonly endsAt: DateTime.Utc } | null => {
  const local = localTime(now, timezone)
  const minute = minuteOf(local)
  const isQuiet = from < to ? minute >= from && minute < to : minute >= from || minute < to
  if (!isQuiet) return null
  const beganYesterday = from > to && minute < to
  const endsTomorrow = from > to && minute >= from
  return {
    startsAt: atMinute(beganYesterday ? DateTime.add(local, { days: -1 }) : local, from),
    endsAt: atMinute(endsTomorrow ? DateTime.add(local, { days: 1 }) : local, to),
  }
}

/** Converts a time to a time zone, or to UTC if this system does not know the zone. */
export const localTime = (now: DateTime.Utc, timezone: string): DateTime.Zoned =>
  DateTime.setZone(
    now,
    Option.getOrElse(DateTime.zoneMakeNamed(timezone), () => DateTime.zoneMakeOffset(0)),
  )

// internal

const minuteOf = (local: DateTime.Zoned): number => {
  const { hour, minute } = DateTime.toParts(local)
  return hour * 60 + minute
}

const atMinute = (local: DateTime.Zoned, minute: number): DateTime.Utc =>
  DateTime.toUtc(
    DateTime.setParts(local, {
      hour: Math.floor(minute / 60),
      minute: minute % 60,
      second: 0,
      millisecond: 0,
    }),
  )
