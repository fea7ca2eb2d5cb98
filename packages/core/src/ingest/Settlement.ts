/** What recording a batch changes besides the reports themselves, once groups are locked and reports inserted. Pure. */
import type { DateTime } from "effect"
import * as Severity from "../event/Severity.js"
import { countTags } from "../event/TagCounting.js"
import type { Group, GroupId } from "../group/Group.js"
import type { GroupEvent } from "../group/GroupEvent.js"
import * as GroupLifecycle from "../group/GroupLifecycle.js"
import type { GroupPart } from "../group/GroupMerge.js"
import type { LockedGroup, TagCount } from "../group/GroupStore.js"
import type { ProjectId } from "../project/Project.js"
import type { ProjectCount } from "../project/ProjectStore.js"
import type { ReportId } from "../report/Report.js"
import { type NewAttachment, newAttachments } from "../report/ReportStore.js"
import type { Recording, ReportToRecord } from "./Recording.js"

export interface Settlement {
  /** Groups after their new reports; those without any are in `empty` if they were created for nothing. */
  readonly groups: ReadonlyArray<Group>
  readonly empty: ReadonlyArray<Group>
  /** What is new in groups that are in a tree of merges: each group's own. */
  readonly parts: ReadonlyArray<GroupPart>
  readonly events: ReadonlyArray<GroupEvent>
  readonly tags: ReadonlyArray<TagCount>
  readonly counts: ReadonlyArray<ProjectCount>
  readonly attachments: ReadonlyArray<NewAttachment>
  /** How many of the new reports are of shortened events. */
  readonly truncated: number
}

/**
 * Applies the lifecycle to the locked groups. `ids` are the inserted reports' by position, null for reports that were
 * there before, which count for nothing.
 */
export const settle = (
  recording: Recording,
  locked: ReadonlyArray<LockedGroup>,
  ids: ReadonlyArray<ReportId | null>,
  now: DateTime.Utc,
): Settlement => {
  // Several candidates can lead to one group, the root of those that were merged.
  const states = new Map<number, GroupState>()
  const parts = new Map<number, Part>()
  const counts = new Map<ProjectId, { groups: number; reports: number }>()
  const attachments: Array<NewAttachment> = []
  let truncated = 0

  for (let i = 0; i < recording.reports.length; i++) {
    const report = recording.reports[i]!
    const reportId = ids[i] ?? null
    const { created, group, groupId } = locked[report.candidate]!
    let state = states.get(group.id)
    if (state === undefined) {
      state = { group, created, reports: [], tags: new Map() }
      states.set(group.id, state)
    }
    if (reportId === null) continue
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
    let tags = state.tags.get(groupId)
    if (tags === undefined) {
      tags = new Map()
      state.tags.set(groupId, tags)
    }
    countTags(tags, event)
    if (group.hasMembers) addToPart(parts, report, groupId)
    attachments.push(...newAttachments(report.attachments, { ...report, reportId }))
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
    const transition = GroupLifecycle.record(state.group, state.reports, now)
    groups.push(transition.group)
    events.push(...transition.events)
    if (state.created) counts.get(projectId)!.groups++
    for (const [groupId, keys] of state.tags) {
      for (const [key, values] of keys) {
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
    counts: Array.from(counts, ([projectId, count]) => ({ projectId, ...count })),
    attachments,
    truncated,
  }
}

// internal

interface GroupState {
  readonly group: Group
  readonly created: boolean
  readonly reports: Array<GroupLifecycle.RecordedReport>
  /** By own group, key and value. */
  readonly tags: Map<GroupId, Map<string, Map<string, number>>>
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
