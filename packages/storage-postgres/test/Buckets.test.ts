/** The whole contract of storages on a database whose projects are in buckets, which are schemas of one server here. */

import { storageContract } from "@errata/testing"
import { Context, Effect, Layer, type Redacted } from "effect"
import * as Distribution from "../src/internal/Distribution.js"
import * as PostgresClient from "../src/PostgresClient.js"
import * as PostgresStorage from "../src/PostgresStorage.js"
import { suites } from "./support/buckets.js"
import * as StorageClock from "./support/clock.js"
import { migratedDatabase } from "./support/database.js"

class Database extends Context.Service<Database, Redacted.Redacted>()("test/DatabaseWithBuckets") {}

const database = Layer.effect(
  Database,
  Effect.tap(migratedDatabase, (url) =>
    Effect.provide(
      Distribution.distribute({ buckets: 3, onCitus: false }),
      PostgresClient.layerMigration({ url }),
    ),
  ),
)
const node = Layer.unwrap(Effect.map(Database, (url) => PostgresStorage.layer({ url })))

const clock = Layer.unwrap(
  Effect.map(Database, (url) => Layer.provide(StorageClock.layer, PostgresClient.layer({ url }))),
)

storageContract(
  "PostgresStorage with buckets",
  {
    layer: node.pipe(Layer.provide(database)),
    secondNode: Layer.fresh(node).pipe(Layer.provide(database)),
    clock: clock.pipe(Layer.provide(database)),
  },
  suites,
)
