import { Context, type DateTime, type Effect, type Option } from "effect"
import type { ActivityCount } from "../activity/ActivityStore.js"
import type { Grouping } from "../grouping/Grouping.js"
import type { ProjectId } from "../project/Project.js"
import type { Page, PageRequest } from "../storage/Page.js"
import type { StorageError } from "../storage/StorageError.js"
import type { UserId } from "../user/User.js"
import type { Group, GroupId, ListedGroup } from "./Group.js"
import type { GroupFilter } from "./GroupFilter.js"
import type { NewGroup, Unmerge } from "./GroupLifecycle.js"
import type { GroupMerge, GroupPart, LockedMerge, MergeId } from "./GroupMerge.js"
import type { GroupPageRequest } from "./GroupSort.js"
import type { TagDistribution, TagValue } from "./TagDistribution.js"

/** A group that the running transaction has locked. */
export interface LockedGroup {
  /** The group that stands for it: the root, which is locked. */
  readonly group: Group
  /** The group itself: what is recorded for the candidate belongs to it for good. */
  readonly groupId: GroupId
  /** Whether this call created it; then it has no reports yet. */
  readonly created: boolean
}

/** Where a group is found. */
export interface GroupPlace {
  readonly projectId: ProjectId
  readonly groupId: GroupId
}

/** The group that a grouping key leads to; whether that is merged or not. */
export interface KeyHolder {
  readonly groupId: GroupId
  /** Whether the key leads to another group than it was meant to, which nobody has asked for before. */
  readonly isNewTwin: boolean
}

/** How often a tag value was newly seen in a group. */
export interface TagCount {
  readonly projectId: ProjectId
  readonly groupId: GroupId
  readonly key: string
  readonly value: string
  readonly count: number
}

/** A user of reports of a group. */
export interface GroupUser {
  /** The root, as it is locked. */
  readonly group: Group
  /** The group itself. */
  readonly groupId: GroupId
  /** See `userHashOf`. */
  readonly user: number
}

/** Of one answer of `tagKeys`; a query has room for few. */
export const maxTagKeys = 1_000

/** Keeps groups, their grouping keys and the counts of their tag values. */
export class GroupStore extends Context.Service<
  GroupStore,
  {
    /**
     * Where groups are whose project the caller does not know, merged ones included: in projects that are not deleted, and
     * in these alone unless they are null. Ids that are found nowhere are left out.
     */
    readonly locate: (
      ids: ReadonlyArray<GroupId>,
      projectIds: ReadonlyArray<number> | null,
    ) => Effect.Effect<ReadonlyArray<GroupPlace>, StorageError>

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

    /** Groups that are not merged, in the order of the page. `now` decides what is muted. */
    readonly list: (
      projectId: ProjectId,
      filter: GroupFilter,
      page: GroupPageRequest,
      now: DateTime.Utc,
    ) => Effect.Effect<Page<ListedGroup>, StorageError>

    /** How many groups a list without pages would have, counted up to a limit. */
    readonly count: (
      projectId: ProjectId,
      filter: GroupFilter,
      limit: number,
      now: DateTime.Utc,
    ) => Effect.Effect<number, StorageError>

    /**
     * For each candidate the group of its grouping key and the root that stands for it, locked until the transaction
     * ends: the one there is, or a new one (`GroupLifecycle.create`, with the project's mute as it stands). Candidates
     * are distinct by project and key; the answer has their order. Two transactions that bring the same new key get one
     * group. Works in a fixed number of statements, however many candidates there are.
     *
     * The roots of `others` are locked besides, in one order with those of the candidates, where they are there: what a
     * transaction is going to change has to be locked by one call, or two transactions may wait for each other. All that
     * belongs to merged groups is changed under the lock of their root alone. Fails with a conflict where a root was
     * merged, or a group unmerged, while its lock was waited for.
     */
    readonly lockOrCreate: (
      candidates: ReadonlyArray<NewGroup>,
      now: DateTime.Utc,
      others?: ReadonlyArray<GroupPlace>,
    ) => Effect.Effect<ReadonlyArray<LockedGroup>, StorageError>

    /**
     * Has a grouping key lead to a group that there is, unless it leads to another one: what is recorded with it from now on
     * belongs to the group. The group may be merged; nothing else of it changes. Answers where the key leads, and where that
     * is another group, whether it is the first time that these two are found.
     */
    readonly addKey: (place: GroupPlace, grouping: Grouping) => Effect.Effect<KeyHolder, StorageError>

    /** Writes everything that transitions can change of groups that exist (not `notesCount`). */
    readonly save: (groups: ReadonlyArray<Group>) => Effect.Effect<void, StorageError>

    /** Removes groups that this transaction created and that got no report after all. */
    readonly discard: (groups: ReadonlyArray<Group>) => Effect.Effect<void, StorageError>

    /**
     * Removes a root that `lock` has locked, with all groups that were merged into it. From now on nothing finds them or
     * their reports, nothing is added to them, and their grouping keys lead nowhere. Their reports, notes and tags stay
     * until `purge`.
     */
    readonly remove: (group: Group, now: DateTime.Utc) => Effect.Effect<void, StorageError>

    /**
     * Removes up to so many rows that removed groups have left, and empties the bodies of their events. Waits until no
     * transaction can be using them. Returns the number of rows; 0 means that there is nothing to remove now.
     */
    readonly purge: (limit: number, now: DateTime.Utc) => Effect.Effect<number, StorageError>

    /**
     * Adds to the counts of tags, and of reports by time (see `ActivityStore`), in one write. At most one entry for a group,
     * key and value, and one for a group and minute.
     */
    readonly addTagCounts: (
      counts: ReadonlyArray<TagCount>,
      activity?: ReadonlyArray<ActivityCount>,
    ) => Effect.Effect<void, StorageError>

    /**
     * Adds users to those of groups. Returns the number of users of each root that has more of them now; `save` writes it.
     * Up to `maxExactUsers` it is exact, beyond that an estimate. The roots must be locked. Merges and unmerges count the users that groups have together.
     */
    readonly addUsers: (
      users: ReadonlyArray<GroupUser>,
    ) => Effect.Effect<ReadonlyMap<GroupId, number>, StorageError>

    /**
     * The keys of the project's tags that equal one of the keys. The case of ASCII letters does not matter. Ascending, and
     * at most `maxTagKeys`.
     */
    readonly tagKeys: (
      projectId: ProjectId,
      keys: ReadonlyArray<string>,
    ) => Effect.Effect<ReadonlyArray<string>, StorageError>

    /** The keys of the project's tags, ascending by `SearchQuery.foldKey`. */
    readonly listTagKeys: (
      projectId: ProjectId,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<string>, StorageError>

    /**
     * The tags of a group together with those of the groups that it stands for, most reports first. Reserved keys are among
     * them, however many others there are. Reads no more of them than the bounds of `TagDistribution` allow.
     */
    readonly tagDistributions: (
      projectId: ProjectId,
      groupId: GroupId,
    ) => Effect.Effect<ReadonlyArray<TagDistribution>, StorageError>

    /**
     * The values of one tag of them, most reports first, of `maxSortedValues` at most; null where they have none. The cursor
     * is the number of values before the page.
     */
    readonly tagValuesOf: (
      projectId: ProjectId,
      groupId: GroupId,
      key: string,
      page: PageRequest,
    ) => Effect.Effect<Page<TagValue> | null, StorageError>

    /**
     * Values of a tag that begin with a prefix, whatever the case of ASCII letters, most reports first. Reads the groups
     * that occurred last, and some values of each.
     */
    readonly completeTag: (
      projectId: ProjectId,
      key: string,
      prefix: string,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<string>, StorageError>

    /** Adds to the figures of groups that are in a tree of merges; at most one entry for a group. */
    readonly addToParts: (parts: ReadonlyArray<GroupPart>) => Effect.Effect<void, StorageError>

    /**
     * Locks a target and sources as `lock` does, and with the sources all that was merged into them. Fails with a
     * conflict where more was merged into them meanwhile.
     */
    readonly lockToMerge: (
      projectId: ProjectId,
      targetId: GroupId,
      sourceIds: ReadonlyArray<GroupId>,
    ) => Effect.Effect<ReadonlyArray<Group>, StorageError>

    /**
     * Makes the target stand for the sources and for all that was merged into them, saves target and sources as they
     * are given, adds up their notes, takes the sources off the project's count of groups, and records the merges. Moves
     * nothing: it takes no longer where the groups have a million reports. For groups that `lockToMerge` has locked.
     */
    readonly merge: (
      target: Group,
      sources: ReadonlyArray<Group>,
      by: UserId | null,
      now: DateTime.Utc,
    ) => Effect.Effect<void, StorageError>

    /** The merges that made a group stand for others, newest first. */
    readonly listMerges: (
      projectId: ProjectId,
      rootId: GroupId,
      page: PageRequest,
    ) => Effect.Effect<Page<GroupMerge>, StorageError>

    /**
     * A merge with all the groups that undoing it changes, locked until the transaction ends. Fails with a conflict where
     * others merged or unmerged them meanwhile.
     */
    readonly lockMerge: (
      projectId: ProjectId,
      id: MergeId,
    ) => Effect.Effect<Option.Option<LockedMerge>, StorageError>

    /**
     * Takes a merge back: the source stands for all that was merged into it. Saves the groups as they are given, counts
     * the notes of both, and adds the source to the project's count of groups. For a merge that `lockMerge` has locked.
     */
    readonly unmerge: (merge: GroupMerge, unmerged: Unmerge) => Effect.Effect<void, StorageError>

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
>()("@errata/core/group/GroupStore") {}
