/** The wire suite on the command itself, on all nodes of the cluster at `CITUS_URL`; skipped without it. */
import { defineWireSuite } from "@errata/api/wire"
import { Effect, Redacted } from "effect"
import { describe, it } from "vitest"
import * as Distribution from "../../../storage-postgres/src/internal/Distribution.js"
import * as PostgresClient from "../../../storage-postgres/src/PostgresClient.js"
import { clusterOf, clusterUrl, urlsOf } from "../../../storage-postgres/test/support/citus.js"
import * as WireServer from "./support/WireServer.js"

const distributed = Effect.gen(function* () {
  const { url, workers } = yield* clusterOf()
  yield* Effect.provide(Distribution.distribute({ buckets: 2 }), PostgresClient.layerMigration({ url }))
  return { DATABASE_URL: Redacted.value(url), ERRATA_DATABASE_WORKER_URLS: urlsOf(workers) }
})

if (clusterUrl === undefined) {
  describe("the wire suite on Citus", () => {
    it.skip("set CITUS_URL to the coordinator of a cluster to run this", () => {})
  })
} else {
  defineWireSuite("the wire suite on Citus", () => WireServer.start(distributed), [
    // Ids of groups of different buckets are not in the order of time.
    "lists the groups of the caller's projects in one order",
  ])
}
