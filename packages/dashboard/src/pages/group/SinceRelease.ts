/** Compares whole hours before and after a release, to find out whether a group became worse with it. */
import type { ReleaseAppearance } from "@errata/api/promise"
import { count, counted } from "../../text/Numbers.js"
import { moreOrFewer } from "../groups/Comparison.js"

export interface Comparison {
  /** Number of whole hours on each side, or 0 if none has passed. */
  readonly hours: number
  /** The series to load, in hours: the hours before, the hour of the release, and the hours after. */
  readonly since: string
  readonly until: string
}

/** Returns the hours to compare. The hour of the release and the running one are of neither side. */
export const comparisonAt = (release: ReleaseAppearance, now: number): Comparison => {
  const at = Math.floor(Date.parse(release.appeared_at) / hour)
  const hours = Math.min(maxHours, Math.max(0, Math.floor(now / hour) - at - 1))
  return { hours, since: iso(at - hours), until: iso(at + hours + 1) }
}

/** Returns the verdict from the series of a comparison. */
export const answerOf = (
  reports: ReadonlyArray<number>,
  hours: number,
  { isOnly }: { /** No other release is known. */ readonly isOnly: boolean },
): string => {
  if (hours === 0) return "Too early to say: no whole hour has passed."
  const before = sum(reports.slice(0, hours))
  const after = sum(reports.slice(hours + 1))
  const span = hours === 1 ? "hour" : counted(hours, "hour")
  const figures = `${rateOf(after, hours)} reports an hour in the ${span} after it, ${rateOf(before, hours)} in the ${span} before`
  if (after + before < minReports) {
    return `Too little data: ${counted(after, "report")} in the ${span} after it, ${count(before)} in the ${span} before.`
  }
  if (before === 0 && isOnly) return "Too little data: no report came before the first release."
  // Twice the deviation that the difference of two random counts has.
  if (Math.abs(after - before) <= 2 * Math.sqrt(after + before)) return `No clear difference: ${figures}.`
  if (before === 0) return `Yes: ${figures}.`
  return `${after > before ? "Yes" : "No"}, ${moreOrFewer(after, before)} before: ${figures}.`
}

// internal

const hour = 3_600_000

/** Longer periods depend less on the release. */
const maxHours = 7 * 24

const minReports = 10

const iso = (hours: number): string => new Date(hours * hour).toISOString()

const rateOf = (reports: number, hours: number): string => {
  const rate = reports / hours
  return rate >= 10 || Number.isInteger(rate)
    ? count(Math.round(rate))
    : rate < 0.1
      ? "fewer than 0.1"
      : rate.toFixed(1)
}

const sum = (values: ReadonlyArray<number>): number => values.reduce((total, value) => total + value, 0)
