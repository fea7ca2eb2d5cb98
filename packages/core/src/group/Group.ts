/**
 * A group: reports of one grouping identity, with what people decided about them.
 *
 * Resolution and muting are independent. A group is muted by its own mute, by one inherited from its project, or by
 * both; each may run out, so whether it is muted is a question about a moment (`isMuted`).
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
  /** The version that has the fix, or `next`; null where every new report reopens the group. See `FixedIn`. */
  inRelease: Schema.NullOr(Schema.String),
})
export type Resolution = typeof Resolution.Type

/** Stands for any release that is first seen after the group was resolved or muted. No version is called so. */
export const nextRelease = "next"

/** Until when a mute holds. */
export const MuteCondition = Schema.Union([
  Schema.TaggedStruct("Permanent", {}),
  Schema.TaggedStruct("Until", { until: Schema.DateTimeUtcFromString }),
  /** The total number of reports at which notifications resume. */
  Schema.TaggedStruct("UntilReportsCount", { reportsCount: Schema.Int }),
  /** Until a report of a release that is first seen after the mute. Recording such a report removes the mute. */
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

/** Reports of the same error, with what people decided about it. */
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
  /** The highest severity ever seen. */
  severity: Severity,
  firstOccurredAt: Schema.DateTimeUtcFromString,
  lastOccurredAt: Schema.DateTimeUtcFromString,
  reportsCount: Schema.Int,
  /** Distinct users of its reports: an estimate where it is above `maxExactUsers`. */
  usersCount: Schema.Int,
  notesCount: Schema.Int,
  resolution: Schema.NullOr(Resolution),
  mute: Schema.NullOr(Mute),
  projectMute: Schema.NullOr(ProjectMute),
  assigneeId: Schema.NullOr(UserId),
  /** Its issue in a tracker of issues. */
  issueUrl: Schema.NullOr(Schema.String),
  /** The group that stands for this one, whichever it was merged into at first. Merged groups are in no list. */
  mergedIntoId: Schema.NullOr(GroupId),
  /** Whether it stands for others. Says nothing of a group that is merged itself. */
  hasMembers: Schema.Boolean,
  createdAt: Schema.DateTimeUtcFromString,
  updatedAt: Schema.DateTimeUtcFromString,
})
export type Group = typeof Group.Type

/** Up to so many users are counted one by one. The standard error of larger numbers is 3.2 % at most. */
export const maxExactUsers = 1_000

/** A group as lists have it: without what it was grouped by, which is most of what there is of a group. */
export type ListedGroup = Omit<Group, "grouping"> & { readonly grouping: Omit<Group["grouping"], "data"> }

/** The source of a mute: people, the project, or both. */
export type MuteSource = "manual" | "project" | "manual_and_project"

/** The mutes of a group that hold at a moment: one that ran out is null, also before the sweep has removed it. */
export const activeMutes = (
  { mute, projectMute, reportsCount }: Pick<Group, "mute" | "projectMute" | "reportsCount">,
  now: DateTime.Utc,
): Pick<Group, "mute" | "projectMute"> => ({
  mute: mute !== null && holds(mute.condition, reportsCount, now) ? mute : null,
  projectMute: activeMute(projectMute, now),
})

/** The number of reports at which a mute ends; null where it ends otherwise, never, or there is none. */
export const mutedUntilReportsCount = (mute: Mute | null): number | null =>
  mute?.condition._tag === "UntilReportsCount" ? mute.condition.reportsCount : null

/** The release at which a mute ends, which is the `next` one; null where it ends otherwise, never, or there is none. */
export const mutedUntilRelease = (mute: Mute | null): typeof nextRelease | null =>
  mute?.condition._tag === "UntilNextRelease" ? nextRelease : null

/** What mutes the group at a moment; null where nothing does. */
export const muteSource = (
  group: Pick<Group, "mute" | "projectMute" | "reportsCount">,
  now: DateTime.Utc,
): MuteSource | null => {
  const { mute, projectMute } = activeMutes(group, now)
  if (mute === null) return projectMute === null ? null : "project"
  return projectMute === null ? "manual" : "manual_and_project"
}

/** Whether notifications about the group are suppressed at a moment. */
export const isMuted = (
  group: Pick<Group, "mute" | "projectMute" | "reportsCount">,
  now: DateTime.Utc,
): boolean => muteSource(group, now) !== null

/** Whether a mute with the condition still holds. */
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
