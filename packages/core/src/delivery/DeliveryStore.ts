import { Context, type DateTime, type Duration, type Effect, type Option } from "effect"
import type { SealedSecret } from "../encryption/SealedSecret.js"
import type { GroupId } from "../id/GroupId.js"
import type { ProjectId } from "../project/Project.js"
import type { Page, PageRequest } from "../storage/Page.js"
import type { StorageError } from "../storage/StorageError.js"
import type { UserId } from "../user/User.js"
import type { Delivery, DeliveryEvent, DeliveryId, DeliveryStatus, Throttle } from "./Delivery.js"
import type { TargetId } from "./Target.js"

/** A new delivery. */
export interface NewDelivery {
  readonly projectId: ProjectId
  readonly targetId: TargetId
  /** The group of the event; null for a message that a user requested. */
  readonly groupId: GroupId | null
  readonly event: DeliveryEvent
  readonly ruleId: number | null
  readonly userId: UserId | null
  readonly recipient: string | null
  readonly resendOf: DeliveryId | null
  /** JSON. */
  readonly requestBody: string
  /** A message that is held back, with the reason in words: kept in the history only, and never pending. */
  readonly heldBack: { readonly throttle: Throttle; readonly reason: string } | null
}

/** Narrows the list of a target; null for all. */
export interface DeliveryFilter {
  readonly event: DeliveryEvent | null
  readonly success: boolean | null
}

/** Narrows the list of a project's notifications; null for all. */
export interface NotificationFilter {
  readonly targetId: TargetId | null
  readonly ruleId: number | null
  readonly groupId: GroupId | null
  readonly status: DeliveryStatus | null
}

/** Limits of a lease. */
export interface DeliveryLeaseRequest {
  /** Maximum number of deliveries. */
  readonly limit: number
  /** Maximum number of deliveries to one target. */
  readonly perTarget: number
  /** Targets with a limit of their own. */
  readonly exceptions: ReadonlyArray<{ readonly targetId: TargetId; readonly limit: number }>
  /** After this time, other nodes may lease them. Uses the storage's clock, which all nodes share. */
  readonly duration: Duration.Duration
}

/** A leased delivery, with the data for sending it. */
export interface LeasedDelivery {
  readonly id: DeliveryId
  readonly projectId: ProjectId
  readonly targetId: TargetId
  readonly groupId: GroupId | null
  readonly event: DeliveryEvent
  readonly userId: UserId | null
  readonly recipient: string | null
  readonly resendOf: DeliveryId | null
  readonly requestBody: string
  /** Number of finished attempts. */
  readonly attempts: number
  /** The number of leases, including this one. A caller with another number has lost it. */
  readonly leases: number
  /** The kind of the target: `webhook`, `members`, or that of a `NotificationTarget`. */
  readonly kind: string
  /** The URL of a webhook; null for other kinds. */
  readonly url: string | null
  /** The fields of the target's address that are no secrets. */
  readonly address: Readonly<Record<string, string>>
  /** True if the target is enabled at the moment of the lease. */
  readonly enabled: boolean
  /** True if the last messages to the target failed (`Target.failingSince`). */
  readonly isFailing: boolean
  readonly secret: SealedSecret | null
}

/** The result of an attempt. */
export interface AttemptResult {
  readonly status: Exclude<DeliveryStatus, "throttled">
  readonly responseStatus: number | null
  readonly error: string | null
  readonly durationMs: number
  /** Pause before the next attempt. Null if there is none; the delivery is then no longer pending. */
  readonly pause: Duration.Duration | null
}

/** Messages that were held back in a period, of one receiver. */
export interface HeldBack {
  readonly targetId: TargetId
  readonly userId: UserId | null
  readonly recipient: string | null
  readonly count: number
  /** The newest ones, at most 10, as `NewDelivery.requestBody`. */
  readonly newest: ReadonlyArray<string>
}

/** Stores deliveries and their results. */
export class DeliveryStore extends Context.Service<
  DeliveryStore,
  {
    /**
     * Adds deliveries, pending and due at once, except those that are held back. Returns the new ids by position,
     * null if the target was deleted, even concurrently.
     */
    readonly insert: (
      deliveries: ReadonlyArray<NewDelivery>,
      now: DateTime.Utc,
    ) => Effect.Effect<ReadonlyArray<DeliveryId | null>, StorageError>

    /**
     * Leases due pending deliveries of live projects. No two callers get the same one. Targets take turns, so that
     * many deliveries to one do not delay others. For each target, requested messages come first, then the oldest.
     * The first attempt of a delivery waits for those of all earlier ones of the same group and target.
     */
    readonly lease: (
      request: DeliveryLeaseRequest,
    ) => Effect.Effect<ReadonlyArray<LeasedDelivery>, StorageError>

    /** Writes the results of attempts. Deliveries that the caller has lost stay as they are. */
    readonly settle: (
      results: ReadonlyArray<{ readonly delivery: LeasedDelivery; readonly result: AttemptResult }>,
    ) => Effect.Effect<void, StorageError>

    /** Ends leases; the deliveries are due at once, as if they had not been leased. */
    readonly release: (deliveries: ReadonlyArray<LeasedDelivery>) => Effect.Effect<void, StorageError>

    readonly find: (
      projectId: ProjectId,
      targetId: TargetId,
      id: DeliveryId,
    ) => Effect.Effect<Option.Option<Delivery>, StorageError>

    /** The deliveries of a target, newest first. */
    readonly list: (
      projectId: ProjectId,
      targetId: TargetId,
      filter: DeliveryFilter,
      page: PageRequest,
    ) => Effect.Effect<Page<Delivery>, StorageError>

    /** The notifications of a project, which are the deliveries to targets other than webhooks, newest first. */
    readonly notifications: (
      projectId: ProjectId,
      filter: NotificationFilter,
      page: PageRequest,
    ) => Effect.Effect<Page<Delivery>, StorageError>

    /**
     * Messages of a project that were held back for a reason and created within [`since`, `until`), by receiver. Null
     * means all targets.
     */
    readonly heldBack: (
      projectId: ProjectId,
      targetId: TargetId | null,
      throttle: Throttle,
      since: DateTime.Utc,
      until: DateTime.Utc,
    ) => Effect.Effect<ReadonlyArray<HeldBack>, StorageError>

    /** Deletes at most `limit` deliveries of a target. Returns their number. */
    readonly removeSome: (
      projectId: ProjectId,
      targetId: TargetId,
      limit: number,
    ) => Effect.Effect<number, StorageError>

    /** Deletes at most `limit` deliveries that ended longer ago than this. Returns their number. */
    readonly forget: (age: Duration.Duration, limit: number) => Effect.Effect<number, StorageError>
  }
>()("@errata/core/delivery/DeliveryStore") {}
