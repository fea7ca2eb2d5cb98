/** Compares a period with the one before it. */
import type { Activity } from "@errata/api/promise"
import { count, counted } from "../../text/Numbers.js"

export interface Period {
  readonly step: Activity["step"]
  /** Reports of the period, one number for each step. */
  readonly reports: ReadonlyArray<number>
  /** When it begins. */
  readonly since: string
  readonly total: number
  readonly newGroups: number
  /** The difference in percent; null if there is nothing to compare with. */
  readonly percent: number | null
  /** For example `12 % more than the day before`; null if there is nothing to compare with. */
  readonly change: string | null
}

/** Splits the series of a project, which covers twice the hours, into the period and the one before. */
export const periodOf = ({ series, since, step }: Activity, hours: number): Period => {
  const [project] = series
  const all = project?.reports ?? []
  const steps = step === "day" ? hours / 24 : hours
  const reports = all.slice(-steps)
  // Without the running step, which has not ended, and without the step that it is compared with.
  const whole = sum(reports.slice(0, -1))
  const before = sum(all.slice(-2 * steps, -steps).slice(0, -1))
  const stepMillis = step === "day" ? 86_400_000 : 3_600_000
  return {
    step,
    reports,
    since: new Date(Date.parse(since) + (all.length - reports.length) * stepMillis).toISOString(),
    total: sum(reports),
    newGroups: sum(project?.new_groups?.slice(-steps) ?? []),
    percent: before === 0 ? null : Math.round((whole / before - 1) * 100),
    change: changeOf(whole, before, hours),
  }
}

/** Writes a difference in percent with its sign: `+38 %`, `−4 %`. */
export const signedPercent = (percent: number): string =>
  `${percent > 0 ? "+" : percent < 0 ? "−" : "±"}${count(Math.abs(percent))} %`

// internal

const changeOf = (now: number, before: number, hours: number): string | null => {
  if (before === 0) return null
  const days = hours / 24
  const than = days === 1 ? "the day before" : `the ${counted(days, "day")} before`
  const percent = Math.round((now / before - 1) * 100)
  if (percent === 0) return `as many as ${than}`
  return `${count(Math.abs(percent))} % ${percent > 0 ? "more" : "less"} than ${than}`
}

const sum = (values: ReadonlyArray<number>): number => values.reduce((total, value) => total + value, 0)
