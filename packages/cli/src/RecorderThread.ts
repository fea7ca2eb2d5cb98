/**
 * Recording on a thread of its own. Decoding and grouping cost more processor time than accepting: on one thread with
 * the server they would delay its answers, and a second core would have little to do.
 */
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads"
import { RecorderSignal, Services } from "@errata/core"
import { layer as layerDecoder } from "@errata/sentry"
import { PostgresStorage } from "@errata/storage-postgres"
import { Data, Deferred, Effect, Layer, Redacted, Schedule, type Scope } from "effect"

/** The thread has ended though nobody asked it to. */
class ThreadEnded extends Data.TaggedError("ThreadEnded")<{ readonly cause: unknown }> {}

/** What the thread is told when it starts. */
interface ThreadData {
  readonly recorder: { readonly databaseUrl: string }
}

/**
 * Runs the workers of this node on a thread that executes `script`, which must call `runInThread`. A thread that dies
 * is started again. Closing the scope waits for the batches under way.
 */
export const start = (
  script: URL,
  databaseUrl: Redacted.Redacted,
): Effect.Effect<void, never, RecorderSignal | Scope.Scope> =>
  Effect.gen(function* () {
    const signal = yield* RecorderSignal
    const stopping = yield* Deferred.make<void>()
    const stopped = yield* Deferred.make<void>()

    const once = Effect.async<void, ThreadEnded>((resume) => {
      const thread = new Worker(script, {
        workerData: { recorder: { databaseUrl: Redacted.value(databaseUrl) } } satisfies ThreadData,
        // Options of the process, such as a profiler's, are not the thread's.
        execArgv: [],
        // A payload that exhausts the memory ends the thread and not the server; its batch becomes a suspect.
        resourceLimits: { maxOldGenerationSizeMb: 256 },
      })
      let cause: unknown
      thread.once("error", (error) => {
        cause = error
      })
      const forward = Effect.runFork(
        Effect.race(
          Effect.forever(Effect.andThen(signal.await, Effect.sync(() => thread.postMessage(wake)))),
          Effect.andThen(
            Deferred.await(stopping),
            Effect.sync(() => thread.postMessage(stop)),
          ),
        ),
      )
      thread.once("exit", () => {
        forward.unsafeInterruptAsFork(forward.id())
        resume(Effect.flatMap(Deferred.isDone(stopping), (asked) => (asked ? Effect.void : new ThreadEnded({ cause }))))
      })
    })
    yield* once.pipe(
      Effect.tapError((error) => Effect.logError("The recorder's thread ended; it is started again", error.cause)),
      Effect.retry(Schedule.spaced("1 second")),
      Effect.ensuring(Deferred.succeed(stopped, undefined)),
      Effect.forkDaemon,
    )
    yield* Effect.addFinalizer(() =>
      Effect.andThen(Deferred.succeed(stopping, undefined), Effect.timeoutOption(Deferred.await(stopped), "30 seconds")),
    )
  })

/** The thread's own program; none where this is no thread of `start`. */
export const runInThread: Effect.Effect<void> | null =
  !isMainThread && isThreadData(workerData) && parentPort !== null ? record(workerData, parentPort) : null

// internal

const wake = "wake"
const stop = "stop"
