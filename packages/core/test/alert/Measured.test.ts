/** Rules with measured conditions: they notify when a condition begins to hold, and when it ends. */
import type { ProjectId } from "@errata/core"
import { AlertStore } from "@errata/core/ports"
import { advance, contractCase } from "@errata/testing"
import { DateTime, Effect } from "effect"
import { expect } from "vitest"
import * as Pipeline from "../../../testing/src/internal/Pipeline.js"
import * as MeasureJob from "../../src/alert/MeasureJob.js"
import { onStorages } from "../support/storages.js"
import { atStorageTime, notificationsOf, rule, summaries, target, withKinds } from "./support.js"

const given = Effect.andThen(atStorageTime, Pipeline.given)

const measure = withKinds(MeasureJob.measureAll)

const reasons = (projectId: ProjectId) =>
  Effect.map(notificationsOf(projectId), (all) =>
    all.map(({ content }) => `${content.kind}: ${content.reason}`),
  )

/** Records a number of reports that occur now. */
const report = (from: Effect.Success<typeof given>, count: number, group = "default", user?: string) =>
  Effect.gen(function* () {
    const receivedAt = (yield* DateTime.now).epochMilliseconds
    const one = (i: number) =>
      from.send({ group, ...(user === undefined ? {} : { user: `${user}${i}` }) }, { receivedAt })
    yield* Pipeline.record(...Array.from({ length: count }, (_, i) => one(i)))
  })

onStorages("Measured rules", [
  contractCase(
    "notify once about many reports of a group, and once when they are over",
    Effect.gen(function* () {
      const from = yield* given
      const { project } = from
      yield* target(project.id)
      yield* rule(project.id, { triggers: [{ type: "reports", count: 5, minutes: 10, of: "group" }] })
      yield* report(from, 5, "quiet")
      yield* report(from, 6, "loud")
      yield* measure
      yield* measure
      expect(yield* reasons(project.id)).toEqual(["alert: 6 reports in 10 minutes"])
      yield* advance("9 minutes")
      yield* measure
      expect(yield* reasons(project.id)).toHaveLength(1)
      yield* advance("1 minute")
      yield* measure
      yield* measure
      expect((yield* reasons(project.id)).slice(1)).toEqual([
        "over: Over: no more than 5 reports in 10 minutes",
      ])
      // Within the period of the rule it is no news again; after it, it is.
      yield* report(from, 6, "loud")
      yield* measure
      expect(yield* reasons(project.id)).toHaveLength(2)
      yield* advance("50 minutes")
      yield* report(from, 7, "loud")
      yield* measure
      expect((yield* reasons(project.id)).slice(2)).toEqual(["alert: 7 reports in 10 minutes"])
    }),
  ),

  contractCase(
    "notify about the project as a whole",
    Effect.gen(function* () {
      const from = yield* given
      const { project } = from
      yield* target(project.id)
      yield* rule(project.id, { triggers: [{ type: "reports", count: 9, minutes: 1, of: "project" }] })
      yield* report(from, 5, "a")
      yield* measure
      yield* report(from, 5, "b")
      yield* measure
      expect(yield* reasons(project.id)).toEqual(["alert: 10 reports in 1 minute"])
      expect((yield* notificationsOf(project.id))[0]?.content.group).toBeNull()
      yield* advance("2 minutes")
      yield* measure
      expect(yield* reasons(project.id)).toHaveLength(2)
    }),
  ),

  contractCase(
    "give each of several rules its own count, window and filter",
    Effect.gen(function* () {
      const from = yield* given
      const { project } = from
      yield* target(project.id)
      const reports = (count: number, minutes: number, of: "group" | "project" = "group") =>
        ({ triggers: [{ type: "reports", count, minutes, of }] }) as const
      yield* report(from, 9, "early")
      yield* advance("5 minutes")
      yield* report(from, 3, "late")
      yield* rule(project.id, reports(8, 10))
      yield* rule(project.id, reports(2, 10))
      yield* rule(project.id, reports(2, 4))
      yield* rule(project.id, reports(11, 10, "project"))
      yield* rule(project.id, reports(11, 4, "project"))
      yield* rule(project.id, {
        ...reports(1, 10),
        filter: { query: "type:none", environments: [], severities: [] },
      })
      yield* measure
      expect((yield* reasons(project.id)).toSorted()).toEqual([
        "alert: 12 reports in 10 minutes",
        "alert: 3 reports in 10 minutes",
        "alert: 3 reports in 4 minutes",
        "alert: 9 reports in 10 minutes",
        "alert: 9 reports in 10 minutes",
      ])
    }),
  ),

  contractCase(
    "compare a rate with the same hour of seven days, or with ten reports if that is less",
    Effect.gen(function* () {
      const from = yield* given
      const { project } = from
      yield* target(project.id)
      yield* rule(project.id, { triggers: [{ type: "rate", factor: 2 }] })
      // The busy group has 30 reports at this hour of each day, the new one had none.
      for (let day = 0; day < 7; day++) {
        yield* report(from, 30, "busy")
        yield* advance("1 day")
      }
      yield* report(from, 59, "busy")
      yield* report(from, 19, "new")
      yield* measure
      expect(yield* reasons(project.id)).toEqual([])
      yield* report(from, 1, "busy")
      yield* report(from, 1, "new")
      yield* measure
      expect((yield* reasons(project.id)).toSorted()).toEqual([
        "alert: 20 reports in 60 minutes, usually 10",
        "alert: 60 reports in 60 minutes, usually 30",
      ])
    }),
  ),

  contractCase(
    "notify only once about many users of a group",
    Effect.gen(function* () {
      const from = yield* given
      const { project } = from
      yield* target(project.id)
      yield* rule(project.id, { triggers: [{ type: "users", count: 3 }], repeatMinutes: 0 })
      yield* report(from, 2, "a", "ann")
      yield* measure
      expect(yield* reasons(project.id)).toEqual([])
      yield* report(from, 4, "a", "ben")
      yield* measure
      yield* advance("2 days")
      yield* report(from, 4, "a", "cid")
      yield* measure
      expect(yield* reasons(project.id)).toEqual(["alert: 6 users are affected"])
    }),
  ),

  contractCase(
    "send nothing more about a condition after its rule is disabled or removed",
    Effect.gen(function* () {
      const from = yield* given
      const { project } = from
      yield* target(project.id)
      const {
        createdAt: _,
        id,
        projectId,
        updatedAt: __,
        ...content
      } = yield* rule(project.id, {
        triggers: [{ type: "reports", count: 1, minutes: 1, of: "group" }],
        repeatMinutes: 0,
      })
      yield* report(from, 2)
      yield* measure
      const rules = yield* AlertStore
      yield* rules.update(projectId, id, { ...content, enabled: false }, yield* DateTime.now)
      yield* advance("5 minutes")
      yield* measure
      expect(yield* summaries(project.id)).toEqual(["pending, 2 reports in 1 minute"])
      // Enabled again it begins anew.
      yield* rules.update(projectId, id, content, yield* DateTime.now)
      yield* report(from, 2)
      yield* measure
      expect(yield* summaries(project.id)).toHaveLength(2)
    }),
  ),
])
