/** This process as one of several that serve on the same port, and its messages to and from the process that started it. */
import cluster from "node:cluster"
import { MetricFamily } from "@errata/core/internal"
import { Effect, identity, Schedule, type Scope } from "effect"

type Families = ReadonlyArray<MetricFamily.MetricFamily>

/** From a server process to the supervisor. */
export type FromProcess = "serving" | { readonly metrics: Families }

/** From the supervisor to a server process. The metrics are those of all other processes. */
export type ToProcess = "stop" | { readonly metrics: Families }

/** The number of this process among those of the server. 1 is the first one, and a server of a single process. */
export const number = cluster.worker?.id ?? 1

/** Adds the number of this process to its log, if there are several. */
export const annotated: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> = cluster.isWorker
  ? Effect.annotateLogs("process", number)
  : identity

/** Reports to the supervisor that this process serves. */
export const serving: Effect.Effect<void> = Effect.sync(() => send("serving"))

/** Waits until the supervisor stops this process. A server of a single process runs until it receives a signal. */
export const stopped: Effect.Effect<void> = Effect.callback((resume) => {
  const onMessage = (message: ToProcess) => {
    if (message === "stop") resume(Effect.void)
  }
  process.on("message", onMessage)
  return Effect.sync(() => process.off("message", onMessage))
})

/** Lets this process exit. Otherwise the connection to the supervisor would keep it running. */
export const release: Effect.Effect<void> = Effect.sync(() => process.channel?.unref())

/**
 * Returns the metrics of this process together with those of the others. `own` reads those of this process. They are sent
 * each second: a scrape may reach any process.
 */
export const sharedMetrics = (own: () => Families): Effect.Effect<() => Families, never, Scope.Scope> =>
  Effect.gen(function* () {
    if (!cluster.isWorker) return own
    const labelled = () => MetricFamily.labelled(own(), { process: String(number) })
    let others: Families = []
    const onMessage = (message: ToProcess) => {
      if (message !== "stop") others = message.metrics
    }
    process.on("message", onMessage)
    yield* Effect.addFinalizer(() => Effect.sync(() => process.off("message", onMessage)))
    yield* Effect.sync(() => send({ metrics: labelled() })).pipe(
      Effect.repeat(Schedule.spaced("1 second")),
      Effect.interruptible,
      Effect.forkScoped,
    )
    return () => MetricFamily.together(labelled(), others)
  })

// internal

const send = (message: FromProcess): void => {
  // The supervisor may be gone.
  if (process.connected) process.send?.(message)
}
