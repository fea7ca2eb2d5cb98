/**
 * Health information from a storage. It has its own connection and responds within seconds, so that checks work while
 * requests hang.
 */
import { Context, type DateTime, type Effect } from "effect"
import type { JobState } from "../background/Job.js"
import type { StorageError } from "../storage/StorageError.js"

/** The state of work that nodes share. Times are by the storage's clock. */
export interface StoredWork {
  readonly now: DateTime.Utc
  /** Background jobs and recorders, by name. */
  readonly jobs: ReadonlyArray<JobState>
  /**
   * When the payload that has waited longest for recording became ready, leased or not; null if none waits. Payloads
   * scheduled for later, such as feedback that waits for its event, are not ready.
   */
  readonly errorReadySince: DateTime.Utc | null
  /**
   * When the oldest notification became ready that no node handles: a group event without deliveries, or a due and
   * unleased delivery to an enabled webhook. Null if none waits. Deliveries to one webhook run one by one, so they
   * count from the last lease of any of them: a slow receiver is not a fault of the instance.
   */
  readonly notificationReadySince: DateTime.Utc | null
}

/** Quantities that an operator monitors. */
export interface StoredAmounts {
  /** Recorded reports, by the counts of projects. */
  readonly reports: number
  /** Payloads that are not recorded yet, and the bytes of their bodies. */
  readonly pendingPayloads: number
  readonly pendingBytes: number
  readonly deadLetters: number
  readonly deadLetterBytes: number
  /** Bytes of archived bodies of old reports in the object store. */
  readonly archivedBytes: number
  /** Group events that wait for webhooks or alert rules. */
  readonly waitingGroupEvents: number
  readonly pendingDeliveries: number
  /** Deliveries that failed permanently in the last 24 hours. */
  readonly failedDeliveries: number
}

/** Reads health information over a separate connection, within seconds. */
export class HealthStore extends Context.Service<
  HealthStore,
  {
    /** True if this version needs migrations that have not run. Only call the other members if it is false. */
    readonly hasPendingMigrations: Effect.Effect<boolean, StorageError>

    readonly work: Effect.Effect<StoredWork, StorageError>

    /** Tests whether the storage accepts a durable write. */
    readonly write: Effect.Effect<void, StorageError>

    readonly amounts: Effect.Effect<StoredAmounts, StorageError>

    /** Bytes of tables and indexes. Null for storages without a disk. May take seconds. */
    readonly databaseBytes: Effect.Effect<number | null, StorageError>
  }
>()("@errata/core/health/HealthStore") {}
