import { type NewReport, type ReportId, ReportStore } from "@errata/core"
import { DateTime, Effect } from "effect"
import { expect } from "vitest"
import { type ContractSuite, contractCase } from "./ContractCase.js"
import * as Factory from "./Factory.js"
import * as Given from "./Given.js"
import { idOf, readPages } from "./internal/Paging.js"

const minutes = (count: number) => DateTime.add(Factory.noon, { minutes: count })

const insertOne = (report: NewReport) =>
  Effect.gen(function* () {
    const reports = yield* ReportStore
    const [id] = yield* reports.insert([report], Factory.noon)
    return id as ReportId
  })

const newGroup = Effect.flatMap(Given.project(), ({ id }) => Given.group(id))

export const reportListSuite: ContractSuite = {
  name: "ReportStore.list",
  cases: [
    contractCase(
      "lists the reports of a group newest first, page by page, whatever comes in meanwhile",
      Effect.gen(function* () {
        const reports = yield* ReportStore
        const group = yield* newGroup
        const other = yield* Given.group(group.projectId)
        const ids: Array<ReportId> = []
        // Recorded in an order that is not that of their occurrence.
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
      "narrows a list to a range of occurrence that excludes its bounds",
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
  ],
}
