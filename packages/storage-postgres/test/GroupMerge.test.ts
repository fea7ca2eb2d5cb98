import { SqlClient } from "@effect/sql"
import { describe, expect, it } from "@effect/vitest"
import { type Group, GroupStore, Storage } from "@errata/core"
import { Given } from "@errata/testing"
import { Deferred, Effect, Fiber } from "effect"
import * as Node from "./support/node.js"

/** Stores reports as bare as they can be. */
const addReports = (group: Group, count: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      INSERT INTO errata.reports (project_id, group_id, event_id, error_type, error_message, culprit, occurred_at,
        platform, severity, handled, server_name, environment, release_version, tags, created_at, updated_at)
      SELECT ${group.projectId}, ${group.id}, gen_random_uuid(), '', '', '', now(), '', 3, true, '', '', '', '[]', now(), now()
      FROM generate_series(1, ${count})`,
  )

const addTags = (group: Group, count: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      INSERT INTO errata.group_tags (project_id, group_id, tag, key, value, count)
      SELECT ${group.projectId}, ${group.id}, errata.tag_hash('user', i::text), 'user', i::text, 1
      FROM generate_series(1, ${count}) AS i`,
  )

const groupOf = (projectId: Group["projectId"], reportsCount: number) =>
  Given.group(projectId, {}, () => ({ reportsCount })).pipe(
    Effect.tap((group) => addReports(group, reportsCount)),
  )

describe("merging large groups", () => {
  it.scopedLive("moves all reports and tags, however many statements that takes", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const project = yield* Given.project()
      const target = yield* groupOf(project.id, 1)
      // More than two statements' worth, and between small ones.
      const sources = [
        yield* groupOf(project.id, 3),
        yield* groupOf(project.id, 20_001),
        yield* groupOf(project.id, 2),
        yield* groupOf(project.id, 10_000),
      ]
      // The number that a group has of its reports is only a hint.
      const wrong = yield* Given.group(project.id)
      yield* addReports(wrong, 10_001)
      const kept = yield* groupOf(project.id, 4)
      yield* addTags(target, 1)
      yield* addTags(sources[0]!, 20_001)
      yield* addTags(sources[1]!, 2)
      yield* Given.merge(target, ...sources, wrong)
      const counts = yield* sql`
        SELECT group_id, origin_group_id, count(*) AS count FROM errata.reports
        WHERE project_id = ${project.id} GROUP BY 1, 2 ORDER BY 1, 2 NULLS FIRST`
      const moved = [...sources, wrong].map((source) => [source.id, source.reportsCount || 10_001])
      expect(counts).toEqual([
        { group_id: target.id, origin_group_id: null, count: 1 },
        ...moved.map(([origin_group_id, count]) => ({ group_id: target.id, origin_group_id, count })),
        { group_id: kept.id, origin_group_id: null, count: 4 },
      ])
      const tags = yield* sql`
        SELECT count, count(*) AS tags FROM errata.group_tags WHERE group_id = ${target.id} GROUP BY count ORDER BY 1`
      expect(tags).toEqual([
        { count: 1, tags: 19_999 },
        { count: 2, tags: 1 },
        { count: 3, tags: 1 },
      ])
    }).pipe(Effect.provide(Node.layer())),
  )

  it.scopedLive("does not keep groups of other projects from being merged", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { transaction } = yield* Storage
      const project = yield* Given.project()
      const [target, source] = [yield* groupOf(project.id, 1), yield* groupOf(project.id, 1)]
      const other = yield* Given.project()
      const [a, b] = [yield* groupOf(other.id, 1), yield* groupOf(other.id, 1)]
      const locked = yield* Deferred.make<void>()
      const end = yield* Deferred.make<void>()
      // As long as a report of its is locked the merge is busy moving them.
      const busy = yield* Effect.fork(
        transaction(
          Effect.gen(function* () {
            yield* sql`SELECT 1 FROM errata.reports WHERE group_id = ${source.id} FOR UPDATE`
            yield* Deferred.succeed(locked, undefined)
            yield* Deferred.await(end)
          }),
        ),
      )
      yield* Deferred.await(locked)
      const merging = yield* Effect.fork(Given.merge(target, source))
      yield* Effect.repeat(
        sql<{ waiting: number }>`
          SELECT count(*) AS waiting FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        { until: ([row]) => row!.waiting > 0 },
      )
      yield* Given.merge(a, b)
      expect(merging.unsafePoll()).toBeNull()
      yield* Deferred.succeed(end, undefined)
      yield* Fiber.join(busy)
      yield* Fiber.join(merging)
    }).pipe(Effect.provide(Node.layer())),
  )

  it.scopedLive("adds up the counts of the groups that it merges, and keeps those of others for later", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { transaction } = yield* Storage
      const { addTagCounts } = yield* GroupStore
      const project = yield* Given.project()
      const [a, b, c] = [
        yield* Given.group(project.id),
        yield* Given.group(project.id),
        yield* Given.group(project.id),
      ]
      const fields = { projectId: project.id, key: "region", value: "eu" }
      const batch = [a, b, c].map((group) => ({
        ...fields,
        groupId: group.id,
        count: group.id === c.id ? 5 : 1,
      }))
      for (let i = 0; i < 4; i++) yield* transaction(addTagCounts(batch))
      const count = (group: Group) =>
        Effect.map(
          sql<{ count: number }>`SELECT count FROM errata.group_tags WHERE group_id = ${group.id}`,
          ([row]) => row!.count,
        )
      yield* Given.merge(a, b)
      expect([yield* count(a), yield* count(b)]).toEqual([8, 4])
      expect(yield* count(c)).toBeLessThan(20)
      yield* Given.merge(a, c)
      expect([yield* count(a), yield* count(c)]).toEqual([28, 20])
    }).pipe(Effect.provide(Node.layer())),
  )
})
