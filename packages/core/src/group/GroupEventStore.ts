/**
 * The outbox: events of groups, written in the transaction of the change, for those who act on them after it. Each consumer,
 * such as the webhooks of the instance, has events of its own, which it leases and settles.
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

/** An event in the hands of one caller, until its lease runs out. */
export interface LeasedGroupEvent extends NewGroupEvent {
  /** Ascending in the order of a group's changes. */
  readonly id: number
  /** How often it was leased, this time included. */
  readonly attempts: number
}

/** The consumer of what webhooks subscribe to. */
export const webhooksConsumer = "webhooks"

/** The consumer of the events that rules of notifications have as triggers. */
export const alertsConsumer = "alerts"

/** The events that a consumer other than the webhooks gets from now on. */
export interface GroupEventSubscription {
  /** 1 to 200 characters. Nodes that share a name share the events. */
  readonly consumer: string
  readonly events: ReadonlyArray<OutboxEventName>
  /** Null for all projects. */
  readonly projects: ReadonlyArray<ProjectId> | null
  /** After this time the subscription ends, unless it was repeated. By the storage's clock. */
  readonly duration: Duration.Duration
}

/** How many events a caller takes, and for how long. */
export interface GroupEventLeaseRequest {
  readonly consumer: string
  /** Of events. */
  readonly limit: number
  /** After this time others may take them. By the storage's clock, because nodes share it. */
  readonly duration: Duration.Duration
}

/** `Outbox` alone appends. */
export class GroupEventStore extends Context.Service<
  GroupEventStore,
  {
    /**
     * Adds events of groups that the caller's transaction has locked, in the order given, once for each consumer that
     * subscribes to them now. The webhooks do if an enabled webhook of the project does. A later subscription does not
     * bring earlier events. One statement, however many there are.
     */
    readonly append: (events: ReadonlyArray<NewGroupEvent>) => Effect.Effect<void, StorageError>

    /** Subscribes a consumer, or prolongs its subscription; other subscriptions of the consumer go on. */
    readonly subscribe: (subscription: GroupEventSubscription) => Effect.Effect<void, StorageError>

    /** Ends all subscriptions of a consumer, and removes its events. Idempotent. */
    readonly unsubscribe: (consumer: string) => Effect.Effect<void, StorageError>

    /**
     * Removes subscriptions that have ended, and up to so many events of consumers that have none left. Answers how many
     * events those were.
     */
    readonly removeAbandoned: (limit: number) => Effect.Effect<number, StorageError>

    /**
     * Leases the oldest free events of a consumer, in the order of their ids. No two callers get the same one,
     * and none gets an event of a group while an earlier one of the same group is another's.
     */
    readonly lease: (
      request: GroupEventLeaseRequest,
    ) => Effect.Effect<ReadonlyArray<LeasedGroupEvent>, StorageError>

    /**
     * Removes leased events of a consumer that are done with. Answers whether all of them were still the caller's: those that another
     * has leased since stay, and a transaction that settles them must leave nothing.
     */
    readonly settle: (
      consumer: string,
      events: ReadonlyArray<LeasedGroupEvent>,
    ) => Effect.Effect<boolean, StorageError>

    /** Ends leases before they run out; those that another has leased since stay as they are. */
    readonly release: (
      consumer: string,
      events: ReadonlyArray<LeasedGroupEvent>,
    ) => Effect.Effect<void, StorageError>
  }
>()("@errata/core/group/GroupEventStore") {}
