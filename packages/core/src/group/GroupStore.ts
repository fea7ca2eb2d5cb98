import { Context, type DateTime, type Effect, type Option } from "effect"
import type { ActivityCount } from "../activity/ActivityStore.js"
import type { Grouping } from "../grouping/Grouping.js"
import type { ProjectId } from "../project/Project.js"
import type { Page, PageRequest } from "../storage/Page.js"
import type { StorageError } from "../storage/StorageError.js"
import type { UserId } from "../user/User.js"
import type { DiscardedGroup } from "./DiscardedGroup.js"
import type { Group, GroupId, ListedGroup } from "./Group.js"
import type { GroupFilter } from "./GroupFilter.js"
import type { NewGroup, Unmerge } from "./GroupLifecycle.js"
import type { GroupMerge, GroupPart, ListedMerge, LockedMerge, MergeId } from "./GroupMerge.js"
import type { GroupPageRequest } from "./GroupSort.js"
import type { TagDistribution, TagValue } from "./TagDistribution.js"

/** A group that the current transaction has locked. */
export interface LockedGroup {
  /** The root, which is locked. */
  readonly group: Group
  /** The group of the grouping key. Reports of the candidate belong to it permanently. */
  readonly groupId: GroupId
  /** True if this call created it; then it has no reports yet. */
  readonly created: boolean
}

/** A group and its project. */
export interface GroupPlace {
  readonly projectId: ProjectId
  readonly groupId: GroupId
}

/** The group that a grouping key maps to, merged or not. */
export interface KeyHolder {
  readonly groupId: GroupId
  /** True if the key already maps to another group, and this pair was not reported before. */
  readonly isNewTwin: boolean
}

/** New reports of a group with a tag value. */
export interface TagCount {
  readonly projectId: ProjectId
  readonly groupId: GroupId
  readonly key: string
  readonly value: string
  readonly count: number
}

/** A user of a group's reports. */
export interface GroupUser {
  /** The root, as locked. */
  readonly group: Group
  /** The group itself. */
  readonly groupId: GroupId
  /** See `userHashOf`. */
  readonly user: number
}

/** Maximum number of keys that `tagKeys` returns. */
export const maxTagKeys = 1_000

/** Stores groups, their grouping keys and the counts of their tag values. */
export class GroupStore extends Context.Service<
  GroupStore,
  {
    /**
     * Finds the projects of groups, including merged ones. Searches these projects, or all if null, but not deleted
     * ones. Omits unknown ids.
     */
    readonly locate: (
      ids: ReadonlyArray<GroupId>,
      projectIds: ReadonlyArray<number> | null,
    ) => Effect.Effect<ReadonlyArray<GroupPlace>, StorageError>

    /** Finds a group of the project, merged or not. */
    readonly find: (projectId: ProjectId, id: GroupId) => Effect.Effect<Option.Option<Group>, StorageError>

    /**
     * Locks groups of the project until the transaction ends, ascending by id. Includes merged groups. Omits unknown
     * ids and those of other projects.
     */
    readonly lock: (
      projectId: ProjectId,
      ids: ReadonlyArray<GroupId>,
    ) => Effect.Effect<ReadonlyArray<Group>, StorageError>

    /** Groups that are not merged, in the order of the page. `now` decides which mutes are in effect. */
    readonly list: (
      projectId: ProjectId,
      filter: GroupFilter,
      page: GroupPageRequest,
      now: DateTime.Utc,
    ) => Effect.Effect<Page<ListedGroup>, StorageError>

    /** Counts the groups of a list, up to a limit. */
    readonly count: (
      projectId: ProjectId,
      filter: GroupFilter,
      limit: number,
      now: DateTime.Utc,
    ) => Effect.Effect<number, StorageError>

    /**
     * Finds or creates the groups of grouping keys, and locks their roots until the transaction ends. New groups come
     * from `GroupLifecycle.create`, with the project's current mute. Candidates are distinct by project and key;
     * results have the same order. Concurrent transactions with the same new key get one group. The number of
     * statements is fixed.
     *
     * Also locks the existing roots of `others`, in one order with the candidates' roots: a transaction must lock all
     * groups that it changes in one call, or it can deadlock. Data of merged groups is changed only under the root's
     * lock. Fails with a conflict if a concurrent merge or unmerge changed a root while this call waited for its lock.
     */
    readonly lockOrCreate: (
      candidates: ReadonlyArray<NewGroup>,
      now: DateTime.Utc,
      others?: ReadonlyArray<GroupPlace>,
    ) => Effect.Effect<ReadonlyArray<LockedGroup>, StorageError>

    /**
     * Maps a grouping key to an existing group, merged or not, unless the key is mapped already. Later reports with the
     * key belong to the group. Returns the group that the key maps to.
     */
    readonly addKey: (place: GroupPlace, grouping: Grouping) => Effect.Effect<KeyHolder, StorageError>

    /** Writes all fields that transitions can change, for existing groups. Excludes `notesCount`. */
    readonly save: (groups: ReadonlyArray<Group>) => Effect.Effect<void, StorageError>

    /** Removes groups that this transaction created and that received no report. */
    readonly discard: (groups: ReadonlyArray<Group>) => Effect.Effect<void, StorageError>

    /**
     * Deletes a root that `lock` has locked, and all groups merged into it. They and their reports are no longer found,
     * accept no data, and their grouping keys become free. Reports, notes and tags stay until `purge`. Records the
     * group for `lastDiscarded`, and keeps the latest `maxDiscardedKeys` of the project.
     */
    readonly remove: (group: Group, by: UserId | null, now: DateTime.Utc) => Effect.Effect<void, StorageError>

    /** The last discarded groups with the grouping keys of these groups, in their order. */
    readonly lastDiscarded: (
      groups: ReadonlyArray<Pick<Group, "grouping" | "projectId">>,
    ) => Effect.Effect<ReadonlyArray<DiscardedGroup | null>, StorageError>

    /**
     * Purges up to `limit` rows of deleted groups, and empties the bodies of their events. Waits until no transaction
     * can use them. Returns the number of rows; 0 if nothing is left to purge now.
     */
    readonly purge: (limit: number, now: DateTime.Utc) => Effect.Effect<number, StorageError>

    /**
     * Adds counts of tags, and of reports by time (see `ActivityStore`), in one write. At most one entry per group, key
     * and value, and one per group and minute.
     */
    readonly addTagCounts: (
      counts: ReadonlyArray<TagCount>,
      activity?: ReadonlyArray<ActivityCount>,
    ) => Effect.Effect<void, StorageError>

    /**
     * Adds users to groups. Returns the new number of users of each root where it grew; `save` writes it. Exact up to
     * `maxExactUsers`, then an estimate. The roots must be locked. Merges and unmerges recount the distinct users of
     * the tree.
     */
    readonly addUsers: (
      users: ReadonlyArray<GroupUser>,
    ) => Effect.Effect<ReadonlyMap<GroupId, number>, StorageError>

    /** The project's tag keys that equal one of these, ignoring ASCII case. Ascending, at most `maxTagKeys`. */
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
     * The tags of a group and of the groups merged into it, most reports first. Always includes the reserved keys.
     * Reads are limited by the bounds of `TagDistribution`.
     */
    readonly tagDistributions: (
      projectId: ProjectId,
      groupId: GroupId,
    ) => Effect.Effect<ReadonlyArray<TagDistribution>, StorageError>

    /**
     * The values of one tag, most reports first, at most `maxSortedValues`; null if there are none. The cursor is the
     * number of values before the page.
     */
    readonly tagValuesOf: (
      projectId: ProjectId,
      groupId: GroupId,
      key: string,
      page: PageRequest,
    ) => Effect.Effect<Page<TagValue> | null, StorageError>

    /**
     * Tag values with this prefix, ignoring ASCII case, most reports first. Reads the groups with the latest reports,
     * and some values of each.
     */
    readonly completeTag: (
      projectId: ProjectId,
      key: string,
      prefix: string,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<string>, StorageError>

    /** Adds to the figures of groups in a merge tree. At most one entry per group. */
    readonly addToParts: (parts: ReadonlyArray<GroupPart>) => Effect.Effect<void, StorageError>

    /**
     * Locks a target and sources as `lock` does, including the groups merged into the sources. Fails with a conflict if
     * a concurrent merge added more.
     */
    readonly lockToMerge: (
      projectId: ProjectId,
      targetId: GroupId,
      sourceIds: ReadonlyArray<GroupId>,
    ) => Effect.Effect<ReadonlyArray<Group>, StorageError>

    /**
     * Merges sources into a target: saves them as given, updates roots and notes counts, reduces the project's count of
     * groups, and records the merges. Moves no reports, so its duration does not depend on their number. Requires
     * `lockToMerge`.
     */
    readonly merge: (
      target: Group,
      sources: ReadonlyArray<Group>,
      by: UserId | null,
      now: DateTime.Utc,
    ) => Effect.Effect<void, StorageError>

    /** The merges into a root's tree, newest first. */
    readonly listMerges: (
      projectId: ProjectId,
      rootId: GroupId,
      page: PageRequest,
    ) => Effect.Effect<Page<ListedMerge>, StorageError>

    /**
     * Finds a merge and locks all groups that undoing it changes, until the transaction ends. Fails with a conflict if
     * a concurrent merge or unmerge changed them.
     */
    readonly lockMerge: (
      projectId: ProjectId,
      id: MergeId,
    ) => Effect.Effect<Option.Option<LockedMerge>, StorageError>

    /**
     * Undoes a merge: makes the source the root of its own tree, saves the groups as given, recounts notes, and
     * increments the project's count of groups. Requires `lockMerge`.
     */
    readonly unmerge: (merge: GroupMerge, unmerged: Unmerge) => Effect.Effect<void, StorageError>

    /**
     * Locks the next groups of the project with ids above `after`, ascending, except merged ones. For work on all
     * groups.
     */
    readonly lockNext: (
      projectId: ProjectId,
      after: number,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<Group>, StorageError>

    /**
     * Locks groups that are not merged and have an expired time-based mute, own or inherited. May skip groups that are
     * locked elsewhere.
     */
    readonly lockExpiredMutes: (
      now: DateTime.Utc,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<Group>, StorageError>
  }
>()("@errata/core/group/GroupStore") {}
