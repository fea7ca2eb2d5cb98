/** Invariants of accepted events, once they are recorded. */
import { expect } from "@effect/vitest"
import { Effect, type Redacted } from "effect"
import type { Server } from "../../support/Server.js"
import * as Instance from "./Instance.js"
import type { Load } from "./Load.js"
import * as Queue from "./Queue.js"
import { until } from "./Wait.js"

/** Waits until everything accepted is recorded. Leases of killed processes expire at once. */
export const recorded = (url: Redacted.Redacted): Effect.Effect<void> =>
  Effect.gen(function* () {
    yield* Queue.expireLeases(url)
    yield* until("the queue is empty", async () => (await Effect.runPromise(Queue.counts(url))).pending === 0)
  })

/**
 * Checks that each event answered with 200 is stored exactly once, all others at most once, and that all counts agree.
 * The loads must be the only senders.
 */
export const eachOnce = (
  server: Server,
  url: Redacted.Redacted,
  loads: ReadonlyArray<Pick<Load, "accepted" | "sent">>,
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const project = yield* Instance.firstProject(server)
    const reports = yield* Instance.reportsOf(server, project)
    const stored = reports.map((report) => report.event_id)
    const distinct = new Set(stored)
    expect(stored).toHaveLength(distinct.size)

    const accepted = new Set(loads.flatMap((load) => [...load.accepted]))
    const sent = new Set(loads.flatMap((load) => [...load.sent]))
    expect([...accepted].filter((id) => !distinct.has(id))).toEqual([])
    expect(stored.filter((id) => !sent.has(id))).toEqual([])

    const groups = yield* Instance.groupsOf(server, project)
    expect(groups.reduce((sum, group) => sum + group.reports_count, 0)).toBe(distinct.size)
    expect(project.reports_count).toBe(distinct.size)
    expect(project.groups_count).toBe(groups.length)
    const counts = yield* Queue.counts(url)
    expect(counts).toEqual({
      reports: distinct.size,
      events: distinct.size,
      tags: distinct.size,
      pending: 0,
      dead_letters: 0,
    })

    for (const id of [...accepted].filter((_, index) => index % 97 === 0)) {
      const report = yield* Effect.promise(() =>
        Instance.findReport<Instance.ReportItem>(server, project, id),
      )
      expect(report?.event_id).toBe(id)
    }
  })
