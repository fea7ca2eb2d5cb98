/**
 * The lifecycle of a group as pure transitions: each command maps a group and a time to the new group and its events. A
 * command without effect returns the same group and no events. Bulk commands map these.
 */
import { DateTime, Result } from "effect"
import * as Severity from "../event/Severity.js"
import type { Grouping } from "../grouping/Grouping.js"
import { activeMute, type ProjectId, type ProjectMute } from "../project/Project.js"
import type { UserId } from "../user/User.js"
import { type FirstSeen, isAgainst, isOfNextRelease } from "./FixedIn.js"
import { type Group, type GroupId, holds, isMuted, type Mute, type MuteCondition } from "./Group.js"
import { GroupEvent, type ReopeningReport } from "./GroupEvent.js"
import { figuresTogether, type LockedMerge, MergeRejected } from "./GroupMerge.js"
import { MuteRequest } from "./MuteRequest.js"

export { MuteRequest }

/** The result of a command. */
export interface Transition {
  readonly group: Group
  readonly events: ReadonlyArray<GroupEvent>
}

/** The data of a new group: its project, its grouping and its first report. */
export interface NewGroup {
  readonly projectId: ProjectId
  readonly grouping: Grouping
  readonly errorType: string
  readonly errorMessage: string
  readonly culprit: string
  readonly severity: Severity.Severity
  readonly occurredAt: DateTime.Utc
  /** The release of the first report; empty if it has none. */
  readonly release: string
}

/** The fields of a report that affect its group. */
export interface RecordedReport extends ReopeningReport {
  readonly severity: Severity.Severity
}

/** Creates a group without reports. It inherits the project's mute if that is in effect. */
export const create = (
  id: GroupId,
  from: NewGroup,
  projectMute: ProjectMute | null,
  now: DateTime.Utc,
): Group => ({
  id,
  projectId: from.projectId,
  errorType: from.errorType,
  errorMessage: from.errorMessage,
  culprit: from.culprit,
  grouping: from.grouping,
  severity: from.severity,
  firstOccurredAt: from.occurredAt,
  lastOccurredAt: from.occurredAt,
  reportsCount: 0,
  usersCount: 0,
  notesCount: 0,
  resolution: null,
  reopenedAt: null,
  mute: null,
  projectMute: activeMute(projectMute, now),
  assigneeId: null,
  issueUrl: null,
  mergedIntoId: null,
  hasMembers: false,
  createdAt: now,
  updatedAt: now,
})

/**
 * Records new reports in the order they were received. The first report that was received after the resolution reopens
 * a resolved group; earlier ones that waited in the queue do not. For groups resolved in a release, or muted until the
 * next one, the releases of the reports decide.
 */
export const record = (
  group: Group,
  reports: ReadonlyArray<RecordedReport>,
  now: DateTime.Utc,
  usersCount = group.usersCount,
  firstSeen: FirstSeen = notSeen,
): Transition => {
  const [first] = reports
  if (first === undefined) return unchanged(group)
  let severity = group.severity
  let firstOccurredAt = group.firstOccurredAt.epochMilliseconds
  let lastOccurredAt = group.lastOccurredAt.epochMilliseconds
  let reopening: RecordedReport | null = null
  let released: RecordedReport | null = null
  const untilRelease = group.mute?.condition._tag === "UntilNextRelease" ? group.mute : null
  for (const report of reports) {
    severity = Severity.max(severity, report.severity)
    if (report.occurredAt < firstOccurredAt) firstOccurredAt = report.occurredAt
    if (report.occurredAt > lastOccurredAt) lastOccurredAt = report.occurredAt
    if (reopening === null && group.resolution !== null && isAgainst(group.resolution, report, firstSeen)) {
      reopening = report
    }
    if (untilRelease !== null && released === null && isOfNextRelease(untilRelease, report, firstSeen)) {
      released = report
    }
  }
  const reportsCount = group.reportsCount + reports.length
  const condition = group.mute?.condition
  const muteIsOver =
    released !== null || (condition?._tag === "UntilReportsCount" && !holds(condition, reportsCount, now))
  const next = update(group, now, {
    severity,
    firstOccurredAt: DateTime.makeUnsafe(firstOccurredAt),
    lastOccurredAt: DateTime.makeUnsafe(lastOccurredAt),
    reportsCount,
    usersCount,
    ...(reopening === null ? {} : { resolution: null, reopenedAt: now }),
    ...(muteIsOver ? { mute: null } : {}),
  })
  const events: Array<GroupEvent> = []
  if (group.reportsCount === 0) events.push(GroupEvent.Created({ group: next }))
  else if (severity === "fatal" && group.severity !== "fatal") {
    events.push(GroupEvent.Escalated({ group: next }))
  }
  // The project's mute may still apply.
  if (muteIsOver && !isMuted(next, now)) {
    events.push(
      released === null
        ? unmutedBy(next, "reports_count")
        : GroupEvent.Unmuted({ group: next, by: null, reason: "release", release: released.release }),
    )
  }
  if (reopening !== null && group.resolution !== null) {
    events.push(GroupEvent.Reopened({ group: next, previous: group.resolution, report: reopening }))
  }
  return { group: next, events }
}

/**
 * Resolves the group, optionally in a release. For a resolved group, a different release replaces the resolution, and
 * any other call has no effect.
 */
export const resolve = (
  group: Group,
  by: UserId | null,
  now: DateTime.Utc,
  inRelease: string | null = null,
): Transition => {
  if (group.resolution !== null && (inRelease === null || group.resolution.inRelease === inRelease)) {
    return unchanged(group)
  }
  const next = update(group, now, { resolution: { at: now, by, inRelease }, reopenedAt: null })
  return { group: next, events: [GroupEvent.Resolved({ group: next, by })] }
}

/** Resolves unresolved groups only, for bulk resolution. */
export const resolveUnresolved = (
  group: Group,
  by: UserId | null,
  now: DateTime.Utc,
  inRelease: string | null = null,
): Transition => (group.resolution === null ? resolve(group, by, now, inRelease) : unchanged(group))

/** Makes a resolved group unresolved. */
export const unresolve = (group: Group, by: UserId | null, now: DateTime.Utc): Transition => {
  if (group.resolution === null) return unchanged(group)
  const next = update(group, now, { resolution: null })
  return { group: next, events: [GroupEvent.Unresolved({ group: next, by, previous: group.resolution })] }
}

/** Mutes the group. A new condition replaces the old one; the same condition has no effect. */
export const mute = (
  group: Group,
  request: MuteRequest,
  by: UserId | null,
  now: DateTime.Utc,
): Transition => {
  const condition = conditionOf(request, group)
  if (group.mute !== null && sameCondition(group.mute.condition, condition)) return unchanged(group)
  const next = update(group, now, { mute: { at: now, by, condition } satisfies Mute })
  return { group: next, events: [GroupEvent.Muted({ group: next, by, condition })] }
}

/** Mutes unmuted groups only, for bulk mutes. */
export const muteUnmuted = (
  group: Group,
  by: UserId | null,
  now: DateTime.Utc,
  request: MuteRequest = MuteRequest.Permanent(),
): Transition => (isMuted(group, now) ? unchanged(group) : mute(group, request, by, now))

/** Removes the group's own mute and the one inherited from its project. */
export const unmute = (group: Group, by: UserId | null, now: DateTime.Utc): Transition => {
  if (group.mute === null && group.projectMute === null) return unchanged(group)
  const next = update(group, now, { mute: null, projectMute: null })
  if (isMuted(group, now)) {
    return { group: next, events: [GroupEvent.Unmuted({ group: next, by, reason: "manual", release: null })] }
  }
  // The event of an expired mute is written here, because `MuteJob` will not find it anymore.
  return {
    group: next,
    events: group.mute === null ? [] : [unmutedBy(next, "expired")],
  }
}

/**
 * Removes expired mutes. The end of the group's own mute is an event, unless the project's mute still applies. The end
 * of the project's mute is no event of its groups.
 */
export const expireMutes = (group: Group, now: DateTime.Utc): Transition => {
  const own = group.mute?.condition
  const ownIsOver = own?._tag === "Until" && !holds(own, group.reportsCount, now)
  const projectIsOver = group.projectMute !== null && activeMute(group.projectMute, now) === null
  if (!ownIsOver && !projectIsOver) return unchanged(group)
  const next = update(group, now, {
    ...(ownIsOver ? { mute: null } : {}),
    ...(projectIsOver ? { projectMute: null } : {}),
  })
  return {
    group: next,
    events: ownIsOver && !isMuted(next, now) ? [unmutedBy(next, "expired")] : [],
  }
}

/** Inherits the project's mute, without an event: otherwise each group of the project would send one. */
export const inheritMute = (group: Group, projectMute: ProjectMute, now: DateTime.Utc): Transition => ({
  group: update(group, now, { projectMute }),
  events: [],
})

/** Assigns the group to a user, or removes the assignment. */
export const assign = (
  group: Group,
  assigneeId: UserId | null,
  by: UserId | null,
  now: DateTime.Utc,
): Transition => {
  if (group.assigneeId === assigneeId) return unchanged(group)
  const next = update(group, now, { assigneeId })
  return { group: next, events: [GroupEvent.Assigned({ group: next, by, assigneeId })] }
}

/** Links the group to an issue, or removes the link. */
export const linkIssue = (
  group: Group,
  issueUrl: string | null,
  by: UserId | null,
  now: DateTime.Utc,
): Transition => {
  if (group.issueUrl === issueUrl) return unchanged(group)
  const next = update(group, now, { issueUrl })
  return { group: next, events: [GroupEvent.IssueLinked({ group: next, by, issueUrl })] }
}

/** The result of a merge. */
export interface Merge {
  readonly target: Group
  readonly sources: ReadonlyArray<Group>
  readonly events: ReadonlyArray<GroupEvent>
}

/** Merges sources into a target, and adds their counts, times and severity to the target's. */
export const merge = (
  target: Group,
  sources: ReadonlyArray<Group>,
  by: UserId | null,
  now: DateTime.Utc,
): Result.Result<Merge, MergeRejected> => {
  if (target.mergedIntoId !== null) {
    return Result.fail(new MergeRejected({ reason: "target_already_merged", groupId: target.id }))
  }
  for (const source of sources) {
    if (source.id === target.id)
      return Result.fail(new MergeRejected({ reason: "into_itself", groupId: source.id }))
    if (source.mergedIntoId !== null) {
      return Result.fail(new MergeRejected({ reason: "source_already_merged", groupId: source.id }))
    }
  }
  if (sources.length === 0) return Result.succeed({ target, sources, events: [] })
  const figures = figuresTogether(target, sources)
  const next = update(target, now, {
    ...figures,
    hasMembers: true,
    ...withMuteMoved(target, figures.reportsCount - target.reportsCount),
  })
  return Result.succeed({
    target: next,
    sources: sources.map((source) => update(source, now, { mergedIntoId: target.id })),
    events: [GroupEvent.Merged({ group: next, by, sourceIds: sources.map((source) => source.id) })],
  })
}

/** The result of undoing a merge. */
export interface Unmerge {
  readonly root: Group
  readonly source: Group
  /** Intermediate groups that changed. */
  readonly between: ReadonlyArray<Group>
  readonly events: ReadonlyArray<GroupEvent>
}

/**
 * Undoes a merge: the source becomes a separate group again, with its own sources. It keeps the resolution, mute and
 * assignee from when it was merged, and gets the project's current mute.
 */
export const unmerge = (
  { between, freed, projectMute, rest, root, source }: LockedMerge,
  by: UserId | null,
  now: DateTime.Utc,
): Unmerge => {
  const without = -freed.reportsCount
  const remaining = update(root, now, { ...rest, ...withMuteMoved(root, without) })
  const condition = source.mute?.condition
  // The source's reports were counted on while it was merged.
  const muteIsOver = condition?._tag === "UntilReportsCount" && !holds(condition, freed.reportsCount, now)
  const released = update(source, now, {
    ...freed,
    mergedIntoId: null,
    projectMute: activeMute(projectMute, now),
    ...(muteIsOver ? { mute: null } : {}),
  })
  const events: Array<GroupEvent> = [
    GroupEvent.Unmerged({ group: remaining, by, otherId: source.id }),
    GroupEvent.Unmerged({ group: released, by, otherId: root.id }),
  ]
  if (muteIsOver && !isMuted(released, now)) {
    events.push(unmutedBy(released, "reports_count"))
  }
  return {
    root: remaining,
    source: released,
    // Their counts included the source's reports.
    between: between.flatMap((group) => {
      const moved = withMuteMoved(group, without)
      return moved.mute === undefined ? [] : [update(group, now, moved)]
    }),
    events,
  }
}

/** Checks whether a transition changed its group. */
export const changed = (before: Group, transition: Transition): boolean => transition.group !== before

// internal

const notSeen: FirstSeen = () => null

const unmutedBy = (group: Group, reason: "expired" | "reports_count"): GroupEvent =>
  GroupEvent.Unmuted({ group, by: null, reason, release: null })

const unchanged = (group: Group): Transition => ({ group, events: [] })

const update = (group: Group, now: DateTime.Utc, fields: Partial<typeof Group.Type>): Group => ({
  ...group,
  ...fields,
  updatedAt: now,
})

/** Shifts a mute by count when a merge adds or removes reports, because those are not new reports. */
const withMuteMoved = ({ mute }: Group, reports: number): { readonly mute?: Mute } =>
  mute?.condition._tag === "UntilReportsCount"
    ? {
        mute: {
          ...mute,
          condition: { _tag: "UntilReportsCount", reportsCount: mute.condition.reportsCount + reports },
        },
      }
    : {}

const conditionOf = (request: MuteRequest, group: Group): MuteCondition => {
  switch (request._tag) {
    case "Permanent":
      return { _tag: "Permanent" }
    case "Until":
      return { _tag: "Until", until: request.until }
    case "ForReports":
      return { _tag: "UntilReportsCount", reportsCount: group.reportsCount + request.occurrences }
    case "UntilNextRelease":
      return { _tag: "UntilNextRelease" }
  }
}

const sameCondition = (self: MuteCondition, that: MuteCondition): boolean => {
  switch (self._tag) {
    case "Permanent":
      return that._tag === "Permanent"
    case "Until":
      return that._tag === "Until" && that.until.epochMilliseconds === self.until.epochMilliseconds
    case "UntilReportsCount":
      return that._tag === "UntilReportsCount" && that.reportsCount === self.reportsCount
    case "UntilNextRelease":
      return that._tag === "UntilNextRelease"
  }
}
