/**
 * A merge makes one group part of another, until it is undone.
 *
 * Reports stay with their *own* group, the one that their grouping key maps to. The *root* of a merge tree represents
 * all of its groups: lists show only the root, and its figures include all groups.
 */
import { Data, type DateTime, Schema } from "effect"
import type { EventTitle } from "../event/EventTitle.js"
import * as Severity from "../event/Severity.js"
import type { ProjectId, ProjectMute } from "../project/Project.js"
import type { UserId } from "../user/User.js"
import type { Group, GroupId } from "./Group.js"

/** Identifies a merge: a positive integer, larger for newer ones. */
export const MergeId = Schema.Int.pipe(Schema.check(Schema.isGreaterThan(0)), Schema.brand("MergeId"))
export type MergeId = typeof MergeId.Type

/** A merge as it was made. The target may have been merged since. */
export interface GroupMerge {
  readonly id: MergeId
  readonly projectId: ProjectId
  readonly sourceId: GroupId
  readonly targetId: GroupId
  readonly mergedAt: DateTime.Utc
  readonly mergedBy: UserId | null
}

/** A merge in a list, with the title of the merged group. */
export interface ListedMerge extends GroupMerge {
  readonly sourceTitle: EventTitle
}

/** The group has no such merge. */
export class MergeNotFound extends Schema.TaggedError<MergeNotFound>()("MergeNotFound", {
  mergeId: MergeId,
}) {}

/** The groups cannot be merged. Nothing was changed. */
export class MergeRejected extends Data.TaggedError("MergeRejected")<{
  readonly reason: "into_itself" | "source_already_merged" | "target_already_merged"
  readonly groupId: GroupId
}> {}

/** Figures aggregated over reports. */
export type GroupFigures = Pick<Group, "severity" | "firstOccurredAt" | "lastOccurredAt" | "reportsCount">

/** Figures of a group's own reports. Times are epoch milliseconds. */
export interface GroupPart {
  readonly projectId: ProjectId
  readonly groupId: GroupId
  readonly severity: Severity.Severity
  readonly firstOccurredAt: number
  readonly lastOccurredAt: number
  readonly reportsCount: number
}

/** One of the two trees that result from undoing a merge. */
export interface Half extends GroupFigures {
  readonly hasMembers: boolean
}

/** A merge and all groups that undoing it changes, locked. */
export interface LockedMerge {
  readonly merge: GroupMerge
  /** The current root of the source. */
  readonly root: Group
  readonly source: Group
  /** The groups between the source and the root. */
  readonly between: ReadonlyArray<Group>
  /** The root's figures without the source's tree. */
  readonly rest: Half
  /** The figures of the source's tree. */
  readonly freed: Half
  readonly projectMute: ProjectMute | null
}

/** Aggregates the figures of groups. */
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
