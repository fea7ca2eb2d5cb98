/** Report counts by time, as the recorder writes them and users read them. */
import type { Group, GroupId, ProjectId } from "@errata/core"
import { type ActivityRange, ActivityStore, Storage, stepMinutes } from "@errata/core/ports"
import { DateTime, Effect } from "effect"
import { expect } from "vitest"
import { type ContractSuite, contractCase, onSecondNode } from "./ContractCase.js"
import * as Given from "./Given.js"
import { given, groupsOf, record } from "./internal/Pipeline.js"

const { day, hour } = stepMinutes

/** The minute in which the current hour began. */
const thisHour = Effect.flatMap(Storage, ({ now }) =>
  Effect.map(now, ({ epochMilliseconds }) => Math.floor(epochMilliseconds / 60_000 / hour) * hour),
)

const hoursFrom = (since: number, count: number): ActivityRange => ({
  since,
  until: since + count * hour,
  step: "hour",
})

const series = (projectId: ProjectId, ids: ReadonlyArray<GroupId> | null, range: ActivityRange) =>
  Effect.flatMap(ActivityStore, (store) => store.series(projectId, ids, range))

/** Report counts of one group, by step. */
const reportsOf = ({ id, projectId }: Group, range: ActivityRange) =>
  Effect.map(series(projectId, [id], range), ([one]) => one!.reports)

const at = (minute: number) => ({ occurredAt: minute * 60_000 })

const forget = Effect.fnUntraced(function* (minute: number) {
  const store = yield* ActivityStore
  const now = DateTime.makeUnsafe(minute * 60_000)
  while ((yield* store.forget(now, 3)) > 0) yield* Effect.yieldNow
})

/** A project with the groups `a` and `b`, whose reports start an hour ago. */
const twoGroups = Effect.gen(function* () {
  const from = (yield* thisHour) - hour
  const { project, send } = yield* given
  const group = (name: string, minute: number) => send({ group: name, message: name, ...at(from + minute) })
  yield* record(group("a", 0), group("a", 59), group("a", 60), group("b", 59))
  yield* record(group("a", 0))
  const groups = yield* groupsOf(project.id)
  const named = (name: string) => groups.find(({ errorMessage }) => errorMessage === name)!
  return { project, send: group, from, a: named("a"), b: named("b"), range: hoursFrom(from, 2) }
})

export const activityStoreSuite: ContractSuite = {
  name: "ActivityStore",
  cases: [
    contractCase(
      "counts the reports of groups and of their project by the hour in which they occurred",
      Effect.gen(function* () {
        const { a, b, from, project, range } = yield* twoGroups
        expect(yield* series(project.id, [b.id, a.id], range)).toEqual([
          { groupId: b.id, reports: [1, 0], newGroups: null },
          { groupId: a.id, reports: [3, 1], newGroups: null },
        ])
        expect(yield* series(project.id, null, range)).toEqual([
          { groupId: null, reports: [4, 1], newGroups: [2, 0] },
        ])
        expect(yield* reportsOf(a, hoursFrom(from - hour, 1))).toEqual([0])
        expect(yield* reportsOf(a, hoursFrom(from + hour, 1))).toEqual([1])
      }),
    ),

    contractCase(
      "counts reports by minute and by day",
      Effect.gen(function* () {
        const { a, from } = yield* twoGroups
        expect(yield* reportsOf(a, { since: from + 58, until: from + 61, step: "minute" })).toEqual([0, 1, 1])
        const today = Math.floor(from / day) * day
        const days = yield* reportsOf(a, { since: today - day, until: today + 2 * day, step: "day" })
        expect(days[0]).toBe(0)
        expect(days[1]! + days[2]!).toBe(4)
      }),
    ),

    contractCase(
      "counts each report once across nodes and batches",
      Effect.gen(function* () {
        const { a, project, range, send } = yield* twoGroups
        const again = send("a", 3)
        yield* record(again)
        yield* record(again, again)
        for (let i = 0; i < 20; i++) {
          yield* record(send("a", i))
          yield* onSecondNode(record(send("a", i)))
        }
        expect(yield* reportsOf(a, range)).toEqual([44, 1])
        expect(yield* onSecondNode(series(project.id, null, range))).toMatchObject([
          { reports: [45, 1], newGroups: [2, 0] },
        ])
      }),
    ),

    contractCase(
      "returns zeros for groups of other projects and unknown groups",
      Effect.gen(function* () {
        const { a, project, range } = yield* twoGroups
        const other = yield* Given.project()
        expect(yield* series(other.id, [a.id], range)).toEqual([
          { groupId: a.id, reports: [0, 0], newGroups: null },
        ])
        expect(yield* series(other.id, null, range)).toMatchObject([{ reports: [0, 0] }])
        const none = (a.id + 1_000_000) as GroupId
        expect(yield* series(project.id, [none], range)).toMatchObject([{ reports: [0, 0] }])
      }),
    ),

    contractCase(
      "counts reports of merged groups for their target until unmerged",
      Effect.gen(function* () {
        const { a, b, project, range, send } = yield* twoGroups
        yield* Given.merge(a, b)
        yield* record(send("b", 60))
        expect(yield* reportsOf(a, range)).toEqual([4, 2])
        expect(yield* series(project.id, null, range)).toMatchObject([{ reports: [4, 2] }])
        yield* Given.unmerge(a, b)
        expect(yield* reportsOf(a, range)).toEqual([3, 1])
        expect(yield* reportsOf(b, range)).toEqual([1, 1])
      }),
    ),

    contractCase(
      "lists groups with a minimum of reports in a range, the busiest first",
      Effect.gen(function* () {
        const store = yield* ActivityStore
        const { a, b, from, project, range, send } = yield* twoGroups
        yield* record(send("c", 0), send("c", 1), send("c", 60), send("c", 61))
        const groups = yield* groupsOf(project.id)
        const c = groups.find(({ errorMessage }) => errorMessage === "c")!
        const busiest = (atLeast: number, limit = 10, within = range) =>
          store.busiest(project.id, within, atLeast, limit)
        const count = ({ id: groupId }: Group, reports: number) => ({ groupId, reports })
        expect(yield* busiest(1)).toEqual([count(a, 4), count(c, 4), count(b, 1)])
        expect(yield* busiest(2)).toEqual([count(a, 4), count(c, 4)])
        expect(yield* busiest(1, 1)).toEqual([count(a, 4)])
        expect(yield* busiest(5)).toEqual([])
        const minutes: ActivityRange = { since: from + 59, until: from + 62, step: "minute" }
        expect(yield* busiest(1, 10, minutes)).toEqual([count(a, 2), count(c, 2), count(b, 1)])
        const equal = yield* busiest(1, 10, { ...minutes, until: from + 60 })
        expect(equal.toSorted((x, y) => x.reports - y.reports || (x.groupId === a.id ? -1 : 1))).toEqual([
          count(a, 1),
          count(b, 1),
        ])
        const today = Math.floor(from / day) * day
        const days: ActivityRange = { since: today, until: today + 2 * day, step: "day" }
        expect(yield* busiest(4, 10, days)).toEqual([count(a, 4), count(c, 4)])
        const other = yield* Given.project()
        expect(yield* store.busiest(other.id, range, 1, 10)).toEqual([])
        // More batches than a storage sums up at once, from another node.
        for (let i = 0; i < 20; i++) yield* record(send("b", 3))
        expect(
          yield* onSecondNode(
            Effect.flatMap(ActivityStore, (second) => second.busiest(project.id, range, 5, 10)),
          ),
        ).toEqual([count(b, 21)])
      }),
    ),

    contractCase(
      "counts reports of merged groups for their root in the busiest groups",
      Effect.gen(function* () {
        const store = yield* ActivityStore
        const { a, b, project, range, send } = yield* twoGroups
        const busiest = (atLeast: number) => store.busiest(project.id, range, atLeast, 10)
        yield* Given.merge(b, a)
        expect(yield* busiest(5)).toEqual([{ groupId: b.id, reports: 5 }])
        expect(yield* busiest(6)).toEqual([])
        yield* record(send("a", 60))
        expect(yield* busiest(1)).toEqual([{ groupId: b.id, reports: 6 }])
        yield* Given.unmerge(b, a)
        expect(yield* busiest(1)).toEqual([
          { groupId: a.id, reports: 5 },
          { groupId: b.id, reports: 1 },
        ])
      }),
    ),

    contractCase(
      "deletes minutes after two days, sums hours into days after ninety days, and deletes days after two years",
      Effect.gen(function* () {
        const { a, from, project, range, send } = yield* twoGroups
        // More batches than a storage sums up at once.
        for (let i = 0; i < 20; i++) yield* record(send("b", 0))
        const minutes: ActivityRange = { since: from, until: from + 61, step: "minute" }
        yield* forget(from + 2 * day)
        expect((yield* reportsOf(a, minutes)).filter((count) => count > 0)).toEqual([2, 1, 1])
        yield* forget(from + 4 * day)
        expect((yield* reportsOf(a, minutes)).slice(1, 60)).toEqual(Array(59).fill(0))
        expect(yield* reportsOf(a, range)).toEqual([3, 1])
        yield* forget(from + 92 * day)
        const today = Math.floor(from / day) * day
        const days: ActivityRange = { since: today, until: today + 2 * day, step: "day" }
        expect(sum(yield* reportsOf(a, days))).toBe(4)
        const [ofProject] = yield* series(project.id, null, days)
        expect(sum(ofProject!.reports)).toBe(25)
        expect(sum(ofProject!.newGroups!)).toBe(2)
        expect((yield* reportsOf(a, hoursFrom(today, 24))).slice(1)).toEqual(Array(23).fill(0))
        const store = yield* ActivityStore
        expect(yield* store.busiest(project.id, days, 1, 1)).toMatchObject([{ reports: 21 }])
        yield* forget(from + 734 * day)
        expect(yield* reportsOf(a, days)).toEqual([0, 0])
      }),
    ),
  ],
}

// internal

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((total, one) => total + one, 0)
