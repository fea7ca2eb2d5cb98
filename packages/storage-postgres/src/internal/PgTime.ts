import { DateTime, Duration } from "effect"

/** Converts a time to a statement parameter. */
export const toDate = (time: DateTime.Utc): Date => DateTime.toDateUtc(time)

/** A duration as the text of an `interval`. */
export const interval = (duration: Duration.Duration): string => `${Duration.toMillis(duration)} milliseconds`
