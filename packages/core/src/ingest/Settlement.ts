/** Computes the changes of a batch besides its reports, after groups are locked and reports inserted. Pure. */
import type { DateTime } from "effect"
import type { ActivityCount } from "../activity/ActivityStore.js"
import * as Severity from "../event/Severity.js"
import * as TagCounting from "../event/TagCounting.js"
import { dependsOnReleases, type FirstSeen, versionsToLookUp } from "../group/FixedIn.js"
import type { Group, GroupId } from "../group/Group.js"
import type { GroupEvent } from "../group/GroupEvent.js"
import * as GroupLifecycle from "../group/GroupLifecycle.js"
import type { GroupPart } from "../group/GroupMerge.js"
import type { LockedGroup, TagCount } from "../group/GroupStore.js"
import type { ProjectId } from "../project/Project.js"
import type { ProjectCount } from "../project/ProjectStore.js"
import type { ReleasePlace } from "../release/ReleaseStore.js"
import type { ReportId } from "../report/Report.js"
import { type NewAttachment, newAttachments } from "../report/ReportStore.js"
import { countDuplicate, type DuplicateTags, withoutDuplicates } from "./DuplicateEvents.js"
import type { Recording, ReportToRecord } from "./Recording.js"

export interface Settlement {
  /** Groups with their new reports. Groups that were created but got no report are in `empty`. */
  readonly groups: ReadonlyArray<Group>
  readonly empty: ReadonlyArray<Group>
  /** Changes of groups that belong to a merge tree, for each group on its own. */
  readonly parts: ReadonlyArray<GroupPart>
  readonly events: ReadonlyArray<GroupEvent>
  readonly tags: ReadonlyArray<TagCount>
  readonly activity: ReadonlyArray<ActivityCount>
  readonly counts: ReadonlyArray<ProjectCount>
  readonly attachments: ReadonlyArray<NewAttachment>
  /** Number of new reports whose event was truncated. */
  readonly truncated: number
}

/**
 * The releases whose first occurrence is needed. Only groups that are resolved in a release, or muted until the next
 * one, need any.
 */
export const releasesToLookUp = (
  { reports }: Recording,
  locked: ReadonlyArray<LockedGroup>,
  ids: ReadonlyArray<ReportId | null>,
): ReadonlyArray<ReleasePlace> => {
  const dependent = locked.map(({ group }) => dependsOnReleases(group))
  if (!dependent.includes(true)) return []
  const releasesOf = new Map<GroupId, { readonly group: Group; readonly releases: Set<string> }>()
  for (const [i, { candidate, event }] of reports.entries()) {
    if (dependent[candidate] !== true || (ids[i] ?? null) === null) continue
    const { group } = locked[candidate]!
    const known = releasesOf.get(group.id)
    if (known === undefined) releasesOf.set(group.id, { group, releases: new Set([event.release]) })
    else known.releases.add(event.release)
  }
  const sought = new Map<string, ReleasePlace>()
  for (const { group, releases } of releasesOf.values()) {
    const { projectId } = group
    for (const version of versionsToLookUp(group, releases)) {
      sought.set(releaseKey(projectId, version), { projectId, version })
    }
  }
  return [...sought.values()]
}

/** Times at which releases were first seen, in epoch milliseconds, by `releaseKey`. */
export type ReleasesSeen = ReadonlyMap<string, number | null>

export const releaseKey = (projectId: ProjectId, version: string): string => `${projectId}/${version}`

/**
 * Applies the lifecycle to the locked groups. `ids` are those of the inserted reports by position; null marks
 * duplicates (`DuplicateEvents`). `usersCounts` has the roots with new users, and `seen` the releases of
 * `releasesToLookUp`.
 */
export const settle = (
  recording: Recording,
  locked: ReadonlyArray<LockedGroup>,
  ids: ReadonlyArray<ReportId | null>,
  now: DateTime.Utc,
  usersCounts: ReadonlyMap<GroupId, number> = new Map(),
  seen: ReleasesSeen = new Map(),
): Settlement => {
  // Several candidates can have the same root after a merge.
  const states = new Map<number, GroupState>()
  const parts = new Map<number, Part>()
  const activity: Array<Counted> = []
  const activityOf = new Map<GroupId, Array<Counted>>()
  const counts = new Map<ProjectId, { groups: number; reports: number }>()
  const attachments: Array<NewAttachment> = []
  const duplicates: DuplicateTags = new Map()
  let truncated = 0

  for (let i = 0; i < recording.reports.length; i++) {
    const report = recording.reports[i]!
    const reportId = ids[i] ?? null
    const { created, group, groupId } = locked[report.candidate]!
    let state = states.get(group.id)
    if (state === undefined) {
      state = { group, created, reports: [], ownGroups: new Map() }
      states.set(group.id, state)
    }
    state.ownGroups.set(report.candidate, groupId)
    if (reportId === null) {
      countDuplicate(duplicates, report)
      continue
    }
    const { event } = report
    if (report.isTruncated) truncated++
    state.reports.push({
      reportId,
      eventId: event.eventId,
      release: event.release,
      occurredAt: event.occurredAt,
      receivedAt: report.receivedAt,
      severity: event.severity,
    })
    if (group.hasMembers) addToPart(parts, report, groupId)
    attachments.push(...newAttachments(report.attachments, { ...report, reportId }))
    countMinute(activity, activityOf, report, locked[report.candidate]!)
    const count = counts.get(report.projectId)
    if (count === undefined) counts.set(report.projectId, { groups: 0, reports: 1 })
    else count.reports++
  }

  const groups: Array<Group> = []
  const empty: Array<Group> = []
  const events: Array<GroupEvent> = []
  const tags: Array<TagCount> = []
  for (const state of states.values()) {
    if (state.reports.length === 0) {
      if (state.created) empty.push(state.group)
      continue
    }
    const { projectId } = state.group
    const transition = GroupLifecycle.record(
      state.group,
      state.reports,
      now,
      usersCounts.get(state.group.id),
      seen.size === 0 ? undefined : firstSeenIn(projectId, seen),
    )
    groups.push(transition.group)
    events.push(...transition.events)
    if (state.created) counts.get(projectId)!.groups++
    for (const [groupId, tally] of talliesOf(state, recording, duplicates)) {
      for (const [key, values] of tally) {
        for (const [value, count] of values) tags.push({ projectId, groupId, key, value, count })
      }
    }
  }
  return {
    groups,
    empty,
    parts: [...parts.values()],
    events,
    tags,
    activity,
    counts: Array.from(counts, ([projectId, count]) => ({ projectId, ...count })),
    attachments,
    truncated,
  }
}

// internal

const firstSeenIn =
  (projectId: ProjectId, seen: ReleasesSeen): FirstSeen =>
  (version) =>
    seen.get(releaseKey(projectId, version)) ?? null

interface GroupState {
  readonly group: Group
  readonly created: boolean
  readonly reports: Array<GroupLifecycle.RecordedReport>
  /** The group of each candidate. */
  readonly ownGroups: Map<number, GroupId>
}

/** The tags of new reports, by own group. Several candidates can share one. */
const talliesOf = (
  { ownGroups }: GroupState,
  recording: Recording,
  duplicates: DuplicateTags,
): ReadonlyMap<GroupId, TagCounting.TagTally> => {
  const tallies = new Map<GroupId, TagCounting.TagTally>()
  for (const [candidate, groupId] of ownGroups) {
    const tally = withoutDuplicates(recording.tags[candidate]!, duplicates.get(candidate))
    const others = tallies.get(groupId)
    tallies.set(groupId, others === undefined ? tally : TagCounting.combine(others, tally, 1))
  }
  return tallies
}

type Counted = { -readonly [K in keyof ActivityCount]: ActivityCount[K] }

/** A linear search, because a group has few minutes in a batch. */
const countMinute = (
  all: Array<Counted>,
  activityOf: Map<GroupId, Array<Counted>>,
  { event, projectId }: ReportToRecord,
  { created, groupId }: LockedGroup,
): void => {
  const minute = Math.floor(event.occurredAt / 60_000)
  let minutes = activityOf.get(groupId)
  if (minutes === undefined) {
    minutes = []
    activityOf.set(groupId, minutes)
  }
  const known = minutes.find((counted) => counted.minute === minute)
  if (known !== undefined) {
    known.reports++
    return
  }
  const newGroups = created && minutes.length === 0 ? 1 : 0
  const counted = { projectId, groupId, minute, reports: 1, newGroups }
  minutes.push(counted)
  all.push(counted)
}

type Part = { -readonly [K in keyof GroupPart]: GroupPart[K] }

const addToPart = (
  parts: Map<number, Part>,
  { event, projectId }: ReportToRecord,
  groupId: GroupId,
): void => {
  const { occurredAt, severity } = event
  const part = parts.get(groupId)
  if (part === undefined) {
    parts.set(groupId, {
      projectId,
      groupId,
      severity,
      firstOccurredAt: occurredAt,
      lastOccurredAt: occurredAt,
      reportsCount: 1,
    })
    return
  }
  part.severity = Severity.max(part.severity, severity)
  if (occurredAt < part.firstOccurredAt) part.firstOccurredAt = occurredAt
  if (occurredAt > part.lastOccurredAt) part.lastOccurredAt = occurredAt
  part.reportsCount++
}
