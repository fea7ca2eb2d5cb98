/** What the recorder's thread executes: a script of its own, so that it carries nothing of the server with it. */
import { parentPort, workerData } from "node:worker_threads"
import { RecorderSignal, Services } from "@errata/core"
import { SentryPayloadDecoder } from "@errata/sentry"
import { makeRecentBlocks, PostgresStorage, RecentBlocks } from "@errata/storage-postgres"
import { Deferred, Effect, Layer, Redacted } from "effect"
import { layerLogger } from "./Logging.js"
import type { RecorderData, RecorderMessage } from "./RecorderMessage.js"

const { databaseUrl } = workerData as RecorderData
const port = parentPort!
const recentBlocks = makeRecentBlocks()

const program = Effect.gen(function* () {
  const signal = yield* RecorderSignal
  const stopped = yield* Deferred.make<void>()
  yield* Layer.build(Services.layerWorkers)
  port.on("message", (message: RecorderMessage) => {
    if (message === "wake") Effect.runFork(signal.raise)
    else if (message === "stop") Effect.runFork(Deferred.succeed(stopped, undefined))
    else recentBlocks.keep(message.blocks)
  })
  yield* Deferred.await(stopped)
  // An open port would keep the thread.
  yield* Effect.sync(() => port.close())
}).pipe(
  Effect.scoped,
  Effect.provide([
    RecorderSignal.Default,
    SentryPayloadDecoder.layer(),
    PostgresStorage.layer({ url: Redacted.make(databaseUrl) }),
    layerLogger,
  ]),
  Effect.provideService(RecentBlocks, () => recentBlocks),
)

// A failure ends the thread; whoever started it is told.
await Effect.runPromise(program)
