import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { storageContract } from "@errata/testing"
import { Context, Effect, Layer, type Redacted } from "effect"
import * as EmbeddedPostgres from "../src/embedded/EmbeddedPostgres.js"
import * as PostgresClient from "../src/PostgresClient.js"
import * as PostgresStorage from "../src/PostgresStorage.js"
import * as StorageClock from "./support/clock.js"
import { suitesOf } from "./support/suites.js"

class Database extends Context.Service<Database, Redacted.Redacted>()("test/EmbeddedDatabase") {}

const folder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "errata-embedded-"))),
  (path) => Effect.promise(() => rm(path, { recursive: true, force: true, maxRetries: 5 })),
)

/** Durable, as a server runs it. */
const database = Layer.effect(
  Database,
  Effect.flatMap(folder, (path) => EmbeddedPostgres.make({ dataDir: join(path, "data") })).pipe(
    Effect.map(({ url }) => url),
  ),
)
const node = Layer.unwrap(Effect.map(Database, (url) => PostgresStorage.layer({ url })))

const clock = Layer.unwrap(
  Effect.map(Database, (url) => Layer.provide(StorageClock.layer, PostgresClient.layer({ url }))),
)

storageContract(
  "EmbeddedStorage",
  {
    layer: node.pipe(Layer.provide(database)),
    secondNode: Layer.fresh(node).pipe(Layer.provide(database)),
    clock: clock.pipe(Layer.provide(database)),
  },
  // The other suites run on the same server without durability.
  suitesOf(["Storage", "GroupEventStore", "JobStore", "PendingPayloads", "Recorder"]),
)
