import type { ReportId } from "@errata/core"
import { type NewReport, ProjectStore, ReportStore } from "@errata/core/ports"
import { DateTime, Effect } from "effect"
import { expect } from "vitest"
import { type ContractSuite, contractCase } from "./ContractCase.js"
import * as Factory from "./Factory.js"
import * as Given from "./Given.js"
import { idOf, readPages } from "./internal/Paging.js"

const minutes = (count: number) => DateTime.add(Factory.noon, { minutes: count })

const insertOne = Effect.fnUntraced(function* (report: NewReport) {
  const reports = yield* ReportStore
  const [id] = yield* reports.insert([report], Factory.noon)
  return id as ReportId
})

const newGroup = Effect.flatMap(Given.project(), ({ id }) => Given.group(id))

export const reportListSuite: ContractSuite = {
  name: "ReportStore.list",
  cases: [
    contractCase(
      "lists the reports of a group newest first, page by page, during inserts",
      Effect.gen(function* () {
        const reports = yield* ReportStore
        const group = yield* newGroup
        const other = yield* Given.group(group.projectId)
        const ids: Array<ReportId> = []
        // Recorded in another order than that of their occurrence.
        for (const minute of [3, 1, 5, 2, 4]) {
          ids.push(
            yield* insertOne(Factory.newReport(group, { occurredAt: minutes(minute).epochMilliseconds })),
          )
          yield* insertOne(Factory.newReport(other))
        }
        const pages = yield* readPages(
          2,
          (page) => reports.list(group.projectId, group.id, { since: null, until: null }, page),
          insertOne(Factory.newReport(group)),
        )
        const [a, b, c, d, e] = ids
        expect(pages.map((page) => page.map(idOf))).toEqual([[e, d], [c, b], [a]])
        const foreign = yield* Given.project()
        const none = yield* reports.list(
          foreign.id,
          group.id,
          { since: null, until: null },
          { limit: 10, cursor: null },
        )
        expect(none).toEqual({ items: [], nextCursor: null })
      }),
    ),

    contractCase(
      "filters a list by occurrence, without the bounds",
      Effect.gen(function* () {
        const reports = yield* ReportStore
        const group = yield* newGroup
        const ids: Array<ReportId> = []
        for (const minute of [0, 1, 2, 3]) {
          ids.push(
            yield* insertOne(Factory.newReport(group, { occurredAt: minutes(minute).epochMilliseconds })),
          )
        }
        const list = (since: number | null, until: number | null) =>
          Effect.map(
            readPages(1, (page) =>
              reports.list(
                group.projectId,
                group.id,
                {
                  since: since === null ? null : minutes(since),
                  until: until === null ? null : minutes(until),
                },
                page,
              ),
            ),
            (pages) => pages.flat().map(({ id }) => ids.indexOf(id)),
          )
        expect(yield* list(0, 3)).toEqual([2, 1])
        expect(yield* list(1, null)).toEqual([3, 2])
        expect(yield* list(null, 1)).toEqual([0])
        expect(yield* list(3, 3)).toEqual([])
      }),
    ),

    contractCase(
      "returns the neighbors of a report, including those of merged groups",
      Effect.gen(function* () {
        const reports = yield* ReportStore
        const group = yield* newGroup
        const source = yield* Given.group(group.projectId)
        const around = (id: number) => reports.navigate(group.projectId, group.id, id as ReportId)
        const nothing = { firstId: null, previousId: null, nextId: null, lastId: null }
        expect(yield* around(1)).toEqual(nothing)
        const a = yield* insertOne(Factory.newReport(group))
        const b = yield* insertOne(Factory.newReport(source))
        const c = yield* insertOne(Factory.newReport(group))
        const alone = { firstId: a, lastId: c }
        expect(yield* around(a)).toEqual({ ...alone, previousId: null, nextId: c })
        expect(yield* around(c)).toEqual({ ...alone, previousId: a, nextId: null })
        yield* Given.merge(group, source)
        expect(yield* around(a)).toEqual({ ...alone, previousId: null, nextId: b })
        expect(yield* around(b)).toEqual({ ...alone, previousId: a, nextId: c })
        expect(yield* reports.navigate(group.projectId, source.id, b)).toEqual(nothing)
        const foreign = yield* Given.project()
        expect(yield* reports.navigate(foreign.id, group.id, b)).toEqual(nothing)
      }),
    ),

    contractCase(
      "returns the projects with a report of an event, latest report first",
      Effect.gen(function* () {
        const reports = yield* ReportStore
        const projects = yield* ProjectStore
        const eventId = Factory.eventId()
        const groups = [yield* newGroup, yield* newGroup, yield* newGroup]
        for (const group of groups) yield* insertOne(Factory.newReport(group, { eventId }))
        const [a, b, c] = groups.map(({ projectId }) => projectId)
        const empty = yield* Given.project()
        expect(yield* reports.projectsOfEvent(eventId, null)).toEqual([c, b, a])
        expect(yield* reports.projectsOfEvent(eventId, [a!, c!, empty.id, 999_999_999])).toEqual([c, a])
        expect(yield* reports.projectsOfEvent(eventId, [])).toEqual([])
        expect(yield* reports.projectsOfEvent(Factory.eventId(), null)).toEqual([])
        yield* projects.remove(c!, Factory.noon)
        expect(yield* reports.projectsOfEvent(eventId, null)).toEqual([b, a])
      }),
    ),
  ],
}
