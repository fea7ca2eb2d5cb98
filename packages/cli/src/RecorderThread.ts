/**
 * Records on a separate thread. Decoding and grouping take more processor time than accepting. On the server's thread
 * they would delay responses, and a second core would be idle.
 */
import { Worker } from "node:worker_threads"
import { ErrataConfig, ErrataSettings, RecorderSignal, StorageError } from "@errata/core"
import { type MetricFamily, OutboxSignal, StorageOutage, Waiting } from "@errata/core/internal"
import type { RecentBlocksService } from "@errata/storage-postgres"
import {
  Cause,
  Data,
  Deferred,
  Duration,
  Effect,
  Fiber,
  Redacted,
  Schedule,
  Schema,
  type Scope,
} from "effect"
import type { BlobsChoice } from "./Blobs.js"
import { CurrentLogSettings } from "./Logging.js"
import type { RecorderData, RecorderMessage, RecorderReport } from "./RecorderMessage.js"
import type { Database } from "./Storage.js"

/** Connects the storage of this process to the recorder thread. */
export class Handover {
  private thread: Worker | null = null
  private counted: ReadonlyArray<MetricFamily.MetricFamily> = []

  /** Returns the latest metrics of the thread. Its gauges have a label, because they do not measure the server. */
  readonly metrics = (): ReadonlyArray<MetricFamily.MetricFamily> => this.counted

  /** For the storage: transfers appended blocks to the thread. Without a thread they are dropped. */
  readonly recentBlocks = (): RecentBlocksService => ({
    keep: (blocks) => {
      if (this.thread === null) return
      // A block with its own buffer is transferred, others are copied.
      const transfer = blocks
        .filter(({ block }) => block.byteLength === block.buffer.byteLength)
        .map(({ block }) => block.buffer as ArrayBuffer)
      this.thread.postMessage({ blocks } satisfies RecorderMessage, transfer)
    },
    snapshot: () => new Map(),
    drop: () => {},
  })

  count(metrics: ReadonlyArray<MetricFamily.MetricFamily>): void {
    this.counted = metrics.map((family) =>
      family.type === "gauge"
        ? {
            ...family,
            samples: family.samples.map((sample) => ({
              ...sample,
              labels: { ...sample.labels, thread: "recorder" },
            })),
          }
        : family,
    )
  }

  attach(thread: Worker): void {
    this.thread = thread
  }

  detach(): void {
    this.thread = null
  }
}

/** The thread ended unexpectedly. */
class ThreadEnded extends Data.TaggedError("ThreadEnded")<{ readonly cause: unknown }> {}

export interface RecorderThreadOptions {
  readonly script: URL
  readonly database: Database
  readonly blobs: BlobsChoice
  readonly handover: Handover
  /** True if the thread sends its metrics. */
  readonly hasMetrics: boolean
}

/** Runs the workers of this node and restarts the thread if it dies. Closing the scope waits for running batches. */
export const start = (
  options: RecorderThreadOptions,
): Effect.Effect<void, never, RecorderSignal | Scope.Scope> =>
  Effect.gen(function* () {
    const signal = yield* RecorderSignal
    const stopping = yield* Deferred.make<void>()
    const thread = yield* runThread(options, signal, stopping).pipe(
      Effect.tapError((error) =>
        Effect.logError("The recorder thread ended and is being restarted", error.cause),
      ),
      Effect.retry(Schedule.spaced("1 second")),
      Effect.interruptible,
      Effect.forkDetach,
    )
    yield* Effect.addFinalizer(() =>
      Effect.andThen(
        Deferred.succeed(stopping, undefined),
        Waiting.atMost(stopTimeout)(Fiber.join(thread)),
      ).pipe(Effect.orDie),
    )
  })

// internal

const stopTimeout = "30 seconds"

/**
 * A payload that exhausts the memory ends the thread and not the server. Its batch becomes a suspect. A small young
 * generation saves memory.
 */
const resourceLimits = { maxOldGenerationSizeMb: 1000, maxYoungGenerationSizeMb: 20 }

const runThread = (
  { blobs, database, handover, hasMetrics, script }: RecorderThreadOptions,
  signal: RecorderSignal["Service"],
  stopping: Deferred.Deferred<void>,
): Effect.Effect<void, ThreadEnded> =>
  Effect.gen(function* () {
    const log = yield* CurrentLogSettings
    const settings = Schema.encodeSync(ErrataSettings)(yield* ErrataConfig)
    const data: RecorderData = {
      databaseUrl: Redacted.value(database.url),
      databaseWorkerUrls: database.workerUrls?.map(Redacted.value) ?? [],
      databaseSchema: database.schema,
      answerMillis: Duration.toMillis(database.answerTimeout),
      blobs,
      log,
      settings,
      hasMetrics,
    }
    const thread = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const thread = new Worker(script, { workerData: data, resourceLimits })
        handover.attach(thread)
        return thread
      }),
      (thread) =>
        Effect.promise(() => {
          handover.detach()
          return thread.terminate()
        }),
    )
    const send = (message: RecorderMessage) => Effect.sync(() => thread.postMessage(message))
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(signal.await, send("wake"))))
    yield* Effect.forkScoped(Effect.andThen(Deferred.await(stopping), send("stop")))
    const outage = yield* StorageOutage.StorageOutage
    const outbox = yield* OutboxSignal
    const runFork = Effect.runForkWith(yield* Effect.context<never>())
    thread.on("message", (report: RecorderReport) => {
      if (report === "outbox") {
        runFork(outbox.raise)
        return
      }
      if ("metrics" in report) {
        handover.count(report.metrics)
        return
      }
      const { detail, operation } = report
      const error = new StorageError({ operation, reason: "unavailable", cause: new Error(detail) })
      runFork(outage.logFailure("Recording failed", Cause.fail(error)))
    })
    yield* Effect.callback<void, ThreadEnded>((resume) => {
      let cause: unknown = "it exited"
      thread.once("error", (error) => {
        cause = error
      })
      thread.once("exit", () => {
        resume(
          Effect.flatMap(Deferred.isDone(stopping), (asked) =>
            asked ? Effect.void : new ThreadEnded({ cause }),
          ),
        )
      })
    })
  }).pipe(Effect.scoped)
