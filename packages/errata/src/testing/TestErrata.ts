/** A tracker in memory for tests, with a clock that only tests advance. */
import { RealTimers } from "@errata/core/internal"
import { rulesApplied } from "../CreateErrata.js"
import {
  createErrata,
  type Errata,
  type ErrataOptions,
  memory,
  type Notification,
  type ReportDetail,
} from "../index.js"
import { type Expected, matches, unmet } from "./Expectation.js"

/** The options of a test instance. */
export interface TestErrataOptions extends Omit<ErrataOptions, "now" | "storage"> {
  /** Initial time. Default: 2026-01-01T00:00:00Z. */
  readonly now?: Date | string | number | undefined
  /** Default: memory. */
  readonly storage?: ErrataOptions["storage"] | undefined
}

/** An instance in memory, with assertions and its own clock. */
export interface TestErrata extends Errata {
  /** The time of the tracker's clock. */
  readonly now: () => Date
  /** Advances the clock. Timers of the tracker itself run in real time. */
  readonly advance: (millis: number) => void
  /** Waits until everything is recorded. Returns the reports of all projects, oldest first. */
  readonly reported: () => Promise<ReadonlyArray<ReportDetail>>
  /** Returns the first report that meets the expectation. Rejects with an `AssertionError` without one. */
  readonly expectReported: (expected: Expected) => Promise<ReportDetail>
  /**
   * Waits until notification rules were applied to everything so far and each notification was attempted once. Returns
   * the notifications of all projects, oldest first. Ignores rules on numbers of reports and users, which run every
   * minute.
   */
  readonly notified: () => Promise<ReadonlyArray<Notification>>
  /** Rejects with an `AssertionError` if there is a report, or one that meets the expectation. */
  readonly expectNothingReported: (like?: Expected) => Promise<void>
}

/**
 * Creates an instance for a test. Its log is silent. Close it with `close` or `await using`.
 *
 * @example
 * ```ts
 * const errata = await createTestErrata()
 * await orderTea({ onError: errata.capture })
 * await errata.expectReported({ type: "OutOfTea", tags: { kettle: "blue" } })
 * await errata.close()
 * ```
 */
export const createTestErrata = async (options: TestErrataOptions = {}): Promise<TestErrata> => {
  let time = timeOf(new Date(options.now ?? "2026-01-01T00:00:00Z").getTime())
  const errata = await createErrata({
    log: "silent",
    serverName: "test",
    // The clock stands still, and a test that reports an error 20 times expects 20 reports.
    maxRepeatsPerSecond: Number.POSITIVE_INFINITY,
    ...options,
    storage: options.storage ?? memory(),
    now: () => time,
  })

  const reported = async () => {
    await errata.flush()
    const reports: Array<ReportDetail> = []
    for await (const project of errata.projects.list()) {
      for await (const group of errata.groups.list(project.id)) {
        for await (const report of errata.reports.list(project.id, group.id)) {
          reports.push(await errata.reports.get(project.id, group.id, report.id))
        }
      }
    }
    return reports.sort((a, b) => a.id - b.id)
  }

  const expectReported = async (expected: Expected) => {
    const reports = await reported()
    const found = reports.find((report) => matches(expected, report))
    if (found === undefined)
      throw unmet("No error was reported as expected.", expected, reports, expectReported)
    return found
  }

  const expectNothingReported = async (like?: Expected) => {
    const reports = await reported()
    const found = like === undefined ? reports : reports.filter((report) => matches(like, report))
    if (found.length > 0) {
      throw unmet("An error was reported that was not expected.", [], found, expectNothingReported)
    }
  }

  const history = async () => {
    const notifications: Array<Notification> = []
    for await (const project of errata.projects.list()) {
      for await (const notification of errata.notifications.list(project.id)) notifications.push(notification)
    }
    return notifications.sort((a, b) => a.id - b.id)
  }

  const notified = async () => {
    await errata.flush()
    await rulesApplied(errata)
    for (;;) {
      const notifications = await history()
      if (notifications.every(({ attempts, status }) => status !== "pending" || attempts > 0)) {
        return notifications
      }
      await new Promise((resolve) => RealTimers.setTimeout(resolve, 5))
    }
  }

  return {
    ...errata,
    notified,
    now: () => new Date(time),
    advance: (millis) => {
      time = timeOf(time + millis)
    },
    reported,
    expectReported,
    expectNothingReported,
  }
}

// internal

const timeOf = (millis: number): number => {
  if (Number.isFinite(millis)) return millis
  throw new TypeError(
    "The clock of a test needs a valid date as now, and a number of milliseconds for advance",
  )
}
