/**
 * The outbox: group events, written in the transaction of the change and processed after it. Each consumer, such as the
 * webhooks of the instance, leases and settles its own copies.
 */
import { Context, type DateTime, type Duration, type Effect } from "effect"
import type { ProjectId } from "../project/Project.js"
import type { StorageError } from "../storage/StorageError.js"
import type { GroupId } from "./Group.js"
import type { OutboxEventName } from "./GroupEvent.js"

/** A new event for the outbox. */
export interface NewGroupEvent {
  readonly projectId: ProjectId
  readonly groupId: GroupId
  readonly event: OutboxEventName
  /** When the group changed. */
  readonly at: DateTime.Utc
  /** JSON (`GroupEventDocument`). */
  readonly document: string
}

/** An event that one caller holds until the lease expires. */
export interface LeasedGroupEvent extends NewGroupEvent {
  /** Ascending in the order of a group's changes. */
  readonly id: number
  /** Number of leases so far, including this one. */
  readonly attempts: number
}

/** The consumer for webhooks. */
export const webhooksConsumer = "webhooks"

/** The consumer for events that trigger alert rules. */
export const alertsConsumer = "alerts"

/** Events that a consumer other than webhooks receives from now on. */
export interface GroupEventSubscription {
  /** 1 to 200 characters. Nodes with the same name share the events. */
  readonly consumer: string
  readonly events: ReadonlyArray<OutboxEventName>
  /** Null for all projects. */
  readonly projects: ReadonlyArray<ProjectId> | null
  /** The subscription expires after this time unless it is renewed. By the storage's clock. */
  readonly duration: Duration.Duration
}

/** The size and duration of a lease. */
export interface GroupEventLeaseRequest {
  readonly consumer: string
  /** Maximum number of events. */
  readonly limit: number
  /** After this time others may lease the events. By the storage's clock, because nodes share it. */
  readonly duration: Duration.Duration
}

/** Stores the outbox. Only `Outbox` appends to it. */
export class GroupEventStore extends Context.Service<
  GroupEventStore,
  {
    /**
     * Adds events of groups that the caller's transaction has locked, in this order, once per subscribed consumer.
     * Webhooks are subscribed if an enabled webhook of the project is. Later subscriptions do not receive earlier
     * events. Runs one statement for any number of events.
     */
    readonly append: (events: ReadonlyArray<NewGroupEvent>) => Effect.Effect<void, StorageError>

    /** Adds or renews a subscription. Other subscriptions of the consumer remain. */
    readonly subscribe: (subscription: GroupEventSubscription) => Effect.Effect<void, StorageError>

    /** Ends all subscriptions of a consumer and removes its events. Idempotent. */
    readonly unsubscribe: (consumer: string) => Effect.Effect<void, StorageError>

    /**
     * Removes expired subscriptions, and up to `limit` events of consumers without one. Returns the number of events.
     */
    readonly removeAbandoned: (limit: number) => Effect.Effect<number, StorageError>

    /**
     * Leases the oldest free events of a consumer, in the order of their ids. Each event goes to one caller only.
     * Events of a group wait while another caller holds an earlier one of it.
     */
    readonly lease: (
      request: GroupEventLeaseRequest,
    ) => Effect.Effect<ReadonlyArray<LeasedGroupEvent>, StorageError>

    /**
     * Removes processed events. Returns whether the caller still held all of them. Events that another caller has
     * leased since stay; the settling transaction must then roll back.
     */
    readonly settle: (
      consumer: string,
      events: ReadonlyArray<LeasedGroupEvent>,
    ) => Effect.Effect<boolean, StorageError>

    /** Ends leases early. Events that another caller has leased since are unaffected. */
    readonly release: (
      consumer: string,
      events: ReadonlyArray<LeasedGroupEvent>,
    ) => Effect.Effect<void, StorageError>
  }
>()("@errata/core/group/GroupEventStore") {}
