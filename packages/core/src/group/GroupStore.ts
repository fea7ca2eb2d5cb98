import { Context, type DateTime, type Effect, type Option } from "effect"
import type { ProjectId } from "../project/Project.js"
import type { Page, PageRequest } from "../storage/Page.js"
import type { StorageError } from "../storage/StorageError.js"
import type { Group, GroupId } from "./Group.js"
import type { GroupFilter } from "./GroupFilter.js"
import type { NewGroup } from "./GroupLifecycle.js"

export interface LockedGroup {
  readonly group: Group
  /** Whether this call created it; then it has no reports yet. */
  readonly created: boolean
}

/** Where a group is found. */
export interface GroupPlace {
  readonly projectId: ProjectId
  readonly groupId: GroupId
}

/** How often a tag value was newly seen in a group. */
export interface TagCount {
  readonly projectId: ProjectId
  readonly groupId: GroupId
  readonly key: string
  readonly value: string
  readonly count: number
}

/** Keeps groups, their grouping keys and the counts of their tag values. */
export class GroupStore extends Context.Tag("@errata/core/group/GroupStore")<
  GroupStore,
  {
    /** A group of the project, also one that was merged into another. */
    readonly find: (projectId: ProjectId, id: GroupId) => Effect.Effect<Option.Option<Group>, StorageError>

    /**
     * Groups of the project, ascending by id, locked until the transaction ends. Unknown ids and other projects' are
     * left out; merged groups are not.
     */
    readonly lock: (
      projectId: ProjectId,
      ids: ReadonlyArray<GroupId>,
    ) => Effect.Effect<ReadonlyArray<Group>, StorageError>

    /** Groups that are not merged, newest first. `now` decides what is muted. */
    readonly list: (
      projectId: ProjectId,
      filter: GroupFilter,
      page: PageRequest,
      now: DateTime.Utc,
    ) => Effect.Effect<Page<Group>, StorageError>

    /**
     * For each candidate the group of its grouping key, locked until the transaction ends: the one there is, the one
     * that took it over by a merge, or a new one (`GroupLifecycle.create`, with the project's mute as it stands).
     * Candidates are distinct by project and key; the answer has their order. Two transactions that bring the same
     * new key get one group. Works in a fixed number of statements, however many candidates there are.
     *
     * `others` are locked besides, in one order with the groups of the candidates, where they are there: what a
     * transaction is going to change has to be locked by one call, or two transactions may wait for each other.
     */
    readonly lockOrCreate: (
      candidates: ReadonlyArray<NewGroup>,
      now: DateTime.Utc,
      others?: ReadonlyArray<GroupPlace>,
    ) => Effect.Effect<ReadonlyArray<LockedGroup>, StorageError>

    /** Writes everything that transitions can change of groups that exist (not `notesCount`). */
    readonly save: (groups: ReadonlyArray<Group>) => Effect.Effect<void, StorageError>

    /** Removes groups that this transaction created and that got no report after all. */
    readonly discard: (groups: ReadonlyArray<Group>) => Effect.Effect<void, StorageError>

    /** Adds to the counts; at most one entry for a group, key and value. */
    readonly addTagCounts: (counts: ReadonlyArray<TagCount>) => Effect.Effect<void, StorageError>

    /**
     * Moves reports, notes, tag counts and grouping keys of the sources to the target, saves target and sources as they
     * are given, takes the sources off the project's count of groups, and records the merge.
     */
    readonly moveInto: (
      target: Group,
      sources: ReadonlyArray<Group>,
      now: DateTime.Utc,
    ) => Effect.Effect<void, StorageError>

    /** Locks groups of the project with ids above `after`, ascending, that are not merged: for work on all of them. */
    readonly lockNext: (
      projectId: ProjectId,
      after: number,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<Group>, StorageError>

    /**
     * Locks groups that are not merged and whose time-based mute, own or inherited, has run out; those locked elsewhere
     * may be left out.
     */
    readonly lockExpiredMutes: (
      now: DateTime.Utc,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<Group>, StorageError>
  }
>() {}
