/** The storage contract on an application's own pool, with another schema and hostile type parsers. */
import { storageContract } from "@errata/testing"
import { Context, Effect, Layer, type Redacted } from "effect"
import * as PostgresClient from "../src/PostgresClient.js"
import * as PostgresStorage from "../src/PostgresStorage.js"
import * as StorageClock from "./support/clock.js"
import { migratedDatabase } from "./support/database.js"
import * as HostPool from "./support/hostPool.js"
import { everyTable } from "./support/suites.js"

class Database extends Context.Service<Database, Redacted.Redacted>()("test/HostDatabase") {}

const schema = "shop_errors"

// The database also has the schema errata. Rows written there by mistake are missing in the other one.
const database = Layer.effect(Database, migratedDatabase)
const pool = Effect.flatMap(Database, (url) => HostPool.onDatabase(url, { types: HostPool.hostileTypes }))
const node = Layer.unwrap(Effect.map(pool, (pool) => PostgresStorage.layerFromPool(pool, { schema })))
const clock = Layer.unwrap(
  Effect.map(pool, (pool) =>
    Layer.provide(StorageClock.layer, PostgresClient.layerFromPool(pool, { schema })),
  ),
)

storageContract(
  "a pool with type parsers of the application's, in a schema of another name",
  {
    layer: node.pipe(Layer.provide(database)),
    secondNode: Layer.fresh(node).pipe(Layer.provide(database)),
    clock: clock.pipe(Layer.provide(database)),
  },
  everyTable,
)
