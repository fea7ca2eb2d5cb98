/** Derives how many reports are recorded per minute from readings of their number. */

/** The number of recorded reports at a time. */
export interface Reading {
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly reports: number
}

/** Adds a reading, and drops those that the last minute does not need. Readings are ordered by time. */
export const withReading = (readings: ReadonlyArray<Reading>, reading: Reading): ReadonlyArray<Reading> => {
  const earlier = readings.filter(({ at }) => at < reading.at)
  const lastBefore = earlier.findLastIndex(({ at }) => at <= reading.at - minute)
  return [...earlier.slice(Math.max(0, lastBefore)), reading]
}

/**
 * Returns reports per minute between the first and the last reading. Null if there are not two readings within five
 * minutes. Reports that are deleted in between lower the rate, to 0 at the least.
 */
export const perMinute = (readings: ReadonlyArray<Reading>): number | null => {
  const [first, last] = [readings[0], readings.at(-1)]
  if (first === undefined || last === undefined || last.at === first.at) return null
  if (last.at - first.at > longest) return null
  return Math.max(0, Math.round(((last.reports - first.reports) * minute) / (last.at - first.at)))
}

// internal

const minute = 60_000

/** A rate over more time would hide what happens now. */
const longest = 5 * minute
