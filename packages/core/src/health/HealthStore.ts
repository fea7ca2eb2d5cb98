/**
 * What a storage can tell of the state of an instance. It answers on a way of its own, which no request waits for and
 * which waits for no request, and within seconds: whoever asks wants to know whether it hangs.
 */
import { Context, type DateTime, type Effect } from "effect"
import type { JobState } from "../background/Job.js"
import type { StorageError } from "../storage/StorageError.js"

/** The work that is shared by all nodes. Times are the storage's. */
export interface StoredWork {
  readonly now: DateTime.Utc
  /** What is known of background work and of recording, by name. */
  readonly jobs: ReadonlyArray<JobState>
  /**
   * Since when what has waited longest for its recording has been ready, held by somebody or not; null where nothing
   * waits. What waits for a moment that is still to come, such as feedback for its event, is not ready.
   */
  readonly errorReadySince: DateTime.Utc | null
  /**
   * Since when what webhooks are to be told has been ready with nobody at it: an event of which no delivery was made, or a
   * delivery to an enabled webhook that is due and that nobody holds. Deliveries to one webhook wait for one another, so
   * such a one counts from when any of its webhook's was taken last; null where nothing waits. A receiver that is slow
   * holds up its own deliveries, and that is no fault of the instance.
   */
  readonly notificationReadySince: DateTime.Utc | null
}

/** How much there is of what an operator watches. */
export interface StoredAmounts {
  /** Payloads that are not recorded yet, and the bytes of their bodies. */
  readonly pendingPayloads: number
  readonly pendingBytes: number
  readonly deadLetters: number
  readonly deadLetterBytes: number
  /** Bytes of the objects with bodies of old reports. */
  readonly archivedBytes: number
  /** Events of groups that wait for webhooks or for rules. */
  readonly waitingGroupEvents: number
  readonly pendingDeliveries: number
  /** Those that were given up in the last 24 hours. */
  readonly failedDeliveries: number
}

/** Answers what health checks ask of a storage. On a connection of its own, within seconds. */
export class HealthStore extends Context.Service<
  HealthStore,
  {
    /** Whether the schema lacks something that this version needs. The rest can be asked only where it does not. */
    readonly hasPendingMigrations: Effect.Effect<boolean, StorageError>

    readonly work: Effect.Effect<StoredWork, StorageError>

    /** Makes something durable that nobody needs. */
    readonly write: Effect.Effect<void, StorageError>

    readonly amounts: Effect.Effect<StoredAmounts, StorageError>

    /** The bytes of tables and indexes. Null for storages that keep nothing on a disk. May take seconds. */
    readonly databaseBytes: Effect.Effect<number | null, StorageError>
  }
>()("@errata/core/health/HealthStore") {}
