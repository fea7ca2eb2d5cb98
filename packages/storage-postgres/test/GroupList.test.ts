import { describe, expect, it } from "@effect/vitest"
import {
  type Group,
  GroupFilter,
  type GroupId,
  type ListedGroup,
  type Page,
  type ProjectId,
  SearchQuery,
} from "@errata/core"
import { TextIndex } from "@errata/core/internal"
import { GroupStore, type Tag } from "@errata/core/ports"
import { Factory, Given } from "@errata/testing"
import { DateTime, Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { conditions } from "../src/internal/GroupFilterSql.js"
import * as Node from "./support/node.js"
import { explain } from "./support/plans.js"

/** Ids of the groups with all of some tags, read in pages of `limit`. */
const listed = (projectId: ProjectId, tags: GroupFilter.GroupFilter["tags"], limit: number) =>
  matching(projectId, { ...GroupFilter.all, tags }, limit)

const matching = (projectId: ProjectId, filter: GroupFilter.GroupFilter, limit: number) =>
  Effect.gen(function* () {
    const groups = yield* GroupStore
    const ids: Array<GroupId> = []
    let cursor: number | null = null
    do {
      const page: Page.Page<ListedGroup> = yield* groups.list(
        projectId,
        filter,
        { limit, cursor },
        Factory.noon,
      )
      ids.push(...page.items.map((group) => group.id))
      cursor = page.nextCursor
    } while (cursor !== null)
    return ids
  })

/** Inserts minimal groups; expressions may use `i`, which counts from 1. Returns the id of the first. */
const made = (
  projectId: ProjectId,
  count: number,
  { hoursAgo = "0", reports = "1", message = "'boom'" }: Partial<Record<string, string>>,
) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ id: number }>`
      INSERT INTO errata.groups (project_id, grouping_algorithm, grouping_key, error_type, error_message, culprit,
        search, severity, first_occurred_at, last_occurred_at, reports_count, created_at, updated_at)
      SELECT ${projectId}, 'v2', gen_random_uuid()::text, 'Error', message, '', to_tsvector('simple', message), 3,
        occurred_at, occurred_at, reports_count, now(), now()
      FROM generate_series(1, ${count}) AS i
      CROSS JOIN LATERAL (
        SELECT ${DateTime.toDate(Factory.noon)}::timestamptz - INTERVAL '1 hour' * (${sql.literal(hoursAgo)}) AS occurred_at,
          ${sql.literal(reports)} AS reports_count, ${sql.literal(message)} AS message
      ) AS made
      ORDER BY i RETURNING id`
    yield* sql`ANALYZE errata.groups`
    return rows[0]!.id as GroupId
  })

const tags = (count: number) => Array.from({ length: count }, (_, i) => ({ key: `k${i}`, value: "v" }))

describe("lists of groups by many tags", () => {
  it.live("find new and old groups that have all of the tags", () =>
    Effect.gen(function* () {
      const groups = yield* GroupStore
      const project = yield* Given.project()
      const matching: Array<GroupId> = []
      // More than are checked one by one for a page of one.
      for (let i = 0; i < 45; i++) {
        const group = yield* Given.group(project.id)
        const matches = i === 0 || i === 3 || i === 43
        if (matches) matching.unshift(group.id)
        const has = matches ? tags(110) : tags(110).filter((_, tag) => tag !== i)
        yield* groups.addTagCounts(
          has.map((tag) => ({ ...tag, projectId: project.id, groupId: group.id, count: i + 1 })),
        )
      }
      // A matching group of another project.
      const other = yield* Given.project()
      const stranger = yield* Given.group(other.id)
      yield* groups.addTagCounts(
        tags(110).map((tag) => ({ ...tag, projectId: other.id, groupId: stranger.id, count: 1 })),
      )
      const list = (wanted: GroupFilter.GroupFilter["tags"]) => listed(project.id, wanted, 1)
      expect(yield* list(tags(110))).toEqual(matching)
      expect(yield* list([...tags(45), ...tags(45)])).toEqual(matching)
      expect(yield* list([...tags(110), { key: "k0", value: "other" }])).toEqual([])
      expect(yield* list(tags(4))).toHaveLength(43)
      expect(yield* list(tags(3))).toHaveLength(43)
    }).pipe(Effect.provide(Node.layer())),
  )

  it.live("use the same statement for 4 tags and for 100", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const project = yield* Given.project()
      for (const across of [project.id, null]) {
        const all = (count: number) =>
          conditions(sql, { ...GroupFilter.all, tags: tags(count) }, Factory.noon, across)
        const text = (count: number) => sql`SELECT ${sql.and(all(count))}`.compile()[0]
        expect(all(3)).toHaveLength(3)
        expect(all(4)).toHaveLength(1)
        expect(text(100)).toBe(text(4))
      }
    }).pipe(Effect.provide(Node.layer())),
  )
})

describe("lists of groups by tags of groups merged into them", () => {
  /** Adds the tag to so many other groups, to make it frequent or keep it just below. */
  const others = (projectId: ProjectId, tag: Tag, count: number) =>
    Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => sql`
        INSERT INTO errata.group_tags (project_id, group_id, tag, key, value, count)
        SELECT ${projectId}, 1000000 + i, errata.tag_hash(${tag.key}, ${tag.value}), ${tag.key}, ${tag.value}, 1
        FROM generate_series(1, ${count}) AS i`,
    )

  it.live("sort them correctly for rare and frequent tags", () =>
    Effect.gen(function* () {
      const groups = yield* GroupStore
      const rare = { key: "user", value: "u1" }
      const frequent = { key: "os", value: "linux" }
      for (const count of [0, 997, 1_500]) {
        const project = yield* Given.project()
        const give = (group: Group, ...tags: ReadonlyArray<Tag>) =>
          groups.addTagCounts(
            tags.map((tag) => ({ ...tag, projectId: project.id, groupId: group.id, count: 1 })),
          )
        const made = yield* Effect.forEach(Array.from({ length: 8 }), () => Given.group(project.id))
        const [own, root, member, half, otherHalf, other, last, lastMember] = made
        yield* give(own!, rare, frequent)
        yield* give(member!, rare, frequent)
        yield* give(half!, rare)
        yield* give(otherHalf!, frequent)
        yield* give(other!, { key: "os", value: "plan9" })
        yield* give(lastMember!, frequent)
        yield* Given.merge(root!, member!)
        yield* Given.merge(half!, otherHalf!)
        yield* Given.merge(last!, lastMember!)
        yield* others(project.id, frequent, count)
        const list = (limit: number, ...tags: ReadonlyArray<Tag>) => listed(project.id, tags, limit)
        for (const limit of [1, 2, 10]) {
          expect(yield* list(limit, rare, frequent)).toEqual([half!.id, root!.id, own!.id])
          expect(yield* list(limit, frequent)).toEqual([last!.id, half!.id, root!.id, own!.id])
          expect(yield* list(limit, rare)).toEqual([half!.id, root!.id, own!.id])
          expect(yield* list(limit, frequent, { key: "os", value: "plan9" })).toEqual([])
        }
      }
    }).pipe(Effect.provide(Node.layer())),
  )
})

describe("lists of groups by text", () => {
  it.live("read few groups if symbols are rare", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const project = yield* Given.project()
      const first = yield* made(project.id, 5_000, { message: "'boom ' || i" })
      yield* sql`
        UPDATE errata.groups SET search = ${TextIndex.toTsVector(TextIndex.documentOf("", "100%%%", ""))}::tsvector
        WHERE id = ${first}`
      for (const query of ["%%%", '"%%"', "🦆"]) {
        const { text } = SearchQuery.parse(query)
        const { result, statements } = yield* explain(matching(project.id, { ...GroupFilter.all, text }, 1))
        expect([query, result]).toEqual([query, query === "🦆" ? [] : [first]])
        for (const { rows } of statements) expect(rows.get("groups") ?? 0).toBeLessThan(100)
      }
    }).pipe(Effect.provide(Node.layer())),
  )
})

describe("lists of groups until a time", () => {
  const hoursAgo = (hours: number) => Factory.noon.epochMilliseconds - hours * 3_600_000

  it.live("find newer groups that match because their reports arrived late", () =>
    Effect.gen(function* () {
      const project = yield* Given.project()
      // The oldest, and two that are newer than all groups that occurred at their time.
      const old = yield* made(project.id, 1, { hoursAgo: "30", reports: "7" })
      const some = yield* made(project.id, 400, { hoursAgo: "2" })
      yield* made(project.id, 300, {})
      const late = yield* made(project.id, 2, { hoursAgo: "9", reports: "7" })
      yield* made(project.id, 5, {})
      const until: GroupFilter.GroupFilter = { ...GroupFilter.all, lastOccurredTo: hoursAgo(1) }
      const rare: GroupFilter.GroupFilter = { ...until, reportsCount: { op: "=", value: 7 } }
      for (const limit of [1, 2, 50]) {
        const all = yield* matching(project.id, until, limit)
        expect(all.slice(0, 3)).toEqual([late + 1, late, some + 399])
        expect(all).toHaveLength(403)
        expect(yield* matching(project.id, rare, limit)).toEqual([late + 1, late, old])
      }
    }).pipe(Effect.provide(Node.layer())),
  )

  it.live("include matches of a frequent word beside rare ones, with merged groups", () =>
    Effect.gen(function* () {
      const store = yield* GroupStore
      const project = yield* Given.project()
      // Every second of 14,000 has the word; ten of the first hundred also have many reports.
      const message = "CASE i % 2 WHEN 0 THEN 'connection lost' ELSE 'boom' END"
      const first = yield* made(project.id, 14_000, {
        message,
        reports: "CASE WHEN i <= 100 AND i % 10 < 2 THEN 50 ELSE 1 END",
        hoursAgo: "2",
      })
      const tag = { key: "os", value: "linux" }
      const give = (...ids: ReadonlyArray<number>) =>
        store.addTagCounts(
          ids.map((id) => ({ ...tag, projectId: project.id, groupId: id as GroupId, count: 1 })),
        )
      const matches = [99, 89, 79, 69, 59, 49, 39, 29, 19, 9].map((i) => first + i)
      const [stands, ...have] = matches
      yield* give(...have, first)
      const groups = yield* store.find(project.id, stands as GroupId)
      const member = yield* Given.group(project.id, { occurredAt: DateTime.makeUnsafe(hoursAgo(2)) })
      yield* give(member.id)
      yield* Given.merge(Option.getOrThrow(groups), member)
      const filter: GroupFilter.GroupFilter = {
        ...GroupFilter.all,
        text: [{ words: ["connection"], phrase: true }],
        reportsCount: { op: ">", value: 20 },
        lastOccurredTo: hoursAgo(1),
      }
      for (const limit of [3, 50]) {
        expect(yield* matching(project.id, filter, limit)).toEqual(matches)
        expect(yield* matching(project.id, { ...filter, tags: [tag] }, limit)).toEqual(matches)
      }
    }).pipe(Effect.provide(Node.layer())),
  )
})
