/** Who runs which background work, by the storage's clock, because nodes share it. */
import { Context, type DateTime, type Duration, type Effect } from "effect"
import type { StorageError } from "../storage/StorageError.js"
import type { JobOutcome, JobState } from "./Job.js"

/** Whether a node may run a job now, or when to ask again. */
export type JobTurn =
  | { readonly _tag: "Acquired" }
  | { readonly _tag: "Later"; readonly after: Duration.Duration }

/** A report of a node about work that has leases of its own. */
export type HeartbeatOutcome = "started" | "succeeded" | { readonly failure: string }

/** A job is known from the first time that somebody asks for it; then it is due at once. */
export class JobStore extends Context.Service<
  JobStore,
  {
    /**
     * Takes a job that is due and that no other node holds, for a limited time. No two nodes get it, however many ask at
     * once. A node that holds it already gets it again.
     */
    readonly acquire: (
      name: string,
      node: string,
      duration: Duration.Duration,
    ) => Effect.Effect<JobTurn, StorageError>

    /** Holds a job for some time from now on, and tells that its node lives; answers whether it is still the node's. */
    readonly renew: (
      name: string,
      node: string,
      duration: Duration.Duration,
    ) => Effect.Effect<boolean, StorageError>

    /** Gives a job back. A node that has lost it changes nothing, and is answered false. */
    readonly release: (
      name: string,
      node: string,
      outcome: JobOutcome,
    ) => Effect.Effect<boolean, StorageError>

    /**
     * Records the state of work that has leases of its own, and that its next heartbeat is due after `next`. `started` sets
     * `startedAt`, `succeeded` sets `succeededAt`, and a failure sets `failedAt` and its class (`failureOf`).
     */
    readonly heartbeat: (
      name: string,
      node: string,
      next: Duration.Duration,
      outcome: HeartbeatOutcome,
    ) => Effect.Effect<void, StorageError>

    /** Everything that is known, by name, and the time that it is for the storage. */
    readonly list: Effect.Effect<
      { readonly now: DateTime.Utc; readonly jobs: ReadonlyArray<JobState> },
      StorageError
    >
  }
>()("@errata/core/background/JobStore") {}
