/** The storage contract on the application's own pool, whatever that pool's type parsers make of the rows. */
import { storageContract } from "@errata/testing"
import { Context, Effect, Layer, type Redacted } from "effect"
import type pg from "pg"
import * as PostgresClient from "../src/PostgresClient.js"
import * as PostgresStorage from "../src/PostgresStorage.js"
import * as StorageClock from "./support/clock.js"
import { freshDatabase } from "./support/database.js"
import * as HostPool from "./support/hostPool.js"
import { everyTable } from "./support/suites.js"

class Database extends Context.Service<Database, Redacted.Redacted>()("test/HostDatabase") {}

const contractOn = (name: string, config: pg.PoolConfig) => {
  const database = Layer.effect(Database, freshDatabase)
  const pool = Effect.flatMap(Database, (url) => HostPool.onDatabase(url, config))
  const node = Layer.unwrap(Effect.map(pool, (pool) => PostgresStorage.layerFromPool(pool)))
  const clock = Layer.unwrap(
    Effect.map(pool, (pool) => Layer.provide(StorageClock.layer, PostgresClient.layerFromPool(pool))),
  )
  storageContract(
    name,
    {
      layer: node.pipe(Layer.provide(database)),
      secondNode: Layer.fresh(node).pipe(Layer.provide(database)),
      clock: clock.pipe(Layer.provide(database)),
    },
    everyTable,
  )
}

contractOn("a pool of node-postgres' defaults", {})
contractOn("a pool with type parsers of the application's", { types: HostPool.hostileTypes })
