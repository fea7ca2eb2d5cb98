/** A piece of background work, and what is known of it across all nodes. */
import { Cause, type DateTime, type Duration, type Effect } from "effect"
import type { ErrataSettings } from "../ErrataConfig.js"
import { StorageError } from "../storage/StorageError.js"

/** What is to be done again and again, on one node at a time. */
export interface Job<R = never> {
  /** Distinct from all others', and kept for ever: the storage knows the work by it. */
  readonly name: string
  /** From the end of one run to the beginning of the next one. */
  readonly interval: (settings: ErrataSettings) => Duration.Duration
  /**
   * Does what there is to do now, in short transactions. It is interrupted when the node stops or has lost its lease, and
   * whoever runs it next goes on.
   */
  readonly run: Effect.Effect<unknown, unknown, R>
}

/** What a node that no longer runs a job leaves of it. */
export type JobOutcome =
  | { readonly _tag: "Succeeded"; readonly next: Duration.Duration }
  | { readonly _tag: "Failed"; readonly failure: string; readonly next: Duration.Duration }
  /** It did not come to its end, and is due at once. */
  | { readonly _tag: "Interrupted" }

/** Times are the storage's. */
export interface JobState {
  readonly name: string
  /** Who runs it, or ran it last. */
  readonly node: string
  /** Until when nobody else takes it; null where nobody runs it. */
  readonly leasedUntil: DateTime.Utc | null
  /** When it is to be run, or to be heard of, again. */
  readonly dueAt: DateTime.Utc
  readonly heartbeatAt: DateTime.Utc
  readonly startedAt: DateTime.Utc
  readonly succeededAt: DateTime.Utc | null
  readonly failedAt: DateTime.Utc | null
  /** What kind of failure the last one was (`failureOf`), also when it has succeeded since. */
  readonly failure: string | null
}

/** The class of a failure: nothing of what it says, which may be a secret or somebody's data. */
export const failureOf = (cause: Cause.Cause<unknown>): string => {
  const failure = Cause.findErrorOption(cause)
  if (failure._tag === "None") return "defect"
  const error = failure.value
  if (error instanceof StorageError) return `storage_${error.reason}`
  if (typeof error === "object" && error !== null && "_tag" in error) return String(error._tag)
  return error instanceof Error ? error.name : "unknown"
}
