import { describe, expect, it } from "@effect/vitest"
import { type Group, GroupFilter } from "@errata/core"
import { GroupStore, ProjectStore, Storage, type TagCount } from "@errata/core/ports"
import { Factory, Given } from "@errata/testing"
import { Effect, Exit, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as PostgresClient from "../src/PostgresClient.js"
import * as PostgresStorage from "../src/PostgresStorage.js"
import { freshDatabase } from "./support/database.js"

const node = Layer.unwrap(
  Effect.map(freshDatabase, (url) =>
    Layer.provideMerge(PostgresStorage.layer({ url }), PostgresClient.layer({ url })),
  ),
)

/** The counts in rows, without pending ones. */
const rows = (group: Group) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ key: string; value: string; count: number }>`
      SELECT key, value, count FROM errata.group_tags WHERE group_id = ${group.id} ORDER BY key, value`,
  )

const count = (group: Group, value: string, count = 1): TagCount => ({
  projectId: group.projectId,
  groupId: group.id,
  key: "region",
  value,
  count,
})

/** Adds counts like a recorder: one transaction per batch. */
const batch = Effect.fnUntraced(function* (...counts: ReadonlyArray<TagCount>) {
  const { transaction } = yield* Storage
  const { addTagCounts } = yield* GroupStore
  yield* transaction(addTagCounts(counts))
})

const find = Effect.fnUntraced(function* (group: Group, value: string) {
  const groups = yield* GroupStore
  const filter = { ...GroupFilter.all, tags: [{ key: "region", value }] }
  const page = yield* groups.list(group.projectId, filter, { limit: 10, cursor: null }, Factory.noon)
  return page.items.map(({ id }) => id)
})

/** More batches than are pending before they are added up. */
const manyBatches = 40

describe("counts of tag values", () => {
  it.live("are all written to rows after some batches", () =>
    Effect.gen(function* () {
      const project = yield* Given.project()
      const [a, b] = [yield* Given.group(project.id), yield* Given.group(project.id)]
      let sent = 0
      let counted = 0
      let caughtUp = 0
      for (let i = 0; i < manyBatches; i++) {
        yield* batch(count(a, `only-${i}`), count(a, "eu", 2), count(b, "eu", 3), count(b, '"\\ü'))
        sent += 2
        expect(yield* find(a, `only-${i}`)).toEqual([a.id])
        counted = (yield* rows(a)).find(({ value }) => value === "eu")?.count ?? 0
        expect(counted).toBeLessThanOrEqual(sent)
        if (counted === sent) caughtUp = i
      }
      // Neither after every batch nor only at the beginning.
      expect(caughtUp).toBeGreaterThan(2)
      expect(counted).toBeGreaterThan(sent / 2)
      expect(yield* rows(a)).toHaveLength(manyBatches + 1)
      // Later batches trigger adding up the pending counts.
      for (let i = 0; i < 16; i++) yield* batch(count(a, "eu", 0))
      const counts = (group: Group) =>
        Effect.map(rows(group), (all) => new Map(all.map(({ value, count }) => [value, count])))
      expect((yield* counts(a)).get("eu")).toBe(manyBatches * 2)
      expect((yield* counts(a)).get("only-7")).toBe(1)
      expect((yield* counts(b)).get("eu")).toBe(manyBatches * 3)
      expect((yield* counts(b)).get('"\\ü')).toBe(manyBatches)
    }).pipe(Effect.provide(node)),
  )

  it.live("find a group after its first batches were rolled back", () =>
    Effect.gen(function* () {
      const { transaction } = yield* Storage
      const { addTagCounts } = yield* GroupStore
      const project = yield* Given.project()
      const group = yield* Given.group(project.id)
      for (let i = 0; i < 3; i++) {
        const undone = yield* Effect.exit(
          transaction(Effect.andThen(addTagCounts([count(group, "eu")]), Effect.fail("intended"))),
        )
        expect(Exit.isFailure(undone)).toBe(true)
        expect(yield* find(group, "eu")).toEqual([])
      }
      yield* batch(count(group, "eu"))
      expect(yield* find(group, "eu")).toEqual([group.id])
      expect(yield* rows(group)).toEqual([{ key: "region", value: "eu", count: 1 }])
    }).pipe(Effect.provide(node)),
  )

  it.live("find a group after the database crashed and lost its last transactions", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const project = yield* Given.project()
      const group = yield* Given.group(project.id)
      for (let i = 0; i < 4; i++) yield* batch(count(group, "eu"))
      yield* sql`DELETE FROM errata.group_tags WHERE group_id = ${group.id}`
      // All other connections. Only superusers may terminate autovacuum, which may be at work here.
      yield* sql`
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND usename = current_user AND pid <> pg_backend_pid()`
      // The pool notices when it uses them.
      yield* Effect.retry(batch(count(group, "eu")), { times: 10 })
      expect(yield* Effect.retry(find(group, "eu"), { times: 10 })).toEqual([group.id])
    }).pipe(Effect.provide(node)),
  )

  it.live("of deleted groups are not written again", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const projects = yield* ProjectStore
      const project = yield* Given.project()
      const [kept, gone] = [yield* Given.group(project.id), yield* Given.group(project.id)]
      for (let i = 0; i < 4; i++) yield* batch(count(kept, "eu"), count(gone, "eu"))
      yield* sql`DELETE FROM errata.group_tags WHERE group_id = ${gone.id}`
      yield* sql`DELETE FROM errata.groups WHERE id = ${gone.id}`
      for (let i = 0; i < manyBatches; i++) yield* batch(count(kept, `us-${i}`))
      expect(yield* rows(gone)).toEqual([])
      expect((yield* rows(kept))[0]).toEqual({ key: "region", value: "eu", count: 4 })
      expect(yield* projects.find(project.id)).toMatchObject({ _tag: "Some" })
    }).pipe(Effect.provide(node)),
  )

  it.live("of two values with the same hash are one count, and do not block others", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const project = yield* Given.project()
      const [group, other] = [yield* Given.group(project.id), yield* Given.group(project.id)]
      const twins = ["kdktjAAmgAnYRKCu", "oywkAYgAAoAAAAAA"] as const
      const hashes = yield* sql`
        SELECT DISTINCT errata.tag_hash('region', value) FROM unnest(${`{${twins}}`}::text[]) AS value`
      expect(hashes).toHaveLength(1)
      for (let i = 0; i < manyBatches; i++) {
        yield* batch(count(group, twins[0]), count(group, twins[1]), count(other, "eu"))
        yield* batch(count(group, twins[i % 2]!))
      }
      for (let i = 0; i < 16; i++) yield* batch(count(other, "eu", 0))
      const [row, ...more] = yield* rows(group)
      expect(more).toEqual([])
      expect(twins).toContain(row!.value)
      expect(row!.count).toBe(3 * manyBatches)
      expect(yield* rows(other)).toEqual([{ key: "region", value: "eu", count: manyBatches }])
    }).pipe(Effect.provide(node)),
  )
})
