/** Group lists read few rows, regardless of the planner's statistics. */
import { describe, expect, it } from "@effect/vitest"
import { GroupFilter, type GroupSort, type ProjectId, SearchQuery } from "@errata/core"
import { GroupStore } from "@errata/core/ports"
import { Factory, Given } from "@errata/testing"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as Node from "./support/node.js"
import { explain } from "./support/plans.js"

const count = 100_000

/**
 * Fills a project with groups. The first one occurred last. The planner has no statistics, or those of one group. The
 * older half is resolved, one in a thousand is fatal, and one in ten thousand has the rare tag.
 */
const filled = (analyzed: boolean) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { id } = yield* Given.project()
    const { id: other } = yield* Given.project()
    const noon = DateTime.toDate(Factory.noon)
    const insert = (projectId: ProjectId, from: number, to: number) =>
      Effect.andThen(
        sql`
          INSERT INTO errata.groups (id, project_id, grouping_algorithm, grouping_key, error_type, error_message, culprit,
            search, severity, first_occurred_at, last_occurred_at, reports_count, resolved_at, created_at, updated_at)
          OVERRIDING SYSTEM VALUE
          SELECT i, ${projectId}, 'v2', i::text, 'E' || i % 50, 'boom', '', ('boom:1 v' || i % 20000 || 'q:2')::tsvector,
            CASE WHEN i % 1000 = 0 THEN 4 ELSE 3 END, ${noon}, ${noon}::timestamptz - INTERVAL '1 minute' * i,
            CASE WHEN i > ${count} - 3 THEN 1000000 ELSE 1 + i % 90 END,
            CASE WHEN i > ${count} / 2 THEN ${noon}::timestamptz END, ${noon}, ${noon}
          FROM generate_series(${from}::bigint, ${to}) AS i`,
        sql`
          INSERT INTO errata.group_tags (project_id, group_id, tag, key, value, count)
          SELECT ${projectId}, i, errata.tag_hash('k', value), 'k', value, 1
          FROM generate_series(${from}::bigint, ${to}) AS i
          CROSS JOIN LATERAL unnest(CASE WHEN i % 10000 = 0 THEN ARRAY['all', 'rare'] ELSE ARRAY['all'] END) AS value`,
      )
    for (const table of ["groups", "group_tags"]) {
      yield* sql.unsafe(`ALTER TABLE errata.${table} SET (autovacuum_enabled = off)`)
    }
    if (analyzed) {
      yield* insert(other, 1, 1)
      yield* sql.unsafe("ANALYZE errata.groups; ANALYZE errata.group_tags")
    }
    for (let from = 2; from <= count; from += 5_000) {
      yield* insert(id, from, Math.min(count, from + 4_999))
    }
    return id
  })

const until = (minutesAgo: number) =>
  `until:${DateTime.formatIso(DateTime.subtract(Factory.noon, { minutes: minutesAgo }))}`

/** Number of matches by search expression, at most 1,001. */
const queries: Readonly<Record<string, number>> = {
  "": 1_001,
  "is:unresolved": 1_001,
  "is:resolved": 1_001,
  "is:reopened": 0,
  "!is:reopened": 1_001,
  "is:muted": 0,
  "is:unmuted": 1_001,
  "severity:fatal": 100,
  "severity:fatal is:resolved": 50,
  "error_type:E7": 1_001,
  "error_type:none": 0,
  "assignee:none": 1_001,
  "assignee:5": 0,
  "reports_count:>1000": 3,
  "reports_count:>50": 1_001,
  "since:1h": 59,
  [until(90_000)]: 1_001,
  [`${until(90_000)} severity:fatal`]: 11,
  "tags.k:all": 1_001,
  "tags.k:rare": 10,
  "tags.k:rare tags.k2:none": 0,
  "tags.k:none": 0,
  boom: 1_001,
  v77q: 5,
  "boom v77q is:resolved": 2,
  nowhere: 0,
}

/** Orders without a match in their first half. */
const lateMatches = new Set([
  "last_seen is:resolved",
  "reports_count is:unresolved",
  "users_count is:unresolved",
])

/** The candidates of one condition, or the second part of the ordered groups. */
const allowed = 4_000
const allowedOfText = 4 * count

/** For texts, the planner needs to know their frequency. */
const isText = (query: string) => SearchQuery.parse(query).text.length > 0

const filterOf = (query: string) =>
  GroupFilter.make(SearchQuery.parse(query), {}, 0, Factory.noon.epochMilliseconds)

/** The most rows that one statement has read of a table. */
const mostRead = (statements: ReadonlyArray<{ readonly read: ReadonlyMap<string, number> }>, table: string) =>
  Math.max(0, ...statements.map(({ read }) => read.get(table) ?? 0))

describe("a list of 100,000 groups reads few of them, of tables that were", () => {
  for (const [state, analyzed] of [
    ["never analyzed", false],
    ["analyzed when they had one row", true],
  ] as const) {
    it.live(
      state,
      () =>
        Effect.gen(function* () {
          const projectId = yield* filled(analyzed)
          const groups = yield* GroupStore
          const list = (query: string, sort: GroupSort.GroupSort, cursor: number | null) =>
            explain(groups.list(projectId, filterOf(query), { limit: 25, cursor, sort }, Factory.noon))
          const seen: Array<
            readonly [kind: string, query: string, groups: number, tags: number, allowed: number]
          > = []
          for (const [query, matches] of Object.entries(queries)) {
            for (const sort of ["last_seen", "reports_count", "users_count"] as const) {
              const first = yield* list(query, sort, null)
              expect([query, first.result.items.length]).toEqual([query, Math.min(matches, 25)])
              const most = isText(query)
                ? allowedOfText
                : lateMatches.has(`${sort} ${query}`)
                  ? count
                  : allowed
              seen.push([
                sort,
                query,
                mostRead(first.statements, "groups"),
                mostRead(first.statements, "group_tags"),
                most,
              ])
            }
            const counted = yield* explain(groups.count(projectId, filterOf(query), 1_001, Factory.noon))
            expect([query, counted.result]).toEqual([query, matches])
            seen.push([
              "count",
              query,
              mostRead(counted.statements, "groups"),
              mostRead(counted.statements, "group_tags"),
              isText(query) ? allowedOfText : allowed,
            ])
          }
          expect(seen.filter(([, , groups, tags, most]) => Math.max(groups, tags) > most)).toEqual([])
        }).pipe(Effect.provide(Node.layer())),
      600_000,
    )
  }
})
