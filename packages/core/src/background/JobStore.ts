/** Leases of background jobs. They use the storage's clock, because nodes share them. */
import { Context, type DateTime, type Duration, type Effect } from "effect"
import type { StorageError } from "../storage/StorageError.js"
import type { JobOutcome, JobState } from "./Job.js"

/** The answer to `acquire`: the node may run the job now, or how long to wait before the next attempt. */
export type JobTurn =
  | { readonly _tag: "Acquired" }
  | { readonly _tag: "Later"; readonly after: Duration.Duration }

/** A node's report on work that has leases of its own. */
export type HeartbeatOutcome = "started" | "succeeded" | { readonly failure: string }

/** Stores jobs and their leases. The first `acquire` creates a job, which is due at once. */
export class JobStore extends Context.Service<
  JobStore,
  {
    /**
     * Leases a due job that no other node holds. Only one of several concurrent callers gets it. A node that holds the
     * job already gets it again.
     */
    readonly acquire: (
      name: string,
      node: string,
      duration: Duration.Duration,
    ) => Effect.Effect<JobTurn, StorageError>

    /** Extends the lease and records that the node is alive. Returns whether the node still holds it. */
    readonly renew: (
      name: string,
      node: string,
      duration: Duration.Duration,
    ) => Effect.Effect<boolean, StorageError>

    /** Releases a job. Returns false and changes nothing if the node has lost it. */
    readonly release: (
      name: string,
      node: string,
      outcome: JobOutcome,
    ) => Effect.Effect<boolean, StorageError>

    /**
     * Records the state of work that has leases of its own, and that its next heartbeat is due after `next`. `started`
     * sets `startedAt`, `succeeded` sets `succeededAt`, and a failure sets `failedAt` and its class (`failureOf`).
     */
    readonly heartbeat: (
      name: string,
      node: string,
      next: Duration.Duration,
      outcome: HeartbeatOutcome,
    ) => Effect.Effect<void, StorageError>

    /** All jobs by name, and the storage's current time. */
    readonly list: Effect.Effect<
      { readonly now: DateTime.Utc; readonly jobs: ReadonlyArray<JobState> },
      StorageError
    >
  }
>()("@errata/core/background/JobStore") {}
