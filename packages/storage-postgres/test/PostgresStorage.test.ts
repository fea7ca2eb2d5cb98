import { storageContract } from "@errata/testing"
import { Context, Effect, Layer, type Redacted } from "effect"
import * as PostgresClient from "../src/PostgresClient.js"
import * as PostgresStorage from "../src/PostgresStorage.js"
import * as StorageClock from "./support/clock.js"
import { freshDatabase } from "./support/database.js"

class Database extends Context.Service<Database, Redacted.Redacted>()("test/Database") {}

// One database, and a separate pool for each node.
const database = Layer.effect(Database, freshDatabase)
const node = Layer.unwrap(Effect.map(Database, (url) => PostgresStorage.layer({ url })))

const clock = Layer.unwrap(
  Effect.map(Database, (url) => Layer.provide(StorageClock.layer, PostgresClient.layer({ url }))),
)

storageContract("PostgresStorage", {
  layer: node.pipe(Layer.provide(database)),
  secondNode: Layer.fresh(node).pipe(Layer.provide(database)),
  clock: clock.pipe(Layer.provide(database)),
})
