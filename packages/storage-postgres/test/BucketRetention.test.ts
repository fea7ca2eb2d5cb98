/** Retention with buckets: on one server, and on the cluster at `CITUS_URL`. */
import { describe, expect, it } from "@effect/vitest"
import { Recorder, RecorderWorker } from "@errata/core/internal"
import { PendingPayloads, RetentionStore, Storage } from "@errata/core/ports"
import { Given, StorageClock, TestDecoder } from "@errata/testing"
import { DateTime, Duration, Effect, Layer, type Redacted, type Scope } from "effect"
import * as Distribution from "../src/internal/Distribution.js"
import * as PostgresClient from "../src/PostgresClient.js"
import * as PostgresStorage from "../src/PostgresStorage.js"
import { clusterUrl, freshCluster } from "./support/citus.js"
import * as Clock from "./support/clock.js"
import { migratedDatabase } from "./support/database.js"

const recorder = Recorder.Default.pipe(Layer.provide(TestDecoder.layer))

/** Does not compress. */
const noise = () => Array.from({ length: 200 }, () => Math.random().toString(36)).join("")

const purge = Effect.gen(function* () {
  const store = yield* RetentionStore
  const pending = yield* PendingPayloads
  const { id: projectId } = yield* Given.project()
  const payloads = Array.from({ length: 100 }, () => {
    return TestDecoder.payload(projectId, { group: "old", tags: { noise: noise() } })
  })
  yield* pending.append(payloads)
  yield* Effect.provide(RecorderWorker.drain, recorder)
  yield* (yield* StorageClock).advance(Duration.days(60))
  yield* (yield* Storage).prepare
  const { id } = yield* store.request("errors", "requested", null)
  yield* store.begin(id, { timePurgeType: "partial", before: null, bytesBefore: yield* store.size })
  yield* store.purgeDetails(id, DateTime.subtract(yield* (yield* Storage).now, { days: 30 }))
  yield* store.finish(id, { bytesAfter: yield* store.size, isWithinDiskLimit: null, failure: null })
  return yield* Effect.fromOption(yield* store.find(id))
})

const check = <E>(database: Effect.Effect<Redacted.Redacted, E, Scope.Scope>, onCitus: boolean) =>
  Effect.gen(function* () {
    const url = yield* database
    const migration = PostgresClient.layerMigration({ url })
    yield* Effect.provide(Distribution.distribute({ buckets: 2, onCitus }), migration)
    const stores = Layer.provideMerge(
      Layer.merge(PostgresStorage.layerStores, Clock.layer),
      PostgresClient.layer({ url }),
    )
    const { bytesAfter, bytesBefore, removed } = yield* Effect.provide(purge, stores)
    expect(removed.partitions).toBeGreaterThan(0)
    expect(removed.bytes).toBeGreaterThan(100_000)
    expect(bytesBefore! - bytesAfter!).toBeGreaterThan(100_000)
  }).pipe(Effect.scoped)

describe("retention with buckets", () => {
  it.live("reports the bytes of dropped weeks on one server", () => check(migratedDatabase, false), 120_000)

  it.live.skipIf(clusterUrl === undefined)(
    "reports the bytes of dropped weeks on the nodes of a cluster",
    () => check(freshCluster, true),
    240_000,
  )
})
