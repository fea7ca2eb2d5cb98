/** Servers that connect to the workers of the cluster at `CITUS_URL`. */

import { expect, it } from "@effect/vitest"
import { GroupFilter, type ProjectId } from "@errata/core"
import { Recorder, RecorderWorker } from "@errata/core/internal"
import { GroupStore, PendingPayloads, ProjectStore, ReportStore, Storage } from "@errata/core/ports"
import { Factory, Given, TestDecoder } from "@errata/testing"
import { DateTime, Deferred, Effect, Fiber, Layer, Redacted } from "effect"
import * as Distribution from "../src/internal/Distribution.js"
import * as PostgresClient from "../src/PostgresClient.js"
import * as PostgresStorage from "../src/PostgresStorage.js"
import { type Cluster, clusterOf, clusterUrl } from "./support/citus.js"
import { query } from "./support/direct.js"
import { listen } from "./support/remote.js"

const buckets = 2

const distributed = Effect.tap(clusterOf(), ({ url }) =>
  Effect.provide(Distribution.distribute({ buckets }), PostgresClient.layerMigration({ url })),
)

const storesOf = (options: PostgresClient.PostgresOptions) =>
  Layer.fresh(Layer.provideMerge(PostgresStorage.layerStores, PostgresClient.layer(options)))

/** Workers log what they send to other nodes. */
const logged = "?options=-c%20citus.log_remote_commands%3Don"

const throughWorkers = ({ url, workers }: Cluster) =>
  storesOf({ url, workerUrls: workers.map(({ url }) => Redacted.make(`${url}${logged}`)) })

const recorder = Recorder.Default.pipe(Layer.provide(TestDecoder.layer))

const record = (projectId: ProjectId, group: string) =>
  Effect.gen(function* () {
    yield* (yield* PendingPayloads).append([
      TestDecoder.payload(projectId, { group, release: group, tags: { region: "eu" }, user: "anna" }),
    ])
    yield* Effect.provide(RecorderWorker.drain, recorder)
  })

/** Returns the address of the worker that has a project. */
const workerOf = ({ url }: Cluster, projectId: ProjectId) =>
  Effect.promise(async () => {
    const [row] = await query(
      Redacted.value(url),
      `SELECT nodename AS host, nodeport AS port FROM citus_shards
       WHERE table_name::text = 'errata_b${projectId % buckets}.here'`,
    )
    return row as { readonly host: string; readonly port: number }
  })

it.live.skipIf(clusterUrl === undefined)(
  "statements of a project go to the worker that has it, except those that take ids",
  () =>
    Effect.gen(function* () {
      const cluster = yield* distributed
      yield* Effect.gen(function* () {
        const { id: projectId } = yield* Given.project()
        const { port } = yield* workerOf(cluster, projectId)
        const { commands, statements } = yield* listen
        yield* record(projectId, "first")
        yield* record(projectId, "first")
        const { items } = yield* (yield* GroupStore).list(
          projectId,
          GroupFilter.all,
          { limit: 10, cursor: null },
          yield* DateTime.now,
        )
        expect(items.map(({ reportsCount }) => reportsCount)).toEqual([2])

        // A worker sends nothing on.
        expect(commands).toEqual([])
        const sent = [...statements.values()]
        expect(sent.length).toBeGreaterThan(25)
        const elsewhere = sent.filter(
          (statement) =>
            statement.port !== port && statement.text.includes(`errata_b${projectId % buckets}.`),
        )
        expect(elsewhere.length).toBeGreaterThan(0)
        expect(elsewhere.filter(({ text }) => !text.includes("nextval("))).toEqual([])
      }).pipe(Effect.scoped, Effect.provide(throughWorkers(cluster)))
    }).pipe(Effect.scoped),
  120_000,
)

/** Returns the number of locks that transactions have taken by functions of PostgreSQL. Those of Citus have another `objsubid`. */
const locksOn = (url: string) =>
  Effect.promise(async () => {
    const [row] = await query(
      url,
      `SELECT count(*)::integer AS locks FROM pg_locks AS l JOIN pg_database AS d ON d.oid = l.database
       WHERE l.locktype = 'advisory' AND l.objsubid IN (1, 2) AND l.granted AND d.datname = current_database()
         AND l.pid IN (SELECT pid FROM pg_stat_activity WHERE xact_start IS NOT NULL)`,
    )
    return row!.locks as number
  })

it.live.skipIf(clusterUrl === undefined)(
  "every server takes the locks of a bucket on the node of the bucket",
  () =>
    Effect.gen(function* () {
      const cluster = yield* distributed
      const { id: projectId } = yield* Effect.provide(Given.project(), throughWorkers(cluster))
      const { port } = yield* workerOf(cluster, projectId)
      const urls = [Redacted.value(cluster.url), ...cluster.workers.map(({ url }) => url)]
      const locks = yield* Effect.forEach(
        [throughWorkers(cluster), storesOf({ url: cluster.url })],
        (stores) =>
          Effect.gen(function* () {
            const storage = yield* Storage
            const now = yield* DateTime.now
            const [locked, at] = yield* storage.transaction(
              Effect.gen(function* () {
                const created = yield* (yield* GroupStore).lockOrCreate(
                  [Factory.newGroup(projectId)],
                  now,
                  [],
                )
                yield* (yield* ReportStore).insert([Factory.newReport(created[0]!.group)], now)
                return [created.length, yield* Effect.forEach(urls, locksOn)] as const
              }),
              [projectId],
            )
            expect(locked).toBe(1)
            return at
          }).pipe(Effect.provide(stores)),
      )
      // Of the project, which must not be muted meanwhile, and of the week.
      const expected = urls.map((url) => (new URL(url).port === String(port) ? 2 : 0))
      expect(locks).toEqual([expected, expected])
    }).pipe(Effect.scoped),
  120_000,
)

it.live.skipIf(clusterUrl === undefined)(
  "the mute of a project waits for its new groups, and later groups have it",
  () =>
    Effect.gen(function* () {
      const cluster = yield* distributed
      const coordinator = yield* Layer.build(storesOf({ url: cluster.url }))
      const workers = yield* Layer.build(throughWorkers(cluster))
      for (const [muting, creating] of [
        [coordinator, workers],
        [workers, coordinator],
      ] as const) {
        const { id: projectId } = yield* Effect.provide(Given.project(), coordinator)
        const now = yield* DateTime.now
        const create = (meanwhile: Effect.Effect<void>) =>
          Effect.gen(function* () {
            const storage = yield* Storage
            const [created] = yield* storage.transaction(
              Effect.tap((yield* GroupStore).lockOrCreate([Factory.newGroup(projectId)], now, []), meanwhile),
              [projectId],
            )
            return created!.group
          }).pipe(Effect.provide(creating))
        const isCreated = yield* Deferred.make<void>()
        const goesOn = yield* Deferred.make<void>()
        const first = yield* Effect.forkChild(
          create(Effect.andThen(Deferred.succeed(isCreated, undefined), Deferred.await(goesOn))),
        )
        yield* Deferred.await(isCreated)
        const mute = yield* Effect.forkChild(
          Effect.flatMap(ProjectStore, (projects) =>
            projects.setMute(projectId, { at: now, by: null, until: null }, now),
          ).pipe(Effect.provide(muting)),
        )
        yield* Effect.sleep("500 millis")
        expect(mute.pollUnsafe()).toBeUndefined()
        yield* Deferred.succeed(goesOn, undefined)
        const before = yield* Fiber.join(first)
        yield* Fiber.join(mute)
        const after = yield* create(Effect.void)
        expect([before.projectMute, after.projectMute !== null]).toEqual([null, true])
        const unfinished = yield* Effect.provide(
          Effect.flatMap(ProjectStore, (projects) => projects.findUnfinishedMute(projectId)),
          coordinator,
        )
        // The mute still has to reach the first group.
        expect(JSON.stringify(unfinished)).toContain(String(before.id))
      }
    }).pipe(Effect.scoped),
  120_000,
)
