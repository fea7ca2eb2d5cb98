/** Nodes that archive bodies in an object store of a test, from the middle of a week on. */

import { Storage } from "@errata/core/ports"
import { StorageClock } from "@errata/testing"
import { Duration, Effect, Layer } from "effect"
import * as Distribution from "../../src/internal/Distribution.js"
import * as PostgresClient from "../../src/PostgresClient.js"
import * as PostgresStorage from "../../src/PostgresStorage.js"
import { freshCluster } from "./citus.js"
import * as StorageClockLayer from "./clock.js"
import { migratedDatabase } from "./database.js"
import * as Node from "./node.js"
import type * as Objects from "./objects.js"

export const nodeWith = (objects: Objects.TestObjects) =>
  Layer.provideMerge(StorageClockLayer.layerAtMidweek, Layer.provide(Node.layer(), objects.layer))

/** The same with the projects in two buckets, on one server or on the cluster at `CITUS_URL`. */
export const nodeWithBuckets = (objects: Objects.TestObjects, onCitus = false) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const url = yield* onCitus ? freshCluster : migratedDatabase
      const migration = PostgresClient.layerMigration({ url })
      yield* Effect.provide(Distribution.distribute({ buckets: 2, onCitus }), migration)
      const node = Layer.provideMerge(PostgresStorage.layerStores, PostgresClient.layer({ url }))
      return Layer.provideMerge(StorageClockLayer.layerAtMidweek, Layer.provide(node, objects.layer))
    }),
  )

export const advance = Effect.fnUntraced(function* (days: number) {
  yield* (yield* StorageClock).advance(Duration.days(days))
  yield* (yield* Storage).prepare
})

export const archive = (keptWeeks: number | null = 1) =>
  Effect.flatMap(Storage, (storage) => storage.archive(keptWeeks))
