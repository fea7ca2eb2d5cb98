/**
 * A merge: one group was made a part of another, until the merge is undone.
 *
 * What is recorded stays with the group that its grouping key leads to, its *own* group. The *root* of a tree of merges
 * stands for all of its groups: it is the one that lists show, and its figures are those of all of them together.
 */
import { Data, type DateTime, Schema } from "effect"
import * as Severity from "../event/Severity.js"
import type { ProjectId, ProjectMute } from "../project/Project.js"
import type { UserId } from "../user/User.js"
import type { Group, GroupId } from "./Group.js"

/** Identifies a merge: a positive integer, larger for newer ones. */
export const MergeId = Schema.Int.pipe(Schema.check(Schema.isGreaterThan(0)), Schema.brand("MergeId"))
export type MergeId = typeof MergeId.Type

/** As it was made; the target may have been merged itself since. */
export interface GroupMerge {
  readonly id: MergeId
  readonly projectId: ProjectId
  readonly sourceId: GroupId
  readonly targetId: GroupId
  readonly mergedAt: DateTime.Utc
  readonly mergedBy: UserId | null
}

/** No such merge among those that made the group what it is. */
export class MergeNotFound extends Schema.TaggedError<MergeNotFound>()("MergeNotFound", {
  mergeId: MergeId,
}) {}

/** Why groups cannot be merged; nothing was changed. */
export class MergeRejected extends Data.TaggedError("MergeRejected")<{
  readonly reason: "into_itself" | "source_already_merged" | "target_already_merged"
  readonly groupId: GroupId
}> {}

/** What reports add up to. */
export type GroupFigures = Pick<Group, "severity" | "firstOccurredAt" | "lastOccurredAt" | "reportsCount">

/** The figures of one group's own reports. Times are epoch milliseconds. */
export interface GroupPart {
  readonly projectId: ProjectId
  readonly groupId: GroupId
  readonly severity: Severity.Severity
  readonly firstOccurredAt: number
  readonly lastOccurredAt: number
  readonly reportsCount: number
}

/** One of the two trees that undoing a merge makes of one: its figures, and whether it is more than one group. */
export interface Half extends GroupFigures {
  readonly hasMembers: boolean
}

/** A merge with all that undoing it changes, locked. */
export interface LockedMerge {
  readonly merge: GroupMerge
  /** The group that stands for the source now. */
  readonly root: Group
  readonly source: Group
  /** The groups that the source was merged into before the root, where there are any. */
  readonly between: ReadonlyArray<Group>
  /** What the root is without the source and all that was merged into that. */
  readonly rest: Half
  /** What the source is, with all that was merged into it. */
  readonly freed: Half
  readonly projectMute: ProjectMute | null
}

/** The figures of groups together. */
export const figuresTogether = (figures: GroupFigures, others: Iterable<GroupFigures>): GroupFigures => {
  let { severity, firstOccurredAt, lastOccurredAt, reportsCount } = figures
  for (const other of others) {
    severity = Severity.max(severity, other.severity)
    firstOccurredAt = earlier(firstOccurredAt, other.firstOccurredAt)
    lastOccurredAt = later(lastOccurredAt, other.lastOccurredAt)
    reportsCount += other.reportsCount
  }
  return { severity, firstOccurredAt, lastOccurredAt, reportsCount }
}

// internal

const earlier = (self: DateTime.Utc, that: DateTime.Utc) =>
  that.epochMilliseconds < self.epochMilliseconds ? that : self

const later = (self: DateTime.Utc, that: DateTime.Utc) =>
  that.epochMilliseconds > self.epochMilliseconds ? that : self
