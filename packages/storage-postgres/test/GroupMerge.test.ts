import { describe, expect, it } from "@effect/vitest"
import { type Group, GroupFilter, StorageError } from "@errata/core"
import { GroupLifecycle, GroupStore, NoteStore, ProjectStore, Storage } from "@errata/core/ports"
import { Factory, Given } from "@errata/testing"
import { Deferred, Effect, Fiber, Random } from "effect"
import { SqlClient } from "effect/sql"
import { sqlState } from "../src/internal/SqlState.js"
import * as Node from "./support/node.js"

/** Inserts minimal reports. */
const addReports = (group: Group, count: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      INSERT INTO errata.reports (project_id, group_id, event_id, error_type, error_message, culprit, occurred_at,
        platform, severity, handled, server_name, environment, tags, created_at)
      SELECT ${group.projectId}, ${group.id}, gen_random_uuid(), '', '', '', now(), '', 3, true, '', '', '', now()
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

/** Returns the row versions of a project's recorded data. Any write creates a new version. */
const versionsIn = (projectId: Group["projectId"]) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const versions: Record<string, unknown> = {}
    for (const table of ["reports", "notes", "group_tags", "grouping_keys", "group_evidence"]) {
      const [row] = yield* sql`
        SELECT count(*) AS rows, md5(string_agg(ctid::text || '/' || xmin::text || '/' || xmax::text, ' ' ORDER BY ctid)) AS versions
        FROM ${sql(`errata.${table}`)} WHERE project_id = ${projectId}`
      versions[table] = row
    }
    return versions
  })

/** Returns whether the server detected a deadlock. */
const isDeadlock = (error: unknown) => error instanceof StorageError && sqlState(error.cause) === "40P01"

describe("merging groups", () => {
  it.live("does not rewrite recorded rows, nor does undoing it", () =>
    Effect.gen(function* () {
      const notes = yield* NoteStore
      const project = yield* Given.project()
      const target = yield* groupOf(project.id, 3)
      const source = yield* groupOf(project.id, 20_000)
      yield* addTags(target, 10)
      yield* addTags(source, 1000)
      yield* notes.append([Factory.newNote(source), Factory.newNote(target)])
      const before = yield* versionsIn(project.id)
      expect(before).toMatchObject({ reports: { rows: 20_003 }, group_tags: { rows: 1010 } })
      yield* Given.merge(target, source)
      expect(yield* versionsIn(project.id)).toEqual(before)
      yield* Given.unmerge(target, source)
      expect(yield* versionsIn(project.id)).toEqual(before)
    }).pipe(Effect.provide(Node.layer())),
  )

  it.live("waits for no locks on reports, tags or keys", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { transaction } = yield* Storage
      const project = yield* Given.project()
      const [target, source] = [yield* groupOf(project.id, 1), yield* groupOf(project.id, 1)]
      yield* addTags(source, 1)
      const locked = yield* Deferred.make<void>()
      const end = yield* Deferred.make<void>()
      const busy = yield* Effect.forkChild(
        transaction(
          Effect.gen(function* () {
            for (const table of ["reports", "group_tags", "grouping_keys"]) {
              yield* sql`SELECT 1 FROM ${sql(`errata.${table}`)} WHERE group_id = ${source.id} FOR UPDATE`
            }
            yield* Deferred.succeed(locked, undefined)
            yield* Deferred.await(end)
          }),
        ),
      )
      yield* Deferred.await(locked)
      yield* Given.merge(target, source)
      yield* Given.unmerge(target, source)
      yield* Deferred.succeed(end, undefined)
      yield* Fiber.join(busy)
    }).pipe(Effect.provide(Node.layer())),
  )

  it.live("finds a group by the tags of any group merged into it", () =>
    Effect.gen(function* () {
      const groups = yield* GroupStore
      const project = yield* Given.project()
      const made = yield* Effect.forEach(Array.from({ length: 30 }), (_, i) =>
        Effect.tap(groupOf(project.id, 4), (group) => addTags(group, i + 1)),
      )
      const [target, ...sources] = made as [Group, ...Array<Group>]
      yield* Given.merge(target, ...sources)
      const tagged = (value: number) =>
        Effect.map(
          groups.list(
            project.id,
            { ...GroupFilter.all, tags: [{ key: "user", value: String(value) }] },
            { limit: 10, cursor: null },
            Factory.noon,
          ),
          ({ items }) => items.map(({ id }) => id),
        )
      expect(yield* tagged(1)).toEqual([target.id])
      expect(yield* tagged(30)).toEqual([target.id])
      expect(yield* tagged(31)).toEqual([])
      yield* Given.unmerge(target, sources[28]!)
      expect(yield* tagged(30)).toEqual([sources[28]!.id])
      expect(yield* tagged(29)).toEqual([sources[28]!.id, target.id])
    }).pipe(Effect.provide(Node.layer())),
  )

  it.live("never deadlocks with concurrent changes of the same groups", () =>
    Effect.gen(function* () {
      const { transaction } = yield* Storage
      const groups = yield* GroupStore
      const project = yield* Given.project()
      const made = yield* Effect.forEach(Array.from({ length: 6 }), () => Given.group(project.id))
      const candidates = made.map((group) => Factory.newGroup(project.id, { grouping: group.grouping }))
      let deadlocks = 0
      let recorded = 0
      const attempt = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
        transaction(effect).pipe(
          Effect.tapError((error) => Effect.sync(() => (deadlocks += isDeadlock(error) ? 1 : 0))),
          Effect.retry({
            while: (error) => error instanceof StorageError && error.reason === "conflict",
            times: 100,
          }),
        )
      /** Like the recorder: locks groups in any order and updates their figures. */
      const recording = Effect.gen(function* () {
        const some = (yield* Random.shuffle(candidates)).slice(0, 3)
        yield* attempt(
          Effect.gen(function* () {
            const locked = yield* groups.lockOrCreate(some, Factory.noon)
            const roots = new Map(locked.map(({ group }) => [group.id, group]))
            yield* groups.save(
              [...roots.values()].map((root) => {
                const added = locked.filter(({ group }) => group.id === root.id).length
                return Given.changeGroup(root, { reportsCount: root.reportsCount + added })
              }),
            )
            const merged = locked.filter(({ group }) => group.hasMembers)
            yield* groups.addToParts(
              merged.map(({ groupId }) => ({
                projectId: project.id,
                groupId,
                severity: "error" as const,
                firstOccurredAt: Factory.noon.epochMilliseconds,
                lastOccurredAt: Factory.noon.epochMilliseconds,
                reportsCount: 1,
              })),
            )
          }),
        )
        recorded += some.length
      })
      const merging = Effect.gen(function* () {
        const [target, ...sources] = [...(yield* Random.shuffle(made))].slice(0, 3) as [
          Group,
          ...Array<Group>,
        ]
        yield* attempt(
          Effect.gen(function* () {
            const ids = sources.map(({ id }) => id)
            const locked = yield* groups.lockToMerge(project.id, target.id, ids)
            const result = GroupLifecycle.merge(
              locked.find(({ id }) => id === target.id)!,
              locked.filter(({ id }) => ids.includes(id)),
              null,
              Factory.noon,
            )
            if (result._tag === "Success") {
              yield* groups.merge(result.success.target, result.success.sources, null, Factory.noon)
            }
          }),
        )
      })
      const unmerge = (index: number) =>
        attempt(
          Effect.gen(function* () {
            const all = yield* mergesIn(project.id)
            const id = all[index % Math.max(1, all.length)]
            if (id === undefined) return
            const locked = yield* groups.lockMerge(project.id, id)
            if (locked._tag === "None") return
            yield* groups.unmerge(
              locked.value.merge,
              GroupLifecycle.unmerge(locked.value, null, Factory.noon),
            )
          }),
        )
      /** Including merged ones, as a user with an outdated list may do. */
      const changing = Effect.gen(function* () {
        const some = [...(yield* Random.shuffle(made))].slice(0, 4)
        yield* attempt(
          Effect.gen(function* () {
            const locked = yield* groups.lock(
              project.id,
              some.map(({ id }) => id),
            )
            yield* groups.save(locked.filter(({ mergedIntoId }) => mergedIntoId === null))
          }),
        )
      })
      const unmerging = Effect.flatMap(Random.nextIntBetween(0, 100), unmerge)
      const times = 40
      yield* Effect.all(
        [recording, recording, merging, unmerging, unmerging, changing].map((one) =>
          Effect.repeat(one, { times: times - 1 }),
        ),
        { concurrency: "unbounded" },
      )
      expect(deadlocks).toBe(0)
      while ((yield* mergesIn(project.id)).length > 0) yield* unmerge(0)
      const after = yield* groups.lockNext(project.id, 0, 100)
      expect(after.map(({ hasMembers }) => hasMembers)).toEqual(made.map(() => false))
      expect(after.reduce((sum, { reportsCount }) => sum + reportsCount, 0)).toBe(recorded)
    }).pipe(Random.withSeed("merges"), Effect.provide(Node.layer())),
  )

  it.live("leaves no rows behind if its project is being purged", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const projects = yield* ProjectStore
      const project = yield* Given.project()
      const made = yield* Effect.forEach(Array.from({ length: 40 }), () => groupOf(project.id, 2))
      const [target, ...sources] = made as [Group, ...Array<Group>]
      yield* Given.merge(target, ...sources.slice(0, 20))
      yield* projects.remove(project.id, Factory.noon)
      const purging = Effect.repeat(projects.purge(5, Factory.noon), { until: (removed) => removed === 0 })
      const unmerging = Effect.forEach(
        sources.slice(0, 20),
        (source) => Effect.exit(Given.unmerge(target, source)),
        { discard: true },
      )
      const merging = Effect.forEach(
        sources.slice(20),
        (source) => Effect.exit(Given.merge(target, source)),
        { discard: true },
      )
      yield* Effect.all([purging, unmerging, merging], { concurrency: "unbounded" })
      yield* purging
      for (const table of ["groups", "group_merges", "group_parts", "reports", "grouping_keys"]) {
        const left = yield* sql`SELECT 1 FROM ${sql(`errata.${table}`)} WHERE project_id = ${project.id}`
        expect([table, left]).toEqual([table, []])
      }
    }).pipe(Effect.provide(Node.layer())),
  )
})

const mergesIn = (projectId: Group["projectId"]) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{ id: Parameters<GroupStore["Service"]["lockMerge"]>[1] }>`
        SELECT id FROM errata.group_merges WHERE project_id = ${projectId} ORDER BY id`,
      (rows) => rows.map(({ id }) => id),
    ),
  )
