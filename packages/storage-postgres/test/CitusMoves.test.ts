/** Transactions while their bucket moves to another node of the cluster at `CITUS_URL`. */

import { expect, it } from "@effect/vitest"
import { type GroupId, type ProjectId, StorageError } from "@errata/core"
import { GroupStore, Storage } from "@errata/core/ports"
import { Given } from "@errata/testing"
import { Deferred, Effect, Fiber, Layer, Redacted } from "effect"
import * as Distribution from "../src/internal/Distribution.js"
import * as PostgresClient from "../src/PostgresClient.js"
import * as PostgresStorage from "../src/PostgresStorage.js"
import { clusterOf, clusterUrl } from "./support/citus.js"
import { query } from "./support/direct.js"

const buckets = 2

/** Moves a bucket to the other node. Writes wait meanwhile. */
const move = async (url: string, bucket: number) => {
  const schema = `errata_b${bucket}`
  const [other] = await query(
    url,
    `SELECT nodename AS host, nodeport AS port FROM pg_dist_node AS n
     WHERE groupid > 0 AND NOT EXISTS (
       SELECT FROM citus_shards AS s WHERE s.nodeport = n.nodeport AND s.table_name::text = '${schema}.groups')`,
  )
  const to = `'${other!.host}', ${other!.port}`
  await query(url, `SELECT citus_schema_move('${schema}', ${to}, shard_transfer_mode => 'block_writes')`)
}

/** Counts one more report of a group, as recorders do. */
const count = (projectId: ProjectId, id: GroupId, meanwhile: Effect.Effect<void> = Effect.void) =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const groups = yield* GroupStore
    yield* storage.transaction(
      Effect.gen(function* () {
        const [group] = yield* groups.lock(projectId, [id])
        yield* meanwhile
        yield* groups.save([{ ...group!, reportsCount: group!.reportsCount + 1 }])
      }),
      [projectId],
    )
  })

for (const place of ["the coordinator", "the worker"]) {
  it.live.skipIf(clusterUrl === undefined)(
    `a transaction on ${place} keeps its lock of a group while the bucket moves`,
    () =>
      Effect.gen(function* () {
        const { url, workers } = yield* clusterOf()
        const workerUrls = place === "the worker" ? workers.map((worker) => Redacted.make(worker.url)) : []
        yield* Effect.provide(Distribution.distribute({ buckets }), PostgresClient.layerMigration({ url }))
        yield* Effect.gen(function* () {
          const { id: projectId } = yield* Given.project()
          const { id } = yield* Given.group(projectId)
          const isLocked = yield* Deferred.make<void>()
          const goesOn = yield* Deferred.make<void>()
          const first = yield* count(
            projectId,
            id,
            Effect.andThen(Deferred.succeed(isLocked, undefined), Deferred.await(goesOn)),
          ).pipe(Effect.forkChild)
          yield* Deferred.await(isLocked)
          let isMoved = false
          const moving = yield* Effect.promise(() => move(Redacted.value(url), projectId % buckets)).pipe(
            Effect.tap(() =>
              Effect.sync(() => {
                isMoved = true
              }),
            ),
            Effect.forkChild,
          )
          // Longer than it takes to move a bucket that no transaction holds.
          for (let i = 0; i < 60 && !isMoved; i++) yield* Effect.sleep("100 millis")
          const second = yield* count(projectId, id).pipe(
            // Refused while the bucket moves.
            Effect.retry({ while: (error) => error instanceof StorageError, times: 20 }),
            Effect.forkChild,
          )
          yield* Effect.sleep("500 millis")
          yield* Deferred.succeed(goesOn, undefined)
          yield* Fiber.join(first)
          yield* Fiber.join(second)
          yield* Fiber.join(moving)
          const [group] = yield* (yield* GroupStore).lock(projectId, [id])
          expect(group!.reportsCount).toBe(2)
        }).pipe(
          Effect.scoped,
          Effect.provide(
            Layer.provideMerge(PostgresStorage.layerStores, PostgresClient.layer({ url, workerUrls })),
          ),
        )
      }).pipe(Effect.scoped),
    180_000,
  )
}
