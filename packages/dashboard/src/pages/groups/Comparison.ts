/** Compares a period with the one before it. */
import type { Activity } from "@errata/api/promise"
import { count, counted } from "../../text/Numbers.js"

export interface Period {
  readonly step: Activity["step"]
  /** Reports of the period, one number for each step. */
  readonly reports: ReadonlyArray<number>
  /** The series of the previous period. */
  readonly before: ReadonlyArray<number>
  /** Start of the period. */
  readonly since: string
  readonly total: number
  readonly newGroups: number
  /** The difference in percent; null if there is nothing to compare with. */
  readonly percent: number | null
  /** For example `12 % more than the day before (whole hours only: 121, previously 108)`; null if both have no reports. */
  readonly change: string | null
  /** For example `the day before`. */
  readonly beforeName: string
}

/** Splits the series of a project or group, which covers twice the hours, into the period and the one before. */
export const periodOf = ({ series, since, step }: Activity, hours: number): Period => {
  const [first] = series
  const steps = step === "day" ? hours / 24 : hours
  const all = first?.reports ?? Array<number>(2 * steps).fill(0)
  const reports = all.slice(-steps)
  const before = all.slice(-2 * steps, -steps)
  // Without the running step, which has not ended, and without the step that it is compared with.
  const whole = sum(reports.slice(0, -1))
  const wholeBefore = sum(before.slice(0, -1))
  const beforeName = hours === 24 ? "the day before" : `the ${counted(hours / 24, "day")} before`
  const stepMillis = step === "day" ? 86_400_000 : 3_600_000
  return {
    step,
    reports,
    before,
    since: new Date(Date.parse(since) + (all.length - reports.length) * stepMillis).toISOString(),
    total: sum(reports),
    newGroups: sum(first?.new_groups?.slice(-steps) ?? []),
    percent: wholeBefore === 0 ? null : Math.round((whole / wholeBefore - 1) * 100),
    change: changeOf(whole, wholeBefore, beforeName, step),
    beforeName,
  }
}

/** Writes a difference in percent with its sign: `+38 %`, `−4 %`. */
export const signedPercent = (percent: number): string =>
  `${percent > 0 ? "+" : percent < 0 ? "−" : "±"}${count(Math.abs(percent))} %`

/** Compares a number to an earlier one other than 0: `12 % more than`, `12 times as many as`. */
export const moreOrFewer = (now: number, before: number): string => {
  if (now >= before * 10) return `${count(Math.round(now / before))} times as many as`
  const percent = Math.round((now / before - 1) * 100)
  if (percent === 0) return "as many as"
  return `${count(Math.abs(percent))} % ${percent > 0 ? "more" : "fewer"} than`
}

// internal

const changeOf = (now: number, before: number, name: string, step: string): string | null => {
  if (before === 0) return now === 0 ? null : `none in ${name}`
  return `${moreOrFewer(now, before)} ${name} (whole ${step}s only: ${count(now)}, previously ${count(before)})`
}

const sum = (values: ReadonlyArray<number>): number => values.reduce((total, value) => total + value, 0)
