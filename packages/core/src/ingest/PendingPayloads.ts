/**
 * The durable queue between accepting and recording. A payload is written once: the queue, retries and dead
 * letters have its place. Payloads of a project that were appended together form a batch; batches are what is leased, so
 * that the cost of queueing hardly grows with the number of payloads. Times go by the storage's clock, because nodes
 * share them.
 */
import { Context, type DateTime, type Duration, type Effect, type Option } from "effect"
import type { Payload, PayloadPlace, StoredPayload } from "../payload/PayloadDecoder.js"
import type { ProjectId } from "../project/Project.js"
import type { Page, PageRequest } from "../storage/Page.js"
import type { StorageError } from "../storage/StorageError.js"

/** Payloads of one project in the hands of a caller, until its lease runs out. */
export interface PendingBatch {
  readonly id: number
  /** How often the batch was leased, this time included. Above 1, an earlier attempt did not finish. */
  readonly attempts: number
  readonly projectId: ProjectId
  /** What is still to be recorded; all of one segment. */
  readonly payloads: ReadonlyArray<StoredPayload>
}

/** Payloads of one batch, all or some. */
export interface BatchPart {
  readonly batchId: number
  readonly projectId: ProjectId
  /** In the batch's segment. */
  readonly positions: ReadonlyArray<number>
  /** Of their bodies. */
  readonly bytes: number
  /** Whether these are all that is left of the batch. */
  readonly whole: boolean
}

/** How much a caller takes from the queue, and for how long. */
export interface LeaseRequest {
  /** Stop adding batches once there are this many payloads; at least one batch is leased. */
  readonly payloads: number
  /** The same for the bytes of their bodies. */
  readonly bytes: number
  /** After this time others may take the batches, unless the lease is renewed. */
  readonly duration: Duration.Duration
}

/** How long nobody takes a suspect again after an attempt that came to no end. */
export interface SuspectPatience {
  /** After the first attempt; each further one quadruples it. */
  readonly first: Duration.Duration
  readonly longest: Duration.Duration
}

/** Bounds of the dead letters of one project. */
export interface DeadLetterBounds {
  readonly payloads: number
  /** Of their bodies. */
  readonly bytes: number
}

/** A payload that cannot be recorded, with the reason, until an operator looks at it. */
export interface DeadLetter extends Omit<Payload, "body"> {
  readonly id: number
  readonly place: PayloadPlace
  /** Of its body. */
  readonly bytes: number
  readonly reason: string
  readonly failedAt: DateTime.Utc
}

/** The queue: keeps accepted payloads until they are recorded, and dead letters after that. */
export class PendingPayloads extends Context.Service<
  PendingPayloads,
  {
    /** Writes payloads, and appends them as a batch a project or several. They are durable when this succeeds. */
    readonly append: (payloads: ReadonlyArray<Payload>) => Effect.Effect<void, StorageError>

    /** Takes the oldest batches that nobody holds, for a limited time. No two callers get the same batch. */
    readonly lease: (request: LeaseRequest) => Effect.Effect<ReadonlyArray<PendingBatch>, StorageError>

    /** Holds batches for some time from now on, but for those that another caller has leased since. */
    readonly renew: (
      batches: ReadonlyArray<PendingBatch>,
      duration: Duration.Duration,
    ) => Effect.Effect<void, StorageError>

    /**
     * Appends stored payloads that may be what ends their recorder, each as a batch of its own. `lease` passes them
     * over, so that they can harm no other payload.
     */
    readonly isolate: (payloads: ReadonlyArray<StoredPayload>) => Effect.Effect<void, StorageError>

    /** Takes the suspect that has waited longest, if one is due, and lets it wait as long as `patience` says. */
    readonly leaseSuspect: (
      patience: SuspectPatience,
    ) => Effect.Effect<Option.Option<PendingBatch>, StorageError>

    /**
     * Takes recorded payloads out of the queue; batches without any left are removed. Answers whether all of them were
     * still there: where not, another worker has recorded them since the lease ran out.
     */
    readonly remove: (parts: ReadonlyArray<BatchPart>) => Effect.Effect<boolean, StorageError>

    /**
     * Gives leased batches back, to be leased again at once. The attempt is not counted: it is not the batch's fault that
     * nothing came of it.
     */
    readonly release: (batches: ReadonlyArray<PendingBatch>) => Effect.Effect<void, StorageError>

    /** Gives leased batches back, to be leased again when some time has passed. Their attempts are forgotten. */
    readonly postpone: (
      batches: ReadonlyArray<PendingBatch>,
      duration: Duration.Duration,
    ) => Effect.Effect<void, StorageError>

    /**
     * Adds payloads that cannot be recorded; returns their ids. The caller removes them from the queue. If a project has
     * more of them than the bounds allow, its oldest are deleted.
     */
    readonly addDeadLetters: (
      payloads: ReadonlyArray<StoredPayload & { readonly reason: string }>,
      bounds: DeadLetterBounds,
      now: DateTime.Utc,
    ) => Effect.Effect<ReadonlyArray<number>, StorageError>

    /** Deletes at most `limit` dead letters from before a moment; returns their number. */
    readonly expireDeadLetters: (before: DateTime.Utc, limit: number) => Effect.Effect<number, StorageError>

    /** The dead letters of all projects. */
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

    /** Payloads not yet recorded, leased or not, and the bytes of their bodies. */
    readonly size: Effect.Effect<{ readonly payloads: number; readonly bytes: number }, StorageError>
  }
>()("@errata/core/ingest/PendingPayloads") {}
