/** The whole contract of storages on a Citus cluster: the one at `CITUS_URL`; skipped without it. */

import { storageContract } from "@errata/testing"
import { Context, Effect, Layer, type Redacted } from "effect"
import { describe, it } from "vitest"
import * as Distribution from "../src/internal/Distribution.js"
import * as PostgresClient from "../src/PostgresClient.js"
import * as PostgresStorage from "../src/PostgresStorage.js"
import { suites } from "./support/buckets.js"
import { clusterUrl, freshCluster } from "./support/citus.js"
import * as StorageClock from "./support/clock.js"

class Database extends Context.Service<Database, Redacted.Redacted>()("test/Cluster") {}

const database = Layer.effect(
  Database,
  Effect.tap(freshCluster, (url) =>
    Effect.provide(Distribution.distribute({ buckets: 3 }), PostgresClient.layerMigration({ url })),
  ),
)
const node = Layer.unwrap(Effect.map(Database, (url) => PostgresStorage.layer({ url })))

const clock = Layer.unwrap(
  Effect.map(Database, (url) => Layer.provide(StorageClock.layer, PostgresClient.layer({ url }))),
)

if (clusterUrl === undefined) {
  describe("PostgresStorage on Citus", () => {
    it.skip("set CITUS_URL to the coordinator of a cluster to run this", () => {})
  })
} else {
  storageContract(
    "PostgresStorage on Citus",
    {
      layer: node.pipe(Layer.provide(database)),
      secondNode: Layer.fresh(node).pipe(Layer.provide(database)),
      clock: clock.pipe(Layer.provide(database)),
    },
    suites,
  )
}
