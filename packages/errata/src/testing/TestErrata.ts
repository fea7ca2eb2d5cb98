/** A tracker in memory for one test, on a clock that stands still until it is told. */
import { setTimeout } from "node:timers/promises"
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
  /** What time it is at the beginning; 2026-01-01T00:00:00Z unless told. */
  readonly now?: Date | string | number | undefined
  /** In memory unless told. */
  readonly storage?: ErrataOptions["storage"] | undefined
}

/** An instance in memory, with assertions and a clock of its own. */
export interface TestErrata extends Errata {
  /** What time it is, to the tracker. */
  readonly now: () => Date
  /** Lets milliseconds pass. Waits of the tracker itself are as long as ever. */
  readonly advance: (millis: number) => void
  /** All reports of all projects, the first one first, when everything that was taken in is recorded. */
  readonly reported: () => Promise<ReadonlyArray<ReportDetail>>
  /** The first report that is as expected; rejects with an `AssertionError` where there is none. */
  readonly expectReported: (expected: Expected) => Promise<ReportDetail>
  /**
   * All notifications of all projects, the first one first, when the rules were applied to everything so far and each notification
   * was tried once. Rules about numbers of reports and users are applied every minute and not waited for.
   */
  readonly notified: () => Promise<ReadonlyArray<Notification>>
  /** Rejects with an `AssertionError` where anything was reported, or anything like that. */
  readonly expectNothingReported: (like?: Expected) => Promise<void>
}

/**
 * An instance for a test. Its log is silent, so that tests read well, and it is closed with `close` or by its block.
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
  let time = new Date(options.now ?? "2026-01-01T00:00:00Z").getTime()
  const errata = await createErrata({
    log: "silent",
    serverName: "test",
    // The clock of a test stands still, and a test that reports an error 20 times expects 20 reports.
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
      await setTimeout(5)
    }
  }

  return {
    ...errata,
    notified,
    now: () => new Date(time),
    advance: (millis) => {
      time += millis
    },
    reported,
    expectReported,
    expectNothingReported,
  }
}
