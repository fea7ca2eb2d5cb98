/** Background jobs and their state across all nodes. */
import { Cause, type DateTime, type Duration, Effect, Option } from "effect"
import type { ErrataSettings } from "../ErrataConfig.js"
import { StorageError } from "../storage/StorageError.js"

/** A task that runs repeatedly, on one node at a time. */
export interface Job<R = never> {
  /** Unique and permanent: the storage identifies the job by it. */
  readonly name: string
  /** From the end of one run to the start of the next. Default: `backgroundInterval`. */
  readonly interval?: ((settings: ErrataSettings) => Duration.Duration) | undefined
  /** Does the pending work in short transactions. Interrupted when the node stops or loses its lease. */
  readonly run: Effect.Effect<unknown, unknown, R>
}

/** The result of a run. */
export type JobOutcome =
  | { readonly _tag: "Succeeded"; readonly next: Duration.Duration }
  | { readonly _tag: "Failed"; readonly failure: string; readonly next: Duration.Duration }
  /** The run did not finish. The job is due immediately. */
  | { readonly _tag: "Interrupted" }

/** State of a job in the storage. Times are by the storage's clock. */
export interface JobState {
  readonly name: string
  /** The node that runs it, or ran it last. */
  readonly node: string
  /** When the lease expires; null while no node runs the job. */
  readonly leasedUntil: DateTime.Utc | null
  /** When the next run or heartbeat is due. */
  readonly dueAt: DateTime.Utc
  readonly heartbeatAt: DateTime.Utc
  readonly startedAt: DateTime.Utc
  readonly succeededAt: DateTime.Utc | null
  readonly failedAt: DateTime.Utc | null
  /** Class of the last failure (`failureOf`). It is kept after later successes. */
  readonly failure: string | null
}

/** Repeats a step until it handles fewer than `limit` items. Returns the number of all items. */
export const inSteps = <E, R>(
  step: Effect.Effect<number, E, R>,
  limit: number,
): Effect.Effect<number, E, R> =>
  Effect.gen(function* () {
    let total = 0
    while (true) {
      const done = yield* step
      total += done
      if (done < limit) return total
      yield* Effect.yieldNow
    }
  })

/** The class of a failure, without its message, which may contain secrets or personal data. */
export const failureOf = (cause: Cause.Cause<unknown>): string => {
  const failure = Cause.findErrorOption(cause)
  if (Option.isNone(failure)) return "defect"
  const error = failure.value
  if (error instanceof StorageError) return `storage_${error.reason}`
  if (typeof error === "object" && error !== null && "_tag" in error) return String(error._tag)
  return error instanceof Error ? error.name : "unknown"
}
