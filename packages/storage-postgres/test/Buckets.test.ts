/**
 * The storage contract with projects in buckets, which are schemas of one server here. The first node has connections to the
 * coordinator and to the worker of a cluster. Both are that server.
 */

import { storageContract } from "@errata/testing"
import { Context, Effect, Exit, Layer, Redacted, Scope } from "effect"
import { afterAll, beforeAll, inject } from "vitest"
import { TestDatabase } from "../src/embedded/index.js"
import * as Distribution from "../src/internal/Distribution.js"
import * as PostgresClient from "../src/PostgresClient.js"
import * as PostgresStorage from "../src/PostgresStorage.js"
import { asCluster, suites } from "./support/buckets.js"
import * as StorageClock from "./support/clock.js"
import { migratedDatabase } from "./support/database.js"
import { everyTable } from "./support/suites.js"

class Database extends Context.Service<Database, Redacted.Redacted>()("test/DatabaseWithBuckets") {}

/** Distributed once and copied for each case. */
let template: Redacted.Redacted
const scope = Scope.makeUnsafe()

beforeAll(() =>
  Effect.runPromise(
    Effect.gen(function* () {
      template = yield* migratedDatabase
      const client = PostgresClient.layerMigration({ url: template })
      yield* Effect.provide(
        Effect.andThen(Distribution.distribute({ buckets: 2, onCitus: false }), asCluster),
        client,
      )
    }).pipe(Scope.provide(scope)),
  ),
)
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

const database = Layer.effect(
  Database,
  Effect.suspend(() => TestDatabase.make(Redacted.make(inject("databaseServer")), template)),
)
const nodeWith = (workerUrlsOf: (url: Redacted.Redacted) => ReadonlyArray<Redacted.Redacted>) =>
  Layer.unwrap(Effect.map(Database, (url) => PostgresStorage.layer({ url, workerUrls: workerUrlsOf(url) })))

const clock = Layer.unwrap(
  Effect.map(Database, (url) => Layer.provide(StorageClock.layer, PostgresClient.layer({ url }))),
)

storageContract(
  "PostgresStorage with buckets",
  {
    layer: nodeWith((url) => [url]).pipe(Layer.provide(database)),
    secondNode: Layer.fresh(nodeWith(() => [])).pipe(Layer.provide(database)),
    clock: clock.pipe(Layer.provide(database)),
  },
  suites.filter(({ name }) => everyTable.some((suite) => suite.name === name)),
)
