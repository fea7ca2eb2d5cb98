/** Filters on more groups than a storage scans one by one. Matches are many or few, new or old. */
import { type Group, GroupFilter, GroupSort, SearchQuery, Severity } from "@errata/core"
import { GroupStore, Storage } from "@errata/core/ports"
import { DateTime, Effect } from "effect"
import { expect } from "vitest"
import { type ContractSuite, contractCase } from "./ContractCase.js"
import * as Factory from "./Factory.js"
import * as Given from "./Given.js"
import { idOf, readPages } from "./internal/Paging.js"

const count = 120

const hours = (number: number) => DateTime.add(Factory.noon, { hours: number })

/** The current user. */
const me = 7

/** Describes group `i`. Groups occur once, an hour apart. Some recur up to the end, others have late reports. */
const describe = (i: number) => {
  const lastOccurredAt = i % 13 === 0 ? hours(count) : hours(i % 17 === 0 ? i - 50 : i)
  return {
    new: {
      // Ascending keys, for storages that create groups in the order of their keys.
      grouping: Factory.grouping({ key: String(i).padStart(64, "0") }),
      errorType: i === 30 ? "RareError" : ["TypeError", "RangeError"][i % 2]!,
      errorMessage: `${i < 40 ? "early" : "late"} failure of part ${i}${i % 50 === 5 ? " in the zeppelin" : ""}`,
      severity: i === 9 ? ("fatal" as const) : Severity.severities[1 + (i % 3)]!,
      occurredAt: lastOccurredAt,
    },
    fields: {
      lastOccurredAt,
      reportsCount: i === 20 ? 5_000 : i % 40 === 3 ? 100 + i : 1 + (i % 30),
      ...(i < 100 && i % 3 > 0 ? { resolution: { at: Factory.noon, by: null, inRelease: null } } : {}),
      ...(i % 60 === 45 ? { reopenedAt: Factory.noon } : {}),
      ...(i % 25 === 4 ? { mute: { at: Factory.noon, by: null, condition: { _tag: "Permanent" } } } : {}),
      ...(i % 25 === 6
        ? { mute: { at: Factory.noon, by: null, condition: { _tag: "Until", until: hours(i) } } }
        : {}),
      ...(i === 12 ? { assigneeId: me } : {}),
      ...(i === 15 || i === 115 ? { mergedIntoId: 1 } : {}),
    } as Partial<Group>,
    tags: [
      { key: "environment", value: i % 4 === 0 ? "staging" : "production" },
      { key: "region", value: i === 2 || i === 61 ? "moon" : "eu" },
      ...(i < 10 ? [{ key: "release", value: "1.0" }] : []),
    ],
  }
}

const queries = [
  "",
  "is:resolved",
  "is:unresolved",
  "is:muted",
  "is:unmuted",
  "is:reopened",
  "!is:reopened",
  "is:reopened is:unmuted environment:production",
  "is:fatal",
  "is:fatal,warning",
  "!is:error",
  "environment:production",
  "tags.region:moon",
  "tags.region:mars",
  "release:1.0 environment:staging",
  "error_type:RareError",
  "error_type:TypeError is:resolved",
  "assignee:me",
  "assignee:none is:resolved",
  "reports_count:5000",
  "reports_count:>100",
  "reports_count:<3",
  "reports_count:17",
  "early",
  "zeppelin",
  '"the zeppelin"',
  '"zeppelin the"',
  `since:${DateTime.formatIso(hours(110))}`,
  `since:${DateTime.formatIso(hours(30))}`,
  `since:${DateTime.formatIso(hours(500))}`,
  `until:${DateTime.formatIso(hours(500))}`,
  `until:${DateTime.formatIso(hours(60))}`,
  `until:${DateTime.formatIso(hours(4))}`,
  `until:${DateTime.formatIso(hours(-500))}`,
  `since:${DateTime.formatIso(hours(20))} until:${DateTime.formatIso(hours(22))}`,
  `until:${DateTime.formatIso(hours(80))} is:unresolved environment:staging`,
  "is:resolved is:unmuted environment:production reports_count:<20 failure",
]

export const groupSearchSuite: ContractSuite = {
  name: "GroupStore.list of many groups",
  cases: [
    contractCase(
      "finds matching groups, page by page",
      Effect.gen(function* () {
        const storage = yield* Storage
        const store = yield* GroupStore
        const project = yield* Given.project()
        const described = Array.from({ length: count }, (_, i) => describe(i))
        const locked = yield* storage.transaction(
          store.lockOrCreate(
            described.map((group) => Factory.newGroup(project.id, group.new)),
            Factory.noon,
          ),
        )
        const groups = locked.map(({ group }, i) => Given.changeGroup(group, described[i]!.fields))
        yield* store.save(groups)
        yield* store.addTagCounts(
          groups.flatMap(({ id: groupId }, i) =>
            described[i]!.tags.map((tag) => ({ projectId: project.id, groupId, ...tag, count: 1 })),
          ),
        )
        const now = hours(count)
        for (const query of queries) {
          const filter = GroupFilter.make(SearchQuery.parse(query), {}, me, now.epochMilliseconds)
          const matches = groups.filter((group, i) => {
            const hasTag = (key: string, value: string) =>
              described[i]!.tags.some((tag) => tag.key === key && tag.value === value)
            return (
              group.mergedIntoId === null &&
              GroupFilter.matchesGroup(filter, group, hasTag, now.epochMilliseconds)
            )
          })
          expect([query, yield* store.count(project.id, filter, count, now)]).toEqual([query, matches.length])
          const place = GroupSort.placeOf
          for (const sort of GroupSort.groupSorts) {
            const expected = matches.toSorted((a, b) => place(sort, b) - place(sort, a)).map(idOf)
            // Pages are costly in other orders, so only the first ones are read.
            const limit = sort === "newest" ? 2 : 40
            const pages = yield* readPages(limit, (page) =>
              store.list(project.id, filter, { ...page, sort }, now),
            )
            expect({ query, sort, found: pages.flat().map(idOf) }).toEqual({ query, sort, found: expected })
          }
        }
      }),
    ),
  ],
}
