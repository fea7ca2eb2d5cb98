/**
 * The durable queue between accepting and recording. A payload is written once: the queue, retries and dead letters
 * refer to its place. Payloads of a project that were appended together form a batch. Workers lease batches, so the
 * cost of queueing hardly grows with the number of payloads. Times come from the storage's clock, which all nodes
 * share.
 */
import { Context, type DateTime, type Duration, type Effect, type Option } from "effect"
import type { Payload, PayloadPlace, StoredPayload } from "../payload/PayloadDecoder.js"
import type { ProjectId } from "../project/Project.js"
import type { Page, PageRequest } from "../storage/Page.js"
import type { StorageError } from "../storage/StorageError.js"

/** A leased batch: payloads of one project. */
export interface PendingBatch {
  readonly id: number
  /** The number of leases, including this one. Above 1, an earlier attempt did not finish. */
  readonly attempts: number
  readonly projectId: ProjectId
  /** The payloads that are not recorded yet; all from one segment. */
  readonly payloads: ReadonlyArray<StoredPayload>
}

/** All or some payloads of a batch. */
export interface BatchPart {
  readonly batchId: number
  readonly projectId: ProjectId
  /** Positions in the batch's segment. */
  readonly positions: ReadonlyArray<number>
  /** Total size of their bodies. */
  readonly bytes: number
  /** True if no other payloads of the batch remain. */
  readonly whole: boolean
}

/** Limits of a lease. */
export interface LeaseRequest {
  /** Stop adding batches at this number of payloads. At least one batch is leased. */
  readonly payloads: number
  /** The same for the total size of bodies. */
  readonly bytes: number
  /** After this time, other workers may lease the batches, unless the lease is renewed. */
  readonly duration: Duration.Duration
}

/** Limits for the dead letters of a project. */
export interface DeadLetterBounds {
  readonly payloads: number
  /** Total size of their bodies. */
  readonly bytes: number
}

/** A payload that cannot be recorded, with the reason. It is kept until it is retried, discarded or expired. */
export interface DeadLetter extends Omit<Payload, "body"> {
  readonly id: number
  readonly place: PayloadPlace
  /** Size of its body. */
  readonly bytes: number
  readonly reason: string
  readonly failedAt: DateTime.Utc
}

/** The queue of accepted payloads, and the dead letters. */
export class PendingPayloads extends Context.Service<
  PendingPayloads,
  {
    /** Writes payloads and appends them as one or more batches per project. They are durable on success. */
    readonly append: (payloads: ReadonlyArray<Payload>) => Effect.Effect<void, StorageError>

    /** Leases the oldest batches that are not leased. No two callers get the same batch. */
    readonly lease: (request: LeaseRequest) => Effect.Effect<ReadonlyArray<PendingBatch>, StorageError>

    /** Extends leases, except of batches that another caller has leased since. */
    readonly renew: (
      batches: ReadonlyArray<PendingBatch>,
      duration: Duration.Duration,
    ) => Effect.Effect<void, StorageError>

    /**
     * Appends stored payloads that may crash the recorder, each as a batch of its own. `lease` skips them, so that
     * they cannot affect other payloads.
     */
    readonly isolate: (payloads: ReadonlyArray<StoredPayload>) => Effect.Effect<void, StorageError>

    /**
     * Leases the suspect that has waited longest, if one is due. `pauses` are the times until it is due again after
     * each attempt. The last one repeats.
     */
    readonly leaseSuspect: (
      pauses: ReadonlyArray<Duration.Duration>,
    ) => Effect.Effect<Option.Option<PendingBatch>, StorageError>

    /**
     * Removes recorded payloads, and batches that become empty. Returns false if some were missing: another worker
     * has recorded them since the lease expired.
     */
    readonly remove: (parts: ReadonlyArray<BatchPart>) => Effect.Effect<boolean, StorageError>

    /** Releases batches, which can be leased again at once. The attempt is not counted. */
    readonly release: (batches: ReadonlyArray<PendingBatch>) => Effect.Effect<void, StorageError>

    /** Releases batches, which can be leased again after the duration. Their attempts are reset. */
    readonly postpone: (
      batches: ReadonlyArray<PendingBatch>,
      duration: Duration.Duration,
    ) => Effect.Effect<void, StorageError>

    /**
     * Adds payloads that cannot be recorded. Returns their ids. The caller removes them from the queue. Beyond the
     * bounds, the project's oldest dead letters are deleted.
     */
    readonly addDeadLetters: (
      payloads: ReadonlyArray<StoredPayload & { readonly reason: string }>,
      bounds: DeadLetterBounds,
      now: DateTime.Utc,
    ) => Effect.Effect<ReadonlyArray<number>, StorageError>

    /** Deletes at most `limit` dead letters that failed before a time. Returns their number. */
    readonly expireDeadLetters: (before: DateTime.Utc, limit: number) => Effect.Effect<number, StorageError>

    /** Number and size of all dead letters. */
    readonly deadLettersSize: Effect.Effect<
      { readonly payloads: number; readonly bytes: number },
      StorageError
    >

    /** Moves a dead letter back into the queue, as a batch of its own. Returns false if it does not exist. */
    readonly retryDeadLetter: (id: number) => Effect.Effect<boolean, StorageError>

    /** Deletes a dead letter. Returns false if it does not exist. */
    readonly discardDeadLetter: (id: number) => Effect.Effect<boolean, StorageError>

    /** Newest first. */
    readonly listDeadLetters: (page: PageRequest) => Effect.Effect<Page<DeadLetter>, StorageError>

    /** Number and size of payloads that are not recorded yet, leased or not. */
    readonly size: Effect.Effect<{ readonly payloads: number; readonly bytes: number }, StorageError>
  }
>()("@errata/core/ingest/PendingPayloads") {}
