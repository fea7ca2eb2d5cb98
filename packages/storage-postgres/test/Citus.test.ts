/** The whole contract of storages on a Citus cluster: the one at `CITUS_URL`; skipped without it. */

import { storageContract } from "@errata/testing"
import { Context, Effect, Layer, Redacted } from "effect"
import { describe, it } from "vitest"
import * as Distribution from "../src/internal/Distribution.js"
import * as PostgresClient from "../src/PostgresClient.js"
import * as PostgresStorage from "../src/PostgresStorage.js"
import { suites } from "./support/buckets.js"
import { type Cluster, clusterOf, clusterUrl } from "./support/citus.js"
import * as StorageClock from "./support/clock.js"

class Database extends Context.Service<Database, Cluster>()("test/Cluster") {}

const database = Layer.effect(
  Database,
  Effect.tap(clusterOf(), ({ url }) =>
    Effect.provide(Distribution.distribute({ buckets: 3 }), PostgresClient.layerMigration({ url })),
  ),
)
const nodeOf = (usesWorkers: boolean) =>
  Layer.unwrap(
    Effect.map(Database, ({ url, workers }) =>
      PostgresStorage.layer({
        url,
        workerUrls: usesWorkers ? workers.map((worker) => Redacted.make(worker.url)) : [],
      }),
    ),
  )

const clock = Layer.unwrap(
  Effect.map(Database, ({ url }) => Layer.provide(StorageClock.layer, PostgresClient.layer({ url }))),
)

if (clusterUrl === undefined) {
  describe("PostgresStorage on Citus", () => {
    it.skip("set CITUS_URL to the coordinator of a cluster to run this", () => {})
  })
} else {
  for (const usesWorkers of [true, false]) {
    const node = nodeOf(usesWorkers)
    storageContract(
      usesWorkers ? "PostgresStorage on the nodes of a cluster" : "PostgresStorage on a coordinator",
      {
        layer: node.pipe(Layer.provide(database)),
        // Both kinds of nodes may run at the same time.
        secondNode: Layer.fresh(nodeOf(false)).pipe(Layer.provide(database)),
        clock: clock.pipe(Layer.provide(database)),
      },
      suites,
    )
  }
}
