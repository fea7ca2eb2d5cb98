/**
 * A group: reports with one grouping identity, and people's decisions about them.
 *
 * Resolution and mute are independent. A group is muted by its own mute, by its project's mute, or by both. Mutes
 * expire, so `isMuted` takes a time.
 */
import { type DateTime, Schema } from "effect"
import { Severity } from "../event/Severity.js"
import { GroupingAlgorithm, GroupingData } from "../grouping/Grouping.js"
import { GroupId } from "../id/GroupId.js"
import { activeMute, ProjectId, ProjectMute } from "../project/Project.js"
import { UserId } from "../user/User.js"

export { GroupId }

/** The resolution of a group: its time, and its author (null if Errata resolved it). */
export const Resolution = Schema.Struct({
  at: Schema.DateTimeUtcFromString,
  by: Schema.NullOr(UserId),
  /** The version with the fix, or `next`. With null, any new report reopens the group. See `FixedIn`. */
  inRelease: Schema.NullOr(Schema.String),
})
export type Resolution = typeof Resolution.Type

/** Stands for any release first seen after the group was resolved or muted. It is not a valid version. */
export const nextRelease = "next"

/** The end of a mute. */
export const MuteCondition = Schema.Union([
  Schema.TaggedStruct("Permanent", {}),
  Schema.TaggedStruct("Until", { until: Schema.DateTimeUtcFromString }),
  /** The total number of reports at which notifications resume. */
  Schema.TaggedStruct("UntilReportsCount", { reportsCount: Schema.Int }),
  /** Until a report of a release that was first seen after the mute. Recording it removes the mute. */
  Schema.TaggedStruct("UntilNextRelease", {}),
])
export type MuteCondition = typeof MuteCondition.Type

/** A mute of a group: its time, its end, and its author (null if Errata muted it). */
export const Mute = Schema.Struct({
  at: Schema.DateTimeUtcFromString,
  by: Schema.NullOr(UserId),
  condition: MuteCondition,
})
export type Mute = typeof Mute.Type

/** Reports of the same error, and people's decisions about it. */
export const Group = Schema.Struct({
  id: GroupId,
  projectId: ProjectId,
  /** Type, message and culprit are those of the first report and never change. */
  errorType: Schema.String,
  errorMessage: Schema.String,
  culprit: Schema.String,
  grouping: Schema.Struct({
    algorithm: GroupingAlgorithm,
    key: Schema.String,
    data: GroupingData,
  }),
  /** The highest severity of its reports. */
  severity: Severity,
  firstOccurredAt: Schema.DateTimeUtcFromString,
  lastOccurredAt: Schema.DateTimeUtcFromString,
  reportsCount: Schema.Int,
  /** Distinct users of its reports. Above `maxExactUsers` it is an estimate. */
  usersCount: Schema.Int,
  notesCount: Schema.Int,
  resolution: Schema.NullOr(Resolution),
  /** When a new report reopened it. Null before that, and from the next resolution on. */
  reopenedAt: Schema.NullOr(Schema.DateTimeUtcFromString),
  mute: Schema.NullOr(Mute),
  projectMute: Schema.NullOr(ProjectMute),
  assigneeId: Schema.NullOr(UserId),
  /** The URL of its issue in an issue tracker. */
  issueUrl: Schema.NullOr(Schema.String),
  /** The root of the merge tree, even if the group was first merged into another one. Merged groups are in no list. */
  mergedIntoId: Schema.NullOr(GroupId),
  /** True if other groups are merged into it. Meaningless while it is merged itself. */
  hasMembers: Schema.Boolean,
  createdAt: Schema.DateTimeUtcFromString,
  updatedAt: Schema.DateTimeUtcFromString,
})
export type Group = typeof Group.Type

/** Up to this number, users are counted exactly. Above it, the standard error is at most 3.2 %. */
export const maxExactUsers = 1_000

/** A group in lists. It omits the grouping data, the largest part of a group. */
export type ListedGroup = Omit<Group, "grouping"> & { readonly grouping: Omit<Group["grouping"], "data"> }

/** The source of a mute: people, the project, or both. */
export type MuteSource = "manual" | "project" | "manual_and_project"

/** The mutes in effect at a time. An expired mute is null, even before `MuteJob` has removed it. */
export const activeMutes = (
  { mute, projectMute, reportsCount }: Pick<Group, "mute" | "projectMute" | "reportsCount">,
  now: DateTime.Utc,
): Pick<Group, "mute" | "projectMute"> => ({
  mute: mute !== null && holds(mute.condition, reportsCount, now) ? mute : null,
  projectMute: activeMute(projectMute, now),
})

/** The number of reports at which a mute ends, or null if it has another end or none. */
export const mutedUntilReportsCount = (mute: Mute | null): number | null =>
  mute?.condition._tag === "UntilReportsCount" ? mute.condition.reportsCount : null

/** The release at which a mute ends (always `next`), or null if it has another end or none. */
export const mutedUntilRelease = (mute: Mute | null): typeof nextRelease | null =>
  mute?.condition._tag === "UntilNextRelease" ? nextRelease : null

/** The source of the mute in effect at a time, or null. */
export const muteSource = (
  group: Pick<Group, "mute" | "projectMute" | "reportsCount">,
  now: DateTime.Utc,
): MuteSource | null => {
  const { mute, projectMute } = activeMutes(group, now)
  if (mute === null) return projectMute === null ? null : "project"
  return projectMute === null ? "manual" : "manual_and_project"
}

/** Checks whether notifications about the group are suppressed at a time. */
export const isMuted = (
  group: Pick<Group, "mute" | "projectMute" | "reportsCount">,
  now: DateTime.Utc,
): boolean => muteSource(group, now) !== null

/** Checks whether a mute with this condition is still in effect. */
export const holds = (condition: MuteCondition, reportsCount: number, now: DateTime.Utc): boolean => {
  switch (condition._tag) {
    case "Permanent":
    case "UntilNextRelease":
      return true
    case "Until":
      return condition.until.epochMilliseconds > now.epochMilliseconds
    case "UntilReportsCount":
      return reportsCount < condition.reportsCount
  }
}
