/** Nodes that archive bodies in an object store of a test, from the middle of a week on. */

import { Storage } from "@errata/core/ports"
import { StorageClock } from "@errata/testing"
import { Duration, Effect, Layer, Redacted } from "effect"
import * as Distribution from "../../src/internal/Distribution.js"
import * as PostgresClient from "../../src/PostgresClient.js"
import * as PostgresStorage from "../../src/PostgresStorage.js"
import { freshCluster } from "./citus.js"
import * as StorageClockLayer from "./clock.js"
import { freshDatabase, migratedDatabase } from "./database.js"
import * as Node from "./node.js"
import type * as Objects from "./objects.js"
import * as Roles from "./roles.js"

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

/** The same for a role that has no right to change the schema, on one server. */
export const nodeOfRunner = (objects: Objects.TestObjects, buckets: number) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const database = yield* freshDatabase
      const { asOwner, asRunner, owner, runner } = yield* Roles.make(database, "errata")
      const migration = PostgresClient.layerMigration({ url: asOwner })
      yield* Effect.provide(PostgresClient.migrate, migration)
      if (buckets > 0) {
        // Buckets are schemas, and the owner may create none otherwise.
        const { pathname } = new URL(Redacted.value(database))
        yield* Roles.execute(database, `GRANT CREATE ON DATABASE "${pathname.slice(1)}" TO ${owner}`)
        yield* Effect.provide(Distribution.distribute({ buckets, onCitus: false }), migration)
      }
      yield* Roles.execute(asOwner, Roles.grants("errata", owner, runner))
      yield* Roles.execute(asOwner, Roles.bucketGrants("errata", owner, runner))
      const node = Layer.provideMerge(PostgresStorage.layerStores, PostgresClient.layer({ url: asRunner }))
      const clock = Layer.provide(StorageClockLayer.layerAtMidweek, PostgresClient.layer({ url: asOwner }))
      return Layer.provideMerge(clock, Layer.provide(node, objects.layer))
    }),
  )

export const advance = Effect.fnUntraced(function* (days: number) {
  yield* (yield* StorageClock).advance(Duration.days(days))
  yield* (yield* Storage).prepare
})

export const archive = (keptWeeks: number | null = 1) =>
  Effect.flatMap(Storage, (storage) => storage.archive(keptWeeks))
