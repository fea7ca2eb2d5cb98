/** Runs a server in several processes that accept on one port. The supervisor starts, restarts and stops them. */
import cluster, { type Worker } from "node:cluster"
import type { MetricFamily } from "@errata/core/internal"
import { Data, Deferred, Duration, Effect, Schedule } from "effect"
import type { FromProcess, ToProcess } from "./ServerProcess.js"
import { longestStop } from "./StopLimit.js"

/**
 * Starts the first process and, when it serves, the others: only one of them migrates the schema and creates the admin. If
 * the first one cannot start, this process exits with its status. Runs until it is interrupted, then stops all processes.
 */
export const run = (processes: number, drainTime: Duration.Duration): Effect.Effect<void> =>
  Effect.gen(function* () {
    // Each process accepts connections itself. Otherwise, this process passes them on, also to a process that has just died, and
    // such a client never gets an answer. `setupPrimary` freezes the policy.
    cluster.schedulingPolicy = cluster.SCHED_NONE
    cluster.setupPrimary({ serialization: "advanced" })
    const start = starter(Duration.sum(drainTime, Duration.sum(longestStop, margin)))
    const serving = yield* Deferred.make<void>()
    const keepRunning = start(Effect.void).pipe(Effect.tapError(logEnd), Effect.retry(Schedule.spaced(pause)))
    const first = start(Deferred.succeed(serving, undefined)).pipe(
      Effect.catch((ended) =>
        Effect.flatMap(Deferred.isDone(serving), (served) =>
          served ? Effect.andThen(logEnd(ended), Effect.delay(keepRunning, pause)) : ended,
        ),
      ),
    )
    const others = Array.from({ length: processes - 1 }, () =>
      Effect.andThen(Deferred.await(serving), keepRunning),
    )
    yield* Effect.all([first, ...others], { concurrency: "unbounded", discard: true })
  }).pipe(
    // The process has logged the reason.
    Effect.catchTag("ProcessEnded", ({ code }) =>
      Effect.sync(() => {
        process.exitCode = code ?? 1
      }),
    ),
  )

// internal

/** Before the restart of a process. */
const pause = "1 second"

/** For a process that does not end by itself in time. */
const margin = Duration.seconds(4)

class ProcessEnded extends Data.TaggedError("ProcessEnded")<{
  readonly code: number | null
  readonly signal: string | null
}> {}

/** Logs the end of a process. Its accepted events are in the storage, and the others record them. */
const logEnd = ({ code, signal }: ProcessEnded) =>
  Effect.annotateLogs(Effect.logError("A server process ended and will be restarted"), { code, signal })

type Start = (onServing: Effect.Effect<unknown>) => Effect.Effect<never, ProcessEnded>

/** Runs a process until it ends, and stops it on interruption. */
const starter = (stopTime: Duration.Duration): Start => {
  const metrics = new Map<number, ReadonlyArray<MetricFamily.MetricFamily>>()
  const receive = (worker: Worker, message: Exclude<FromProcess, "serving">) => {
    metrics.set(worker.id, message.metrics)
    const others = [...metrics].filter(([id]) => id !== worker.id)
    send(worker, { metrics: others.flatMap(([, families]) => families) })
  }
  const ended = (worker: Worker, onServing: Effect.Effect<unknown>) =>
    Effect.callback<never, ProcessEnded>((resume) => {
      worker.on("message", (message: FromProcess) => {
        if (message === "serving") Effect.runFork(onServing)
        else receive(worker, message)
      })
      worker.once("exit", (code, signal) => resume(new ProcessEnded({ code, signal })))
    })
  return (onServing) =>
    Effect.acquireUseRelease(
      Effect.sync(() => cluster.fork()),
      (worker) => ended(worker, onServing),
      (worker) =>
        Effect.andThen(
          stop(worker, stopTime),
          Effect.sync(() => metrics.delete(worker.id)),
        ),
    )
}

const stop = (worker: Worker, stopTime: Duration.Duration): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    if (worker.isDead()) return resume(Effect.void)
    worker.once("exit", () => resume(Effect.void))
    send(worker, "stop")
  }).pipe(
    Effect.timeoutOption(stopTime),
    Effect.andThen(
      Effect.sync(() => {
        if (!worker.isDead()) worker.process.kill("SIGKILL")
      }),
    ),
  )

const send = (worker: Worker, message: ToProcess): void => {
  if (worker.isConnected()) worker.send(message)
}
