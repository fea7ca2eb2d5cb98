import { SqlClient } from "@effect/sql"
import { describe, expect, it } from "@effect/vitest"
import {
  type Group,
  GroupFilter,
  type GroupId,
  GroupStore,
  type ListedGroup,
  type Page,
  type ProjectId,
  type Tag,
} from "@errata/core"
import { Factory, Given } from "@errata/testing"
import { Effect } from "effect"
import { conditions } from "../src/internal/GroupFilterSql.js"
import * as Node from "./support/node.js"

/** Read by pages of a size. */
const listed = (projectId: ProjectId, wanted: GroupFilter.GroupFilter["tags"], limit: number) =>
  Effect.gen(function* () {
    const groups = yield* GroupStore
    const filter: GroupFilter.GroupFilter = { ...GroupFilter.all, tags: wanted }
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

const tags = (count: number) => Array.from({ length: count }, (_, i) => ({ key: `k${i}`, value: "v" }))

describe("lists of groups by many tags", () => {
  it.scopedLive("have those that have all of them, new and old", () =>
    Effect.gen(function* () {
      const groups = yield* GroupStore
      const project = yield* Given.project()
      const matching: Array<GroupId> = []
      // More than are looked at one by one for a page of one.
      for (let i = 0; i < 45; i++) {
        const group = yield* Given.group(project.id)
        const matches = i === 0 || i === 3 || i === 43
        if (matches) matching.unshift(group.id)
        const has = matches ? tags(110) : tags(110).filter((_, tag) => tag !== i)
        yield* groups.addTagCounts(
          has.map((tag) => ({ ...tag, projectId: project.id, groupId: group.id, count: i + 1 })),
        )
      }
      // One of another project that would match.
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

  it.scopedLive("ask the planner for no more than for a few", () =>
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

describe("lists of groups by tags of what they stand for", () => {
  /** As many groups as a tag is frequent with, or one fewer; what they are does not matter. */
  const others = (projectId: ProjectId, tag: Tag, count: number) =>
    Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => sql`
        INSERT INTO errata.group_tags (project_id, group_id, tag, key, value, count)
        SELECT ${projectId}, 1000000 + i, errata.tag_hash(${tag.key}, ${tag.value}), ${tag.key}, ${tag.value}, 1
        FROM generate_series(1, ${count}) AS i`,
    )

  it.scopedLive("have them in their place, whether the tags are rare or frequent", () =>
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
