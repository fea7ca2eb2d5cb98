/** Scale, bar heights and text alternative of a bar chart. */
import { count, counted } from "../text/Numbers.js"

/** A series of numbers, one for each step from `since` on. */
export interface Series {
  readonly since: string
  readonly step: "hour" | "day"
  readonly reports: ReadonlyArray<number>
  /** The numbers of the period before, step by step. */
  readonly before?: ReadonlyArray<number>
}

/** A named moment in a chart, such as a release. */
export interface Mark {
  readonly at: string
  readonly name: string
}

export interface Bar {
  /** Start of the step. */
  readonly at: string
  readonly reports: number
  /** From 0 to 1. */
  readonly height: number
  /** The step has not ended: its bar will grow. */
  readonly isRunning: boolean
  /** More than three times the usual number. */
  readonly isHot: boolean
}

/** Minimum for the scale of a full bar, so that one report does not look like an outage. */
export const floor = 10

/** Returns the bars. The scale begins at zero. */
export const barsOf = ({ before = [], reports, since, step }: Series, now: number): ReadonlyArray<Bar> => {
  const top = Math.max(floor, ...reports, ...before)
  const usual = median(reports)
  const start = Date.parse(since)
  return reports.map((value, i) => ({
    at: new Date(start + i * stepMillis[step]).toISOString(),
    reports: value,
    height: value / top,
    isRunning: start + (i + 1) * stepMillis[step] > now && start + i * stepMillis[step] <= now,
    isHot: value > floor && value > usual * 3,
  }))
}

/** Returns the steps that have marks, by their index, with the numbers of the marks counted from 1. */
export const markedSteps = (
  { reports, since, step }: Series,
  marks: ReadonlyArray<Mark>,
): ReadonlyMap<number, ReadonlyArray<number>> => {
  const steps = new Map<number, Array<number>>()
  for (const [i, { at }] of marks.entries()) {
    const index = Math.floor((Date.parse(at) - Date.parse(since)) / stepMillis[step])
    if (index >= 0 && index < reports.length) steps.set(index, [...(steps.get(index) ?? []), i + 1])
  }
  return steps
}

/** Returns the chart in a sentence, e.g. `1,204 reports in 24 hours, at most 71 in one hour`. */
export const sentenceOf = ({ reports, step }: Series): string => {
  const total = reports.reduce((sum, value) => sum + value, 0)
  const span = counted(reports.length, step)
  if (total === 0) return `No reports in ${span}`
  return `${counted(total, "report")} in ${span}, at most ${count(Math.max(...reports))} in one ${step}`
}

// internal

const stepMillis = { hour: 3_600_000, day: 86_400_000 }

const median = (values: ReadonlyArray<number>): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
