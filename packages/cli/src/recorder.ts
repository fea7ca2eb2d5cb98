/** Entry point of the recorder thread. A script of its own, so that it loads no code of the server. */
import { parentPort, workerData } from "node:worker_threads"
import { ErrataConfig, ErrataSettings, RecorderSignal, Services, type StorageError } from "@errata/core"
import { MetricFamily, OutboxSignal, StorageOutage } from "@errata/core/internal"
import { NodeName, SharedClock } from "@errata/core/ports"
import { SentryPayloadDecoder } from "@errata/sentry"
import { Engine, FrameMapping } from "@errata/sourcemap"
import { makeRecentBlocks, PostgresStorage, RecentBlocks } from "@errata/storage-postgres"
import { type Cause, Deferred, Effect, Layer, Redacted, Schedule, Schema } from "effect"
import { withBlobs } from "./Blobs.js"
import * as Logging from "./Logging.js"
import { nodeName } from "./NodeName.js"
import type { RecorderData, RecorderMessage, RecorderReport } from "./RecorderMessage.js"
import * as Tracing from "./Tracing.js"

const { answerMillis, blobs, databaseSchema, databaseUrl, databaseWorkerUrls, hasMetrics, log, settings } =
  workerData as RecorderData
const port = parentPort!

const logFailure = (message: string, cause: Cause.Cause<unknown>) =>
  Effect.suspend(() => {
    const error = StorageOutage.unavailability(cause)
    if (error === null) return Effect.logError(message, cause)
    const detail = error.cause instanceof Error ? error.cause.message : String(error.cause)
    return Effect.sync(() =>
      port.postMessage({ operation: error.operation, detail } satisfies RecorderReport),
    )
  })

const storage = withBlobs(
  // Migrations are the server's job.
  PostgresStorage.layer({
    url: Redacted.make(databaseUrl),
    workerUrls: databaseWorkerUrls.map((url) => Redacted.make(url)),
    schema: databaseSchema,
    answerTimeout: answerMillis,
    migrates: false,
  }),
  blobs,
)

const recentBlocks = makeRecentBlocks()

const stopped = Deferred.makeUnsafe<void>()
port.on("message", (message: RecorderMessage) => {
  if (message === "stop") Effect.runFork(Deferred.succeed(stopped, undefined))
  else if (message !== "wake") recentBlocks.keep(message.blocks)
})

const tellMetrics = Effect.sync(() =>
  port.postMessage({ metrics: MetricFamily.snapshot() } satisfies RecorderReport),
)

const record = Effect.gen(function* () {
  const signal = yield* RecorderSignal
  port.on("message", (message: RecorderMessage) => {
    if (message === "wake") Effect.runFork(signal.raise)
  })
  yield* Layer.build(Layer.provide(Services.layerRecorder, FrameMapping.layer))
  if (hasMetrics) yield* Effect.forkScoped(Effect.repeat(tellMetrics, Schedule.spaced("1 second")))
  return yield* Effect.never
}).pipe(
  Effect.scoped,
  Effect.provide([
    RecorderSignal.Default,
    SentryPayloadDecoder.layer(),
    Engine.layer,
    Layer.provideMerge(
      SharedClock.layer,
      // If the database is unavailable at startup, the thread waits as it would later.
      Layer.effectContext(
        Layer.build(Layer.fresh(storage)).pipe(
          Effect.tapCause((cause) => logFailure("Recording cannot start", cause)),
          Effect.retry({
            while: (error: StorageError) => error.reason === "unavailable",
            schedule: Schedule.spaced("1 second"),
          }),
        ),
      ),
    ),
    Layer.succeed(StorageOutage.StorageOutage, { logFailure }),
    Tracing.layer,
    Logging.layer(log),
  ]),
  Effect.provideService(RecentBlocks, () => recentBlocks),
  Effect.provideService(NodeName, nodeName("recorder")),
  Effect.provideService(OutboxSignal, {
    raise: Effect.sync(() => port.postMessage("outbox" satisfies RecorderReport)),
    await: Effect.never,
  }),
  Effect.provideService(ErrataConfig, Schema.decodeSync(ErrataSettings)(settings)),
)

// It can be stopped even while it waits for the database.
const program = Effect.raceFirst(record, Deferred.await(stopped)).pipe(
  // An open port would keep the thread alive.
  Effect.andThen(Effect.sync(() => port.close())),
)

// A failure ends the thread, and its owner gets the error.
await Effect.runPromise(program)
