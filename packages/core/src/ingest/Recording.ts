/**
 * What a batch of payloads amounts to: first gathered from the payloads before anything is locked or written, then
 * settled once the groups are locked and the reports inserted. Pure; gathering is the part of recording that costs
 * the most processor time.
 */
import { DateTime, Either } from "effect"
import type { Group } from "../group/Group.js"
import type { GroupEvent } from "../group/GroupEvent.js"
import * as GroupLifecycle from "../group/GroupLifecycle.js"
import type { LockedGroup, TagCount } from "../group/GroupStore.js"
import * as GroupingV2 from "../grouping/GroupingV2.js"
import { Utf8Slab } from "../internal/Utf8Slab.js"
import type { ProjectId } from "../project/Project.js"
import type { ProjectCount } from "../project/ProjectStore.js"
import type { ErrorEvent, EventSummary } from "../report/ErrorEvent.js"
import { type EventTitle, titleOf } from "../report/EventTitle.js"
import type { ReportId } from "../report/Report.js"
import type { NewAttachment } from "../report/ReportStore.js"
import type {
  Attachment,
  DecodedPayload,
  DiscardedEvents,
  Payload,
  PayloadDecoder,
  UserFeedback,
} from "./PayloadDecoder.js"

/** A report to be written; `candidate` is the position of its group in `Recording.candidates`. */
export interface ReportToRecord {
  readonly projectId: ProjectId
  readonly candidate: number
  readonly event: EventSummary
  /** JSON in UTF-8. */
  readonly details: Uint8Array
  readonly title: EventTitle
  readonly receivedAt: number
  readonly attachments: ReadonlyArray<Attachment>
}

/** What came for an event that was sent before. */
export interface Supplement {
  readonly projectId: ProjectId
  readonly eventId: string
  readonly attachments: ReadonlyArray<Attachment>
  readonly feedback: UserFeedback | null
}

export interface Recording {
  /** Distinct by project and grouping key. */
  readonly candidates: ReadonlyArray<GroupLifecycle.NewGroup>
  /** Distinct by project and event id, in the order received. */
  readonly reports: ReadonlyArray<ReportToRecord>
  readonly supplements: ReadonlyArray<Supplement>
  readonly discarded: ReadonlyArray<DiscardedEvents & { readonly projectId: ProjectId }>
  readonly undecodable: ReadonlyArray<{ readonly payload: Payload; readonly reason: string }>
}

/**
 * Decodes payloads and gathers them into one recording. One payload after the other, down to the text that is stored:
 * the objects of an event are garbage before the next is decoded, which the collector rewards.
 */
export const gather = (decoder: PayloadDecoder["Type"], payloads: ReadonlyArray<Payload>): Recording => {
  const candidates: Array<GroupLifecycle.NewGroup> = []
  const candidateOf = new Map<string, number>()
  const reports: Array<ReportToRecord> = []
  const seen = new Set<string>()
  const supplements: Array<Supplement> = []
  const discarded: Array<DiscardedEvents & { readonly projectId: ProjectId }> = []

  const details = new Utf8Slab()
  const undecodable: Array<{ readonly payload: Payload; readonly reason: string }> = []

  for (const payload of payloads) {
    const result = decoder.decode(payload)
    if (Either.isLeft(result)) {
      undecodable.push({ payload, reason: result.left.reason })
      continue
    }
    const decoded: DecodedPayload = result.right
    const { projectId } = payload
    const { event } = decoded
    for (const counted of decoded.discarded) discarded.push({ ...counted, projectId })
    for (const feedback of decoded.feedback) {
      supplements.push({ projectId, eventId: feedback.eventId, attachments: [], feedback })
    }
    if (event === null) {
      if (decoded.attachments.length > 0) {
        supplements.push({
          projectId,
          eventId: payload.eventId,
          attachments: decoded.attachments,
          feedback: null,
        })
      }
      continue
    }
    const identity = `${projectId}/${event.eventId}`
    if (seen.has(identity)) continue
    seen.add(identity)

    const grouping = GroupingV2.group(event)
    const title = titleOf(event)
    const key = `${projectId}/${grouping.key}`
    let candidate = candidateOf.get(key)
    if (candidate === undefined) {
      candidate = candidates.length
      candidateOf.set(key, candidate)
      candidates.push({
        projectId,
        grouping,
        ...title,
        severity: event.severity,
        occurredAt: DateTime.unsafeMake(event.occurredAt),
      })
    }
    reports.push({
      projectId,
      candidate,
      event: summaryOf(event),
      details: details.encode(JSON.stringify(event.details)),
      title,
      receivedAt: payload.receivedAt,
      attachments: decoded.attachments,
    })
  }
  return { candidates, reports, supplements, discarded, undecodable }
}

/** What recording changed besides the reports themselves. */
export interface Settlement {
  /** Groups after their new reports; those without any are in `empty` if they were created for nothing. */
  readonly groups: ReadonlyArray<Group>
  readonly empty: ReadonlyArray<Group>
  readonly events: ReadonlyArray<GroupEvent>
  readonly tags: ReadonlyArray<TagCount>
  readonly counts: ReadonlyArray<ProjectCount>
  readonly attachments: ReadonlyArray<NewAttachment>
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
  // Several candidates can lead to one group: keys of merged groups are aliases.
  const states = new Map<number, GroupState>()
  const counts = new Map<ProjectId, { groups: number; reports: number }>()
  const attachments: Array<NewAttachment> = []

  for (let i = 0; i < recording.reports.length; i++) {
    const report = recording.reports[i]!
    const reportId = ids[i] ?? null
    const { group, created } = locked[report.candidate]!
    let state = states.get(group.id)
    if (state === undefined) {
      state = { group, created, reports: [], tags: new Map() }
      states.set(group.id, state)
    }
    if (reportId === null) continue
    const { event } = report
    state.reports.push({
      reportId,
      eventId: event.eventId,
      release: event.release,
      occurredAt: event.occurredAt,
      receivedAt: report.receivedAt,
      severity: event.severity,
    })
    countTags(state.tags, event)
    for (const attachment of report.attachments) {
      attachments.push({ ...attachment, projectId: report.projectId, reportId })
    }
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
    const { projectId, id: groupId } = state.group
    const transition = GroupLifecycle.record(state.group, state.reports, now)
    groups.push(transition.group)
    events.push(...transition.events)
    if (state.created) counts.get(projectId)!.groups++
    for (const [key, values] of state.tags) {
      for (const [value, count] of values) tags.push({ projectId, groupId, key, value, count })
    }
  }
  return {
    groups,
    empty,
    events,
    tags,
    counts: Array.from(counts, ([projectId, count]) => ({ projectId, ...count })),
    attachments,
  }
}

// internal

/** Field by field: a reference to the event would keep its details alive. */
const summaryOf = (event: ErrorEvent): EventSummary => ({
  eventId: event.eventId,
  occurredAt: event.occurredAt,
  platform: event.platform,
  severity: event.severity,
  handled: event.handled,
  serverName: event.serverName,
  environment: event.environment,
  release: event.release,
  tags: event.tags,
})

interface GroupState {
  readonly group: Group
  readonly created: boolean
  readonly reports: Array<GroupLifecycle.RecordedReport>
  readonly tags: Map<string, Map<string, number>>
}

/** What an event has besides its tags that groups are filtered by counts as a tag of that name. */
const countTags = (tags: Map<string, Map<string, number>>, event: EventSummary): void => {
  if (event.environment !== "") countTag(tags, "environment", event.environment)
  if (event.release !== "") countTag(tags, "release", event.release)
  if (event.serverName !== "") countTag(tags, "server_name", event.serverName)
  for (const { key, value } of event.tags) {
    if (!(reserved(event, key) === value && value !== "")) countTag(tags, key, value)
  }
}

const reserved = (event: EventSummary, key: string): string | undefined =>
  key === "environment"
    ? event.environment
    : key === "release"
      ? event.release
      : key === "server_name"
        ? event.serverName
        : undefined

const countTag = (tags: Map<string, Map<string, number>>, key: string, value: string): void => {
  const values = tags.get(key)
  if (values === undefined) tags.set(key, new Map([[value, 1]]))
  else values.set(value, (values.get(value) ?? 0) + 1)
}
