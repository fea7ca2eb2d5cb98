import { DateTime, Duration } from "effect"

/** The driver reads `timestamptz` as dates. */
export const toUtc = (date: Date): DateTime.Utc => DateTime.unsafeMake(date)

export const toUtcOrNull = (date: Date | null): DateTime.Utc | null => (date === null ? null : toUtc(date))

export const toDate = (time: DateTime.Utc): Date => DateTime.toDateUtc(time)

/** A duration as the text of an `interval`. */
export const interval = (duration: Duration.Duration): string => `${Duration.toMillis(duration)} milliseconds`
