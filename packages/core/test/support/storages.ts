/** Runs cases about services on both storages: memory, and PostgreSQL with two nodes. */
import { MemoryStorage } from "@errata/storage-memory"
import { PostgresClient, PostgresStorage } from "@errata/storage-postgres"
import { type ContractCase, type StorageUnderTest, storageContract } from "@errata/testing"
import { Context, Effect, Layer, type Redacted } from "effect"
import * as StorageClock from "../../../storage-postgres/test/support/clock.js"
import { migratedDatabase } from "../../../storage-postgres/test/support/database.js"

class Database extends Context.Service<Database, Redacted.Redacted>()("test/Database") {}

/** Each node has connections of its own. */
const postgres = () => {
  const database = Layer.effect(Database, migratedDatabase)
  const node = Layer.unwrap(Effect.map(Database, (url) => PostgresStorage.layer({ url })))
  const clock = Layer.unwrap(
    Effect.map(Database, (url) => Layer.provide(StorageClock.layer, PostgresClient.layer({ url }))),
  )
  return {
    layer: node.pipe(Layer.provide(database)),
    secondNode: Layer.fresh(node).pipe(Layer.provide(database)),
    clock: clock.pipe(Layer.provide(database)),
  } satisfies StorageUnderTest<unknown>
}

export const onStorages = (name: string, cases: ReadonlyArray<ContractCase>): void => {
  storageContract("on memory", { layer: MemoryStorage.layer }, [{ name, cases }])
  storageContract("on PostgreSQL", postgres(), [{ name, cases }])
}
