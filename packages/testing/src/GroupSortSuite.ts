/** Lists of groups, sorted by their last report or their number of reports. */
import {
  type Group,
  GroupFilter,
  GroupSort,
  type ListedGroup,
  type ProjectId,
  SearchQuery,
} from "@errata/core"
import { GroupStore } from "@errata/core/ports"
import { DateTime, Effect } from "effect"
import { expect } from "vitest"
import { type ContractSuite, contractCase } from "./ContractCase.js"
import * as Factory from "./Factory.js"
import * as Given from "./Given.js"
import { idOf, readPages } from "./internal/Paging.js"

/** Ids in this order, read in pages of a size. */
const listed = (projectId: ProjectId, sort: GroupSort.GroupSort, limit: number, query = "") =>
  Effect.gen(function* () {
    const groups = yield* GroupStore
    const filter = GroupFilter.make(SearchQuery.parse(query), {}, 0, Factory.noon.epochMilliseconds)
    const pages = yield* readPages(limit, (page) =>
      groups.list(projectId, filter, { ...page, sort }, Factory.noon),
    )
    for (const page of pages.slice(0, -1)) expect(page).toHaveLength(limit)
    return pages.flat().map(idOf)
  })

const given = Effect.fnUntraced(function* (described: ReadonlyArray<Partial<Group>>) {
  const project = yield* Given.project()
  yield* Given.group((yield* Given.project()).id)
  const groups = yield* Effect.forEach(described, (fields) => Given.group(project.id, {}, () => fields))
  return { projectId: project.id, groups }
})

const inOrder = (sort: GroupSort.GroupSort, groups: ReadonlyArray<ListedGroup>) =>
  groups.toSorted((a, b) => GroupSort.placeOf(sort, b) - GroupSort.placeOf(sort, a)).map(idOf)

const seen = (time: string): Partial<Group> => ({ lastOccurredAt: DateTime.makeUnsafe(time) })

const addTag = (group: ListedGroup) =>
  Effect.flatMap(GroupStore, (groups) =>
    groups.addTagCounts([
      { projectId: group.projectId, groupId: group.id, key: "region", value: "eu", count: 1 },
    ]),
  )

export const groupSortSuite: ContractSuite = {
  name: "GroupStore.list, sorted",
  cases: [
    contractCase(
      "sorts by the hour of the last report, and newer groups first within an hour",
      Effect.gen(function* () {
        const { groups, projectId } = yield* given([
          seen("2025-06-15T10:59:59.999Z"),
          seen("2025-06-15T11:30:00Z"),
          seen("2025-06-15T11:00:00Z"),
          seen("2025-06-15T09:00:00Z"),
          seen("1985-01-01T00:00:00Z"),
          seen("9999-12-31T23:59:59.999Z"),
          seen("1999-01-01T00:00:00Z"),
          seen("2119-08-15T15:00:00Z"),
          seen("2119-08-15T14:59:59Z"),
          seen("2000-01-01T00:59:00Z"),
        ])
        const expected = [7, 5, 8, 2, 1, 0, 3, 9, 6, 4].map((place) => groups[place]!.id)
        expect(inOrder("last_seen", groups)).toEqual(expected)
        for (const limit of [1, 3, 100])
          expect(yield* listed(projectId, "last_seen", limit)).toEqual(expected)
        const within = (query: string) => listed(projectId, "last_seen", 1, query)
        expect(yield* within("since:2200-01-01T00:00:00Z")).toEqual([groups[5]!.id])
        expect(yield* within("until:1990-01-01T00:00:00Z")).toEqual([groups[4]!.id])
        expect(yield* within("since:2025-06-15T10:59:59.999Z until:2025-06-15T11:00:00Z")).toEqual([
          groups[2]!.id,
          groups[0]!.id,
        ])
      }),
    ),

    contractCase(
      "sorts by the magnitude of the number of reports or users, and newer groups first within one",
      Effect.gen(function* () {
        const counts = [1, 2, 4, 5, 9, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000]
        const more = [100_000, 200_000, 500_000, 1_000_000, 10_000_000, 100_000_000, 4_000_000_000]
        const each = [...counts, ...more].flatMap((count) => [count, count === 1 ? 1 : count - 1])
        const { groups, projectId } = yield* given(each.map((reportsCount) => ({ reportsCount })))
        const expected = inOrder("reports_count", groups)
        for (const limit of [5, 100]) {
          expect(yield* listed(projectId, "reports_count", limit)).toEqual(expected)
        }
        const few = groups.filter(({ reportsCount }) => reportsCount < 6)
        expect(yield* listed(projectId, "reports_count", 2, "reports_count:<6")).toEqual(
          inOrder("reports_count", few),
        )
        const byUsers = yield* given([3, 0, 20, 4, 2, 1_000].map((usersCount) => ({ usersCount })))
        for (const [query, matches] of [
          ["", byUsers.groups],
          ["users_count:>2", byUsers.groups.filter(({ usersCount }) => usersCount > 2)],
        ] as const) {
          expect(yield* listed(byUsers.projectId, "users_count", 2, query)).toEqual(
            inOrder("users_count", matches),
          )
        }
        const one = groups.filter(({ reportsCount }) => reportsCount === 5)
        expect(yield* listed(projectId, "reports_count", 1, "reports_count:5")).toEqual(
          inOrder("reports_count", one),
        )
      }),
    ),

    contractCase(
      "fills pages of a filtered list, including groups that match through merged ones",
      Effect.gen(function* () {
        const hours = (count: number) => ({ lastOccurredAt: DateTime.add(Factory.noon, { hours: count }) })
        // More groups than are checked first for a page of two.
        const { groups, projectId } = yield* given(Array.from({ length: 80 }, (_, i) => hours((i * 7) % 80)))
        const member = yield* Given.group(projectId, { errorMessage: "unheard of" })
        yield* addTag(member)
        const root = groups.find(({ lastOccurredAt }) =>
          DateTime.Equivalence(lastOccurredAt, hours(3).lastOccurredAt),
        )!
        yield* Given.merge(root, member)
        const own = groups.filter((_, i) => i % 20 === 0)
        for (const group of own) yield* addTag(group)
        const expected = inOrder("last_seen", [...own, root])
        for (const limit of [1, 2, 100]) {
          expect(yield* listed(projectId, "last_seen", limit, "tags.region:eu")).toEqual(expected)
        }
        expect(yield* listed(projectId, "last_seen", 2, "unheard of")).toEqual([root.id])
        expect(yield* listed(projectId, "last_seen", 2, "unheard tags.region:eu")).toEqual([root.id])
        expect(yield* listed(projectId, "last_seen", 2, "tags.region:us")).toEqual([])
        expect(yield* listed(projectId, "newest", 100, "")).toHaveLength(80)
        yield* Given.unmerge(root, member)
        expect(yield* listed(projectId, "last_seen", 2, "unheard of")).toEqual([member.id])
      }),
    ),

    contractCase(
      "is empty if conditions contradict each other",
      Effect.gen(function* () {
        const { projectId } = yield* given([{}])
        const groups = yield* GroupStore
        const page = { limit: 10, cursor: null, sort: "last_seen" } as const
        const contradiction = { ...GroupFilter.all, severities: [] }
        expect(yield* groups.list(projectId, contradiction, page, Factory.noon)).toEqual({
          items: [],
          nextCursor: null,
        })
      }),
    ),
  ],
}
