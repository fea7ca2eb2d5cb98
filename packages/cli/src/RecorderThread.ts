/**
 * Recording on a thread of its own. Decoding and grouping cost more processor time than accepting: on one thread with
 * the server they would delay its answers, while a second core had little to do.
 */
import { isMainThread, type MessagePort, parentPort, Worker, workerData } from "node:worker_threads"
import { RecorderSignal, Services } from "@errata/core"
import { SentryPayloadDecoder } from "@errata/sentry"
import {
  makeRecentBodies,
  PostgresStorage,
  RecentBodies,
  type RecentBodiesService,
} from "@errata/storage-postgres"
import { Context, Data, Deferred, Effect, Fiber, Layer, Option, Redacted, Schedule, type Scope } from "effect"

/**
 * The script that runs `program` when it is executed by a thread. None unless the process provides it: only an
 * executable knows that the file it was started from does.
 */
export class Script extends Context.Reference<Script>()("@errata/cli/RecorderThread/Script", {
  defaultValue: () => Option.none<URL>(),
}) {}

/** What leads from the storage of this process to the recorder's thread, once there is one. */
export class Handover {
  private thread: Worker | null = null

  /** For the storage: the bodies that it appends move on to the thread; without a thread they are let go. */
  readonly recentBodies = (): RecentBodiesService => ({
    keep: (batchId, body) => {
      if (this.thread === null) return
      // Moved where the body has memory of its own, else copied.
      const transfer = body.byteLength === body.buffer.byteLength ? [body.buffer as ArrayBuffer] : []
      this.thread.postMessage({ batchId, body } satisfies Message, transfer)
    },
    snapshot: () => new Map(),
    drop: () => {},
  })

  attach(thread: Worker): void {
    this.thread = thread
  }

  detach(): void {
    this.thread = null
  }
}

/** The thread has ended though nobody asked it to. */
class ThreadEnded extends Data.TaggedError("ThreadEnded")<{ readonly cause: unknown }> {}

/**
 * Runs the workers of this node on a thread that executes `script`, which must run `program`. A thread that dies is
 * started again. Closing the scope waits for the batches under way.
 */
export const start = (
  script: URL,
  databaseUrl: Redacted.Redacted,
  handover: Handover,
): Effect.Effect<void, never, RecorderSignal | Scope.Scope> =>
  Effect.gen(function* () {
    const signal = yield* RecorderSignal
    const stopping = yield* Deferred.make<void>()
    const thread = yield* runThread(script, databaseUrl, handover, signal, stopping).pipe(
      Effect.tapError((error) =>
        Effect.logError("The recorder's thread ended; it is started again", error.cause),
      ),
      Effect.retry(Schedule.spaced("1 second")),
      Effect.interruptible,
      Effect.forkDaemon,
    )
    yield* Effect.addFinalizer(() =>
      Effect.andThen(
        Deferred.succeed(stopping, undefined),
        Effect.timeoutOption(Fiber.join(thread), stopTimeout),
      ).pipe(Effect.orDie),
    )
  })

/** What a thread that `start` started has to run; null anywhere else. */
export const program = (): Effect.Effect<void, unknown> | null =>
  !isMainThread && parentPort !== null && isThreadData(workerData)
    ? record(parentPort, Redacted.make(workerData.databaseUrl))
    : null

// internal

type Message = "wake" | "stop" | AppendedBatch

/** What this node has just made durable, for its thread to record without asking the database for it. */
interface AppendedBatch {
  readonly batchId: number
  readonly body: Uint8Array
}

interface ThreadData {
  readonly role: "errata-recorder"
  readonly databaseUrl: string
}

const isThreadData = (data: unknown): data is ThreadData =>
  typeof data === "object" && data !== null && "role" in data && data.role === "errata-recorder"

const stopTimeout = "30 seconds"

// A payload that exhausts the memory ends the thread and not the server; its batch becomes a suspect.
const resourceLimits = { maxOldGenerationSizeMb: 256 }

const runThread = (
  script: URL,
  databaseUrl: Redacted.Redacted,
  handover: Handover,
  signal: RecorderSignal,
  stopping: Deferred.Deferred<void>,
): Effect.Effect<void, ThreadEnded> =>
  Effect.gen(function* () {
    const data: ThreadData = { role: "errata-recorder", databaseUrl: Redacted.value(databaseUrl) }
    const worker = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const worker = new Worker(script, { workerData: data, resourceLimits })
        handover.attach(worker)
        return worker
      }),
      (worker) =>
        Effect.promise(() => {
          handover.detach()
          return worker.terminate()
        }),
    )
    const send = (message: Message) => Effect.sync(() => worker.postMessage(message))
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(signal.await, send("wake"))))
    yield* Effect.forkScoped(Effect.andThen(Deferred.await(stopping), send("stop")))
    yield* Effect.async<void, ThreadEnded>((resume) => {
      let cause: unknown = "it exited"
      worker.once("error", (error) => {
        cause = error
      })
      worker.once("exit", () => {
        resume(
          Effect.flatMap(Deferred.isDone(stopping), (asked) =>
            asked ? Effect.void : new ThreadEnded({ cause }),
          ),
        )
      })
    })
  }).pipe(Effect.scoped)

const record = (port: MessagePort, databaseUrl: Redacted.Redacted): Effect.Effect<void, unknown> => {
  const recentBodies = makeRecentBodies()
  return Effect.gen(function* () {
    const signal = yield* RecorderSignal
    const stopped = yield* Deferred.make<void>()
    yield* Layer.build(Services.layerWorkers)
    port.on("message", (message: Message) => {
      if (message === "wake") Effect.runFork(signal.raise)
      else if (message === "stop") Effect.runFork(Deferred.succeed(stopped, undefined))
      else recentBodies.keep(message.batchId, message.body)
    })
    yield* Deferred.await(stopped)
    // An open port would keep the thread.
    yield* Effect.sync(() => port.close())
  }).pipe(
    Effect.scoped,
    Effect.provide(
      Layer.mergeAll(
        RecorderSignal.Default,
        SentryPayloadDecoder.layer(),
        PostgresStorage.layer({ url: databaseUrl }),
      ),
    ),
    Effect.provideService(RecentBodies, () => recentBodies),
  )
}
