/**
 * What is to be announced to webhooks: the outbox that transitions are written to in their own transaction, and that a
 * dispatcher turns into deliveries after it.
 */
import { Context, type DateTime, type Duration, type Effect } from "effect"
import type { ProjectId } from "../project/Project.js"
import type { StorageError } from "../storage/StorageError.js"
import type { GroupId } from "./Group.js"
import type { GroupEventName } from "./GroupEvent.js"

/** A new event for the outbox. */
export interface NewGroupEvent {
  readonly projectId: ProjectId
  readonly groupId: GroupId
  readonly event: GroupEventName
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

/** How many events a caller takes, and for how long. */
export interface GroupEventLeaseRequest {
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
     * Adds events of groups that the caller's transaction has locked, in the order given, but only those that an enabled
     * webhook of their project subscribes to now: one that is made later is not owed what was before it. One statement,
     * however many there are.
     */
    readonly append: (events: ReadonlyArray<NewGroupEvent>) => Effect.Effect<void, StorageError>

    /**
     * Takes the oldest events that nobody holds, in the order of their ids. No two callers get the same one, and none
     * gets an event of a group while an earlier one of the same group is another's.
     */
    readonly lease: (
      request: GroupEventLeaseRequest,
    ) => Effect.Effect<ReadonlyArray<LeasedGroupEvent>, StorageError>

    /**
     * Removes leased events that are done with. Answers whether all of them were still the caller's: those that another
     * has leased since stay, and a transaction that settles them must leave nothing.
     */
    readonly settle: (events: ReadonlyArray<LeasedGroupEvent>) => Effect.Effect<boolean, StorageError>
  }
>()("@errata/core/group/GroupEventStore") {}
