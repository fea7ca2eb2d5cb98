/**
 * Prepares a batch of payloads before anything is locked or written. Pure, and the most CPU-intensive part of
 * recording. Frames are mapped before an event gets its title and group, because minified names change with every
 * build.
 */
import { DateTime, Result } from "effect"
import type { ErrorEvent, EventHead } from "../event/ErrorEvent.js"
import { type EventTitle, titleOf } from "../event/EventTitle.js"
import { userHashOf } from "../event/EventUsers.js"
import { countTags, type TagTally } from "../event/TagCounting.js"
import * as TagList from "../event/TagList.js"
import type { NewGroup } from "../group/GroupLifecycle.js"
import * as GroupingV2 from "../grouping/GroupingV2.js"
import type {
  Attachment,
  DecodedPayload,
  DiscardedEvents,
  Payload,
  PayloadDecoder,
  PayloadPlace,
  StoredPayload,
  UserFeedback,
} from "../payload/PayloadDecoder.js"
import type { ProjectId } from "../project/Project.js"
import { Inspection } from "../sourcemap/EventScripts.js"
import type { AtOnce, EventOfProject, MappedEvent } from "../sourcemap/FrameMapper.js"
import { type SourcemapResolution, unprocessed } from "../sourcemap/SourcemapResolution.js"

/** A report to write. `candidate` is the index of its group in `Recording.candidates`. */
export interface ReportToRecord {
  readonly projectId: ProjectId
  readonly candidate: number
  readonly event: EventHead
  /** The place of the stored payload. */
  readonly place: PayloadPlace
  /** See `TagList`. */
  readonly tags: Uint8Array
  readonly title: EventTitle
  /** See `userHashOf`. */
  readonly user: number | null
  readonly resolution: SourcemapResolution
  readonly receivedAt: number
  readonly attachments: ReadonlyArray<Attachment>
  /** True if the event was truncated to fit the limits. */
  readonly isTruncated: boolean
}

/** Feedback or attachments for an event of another payload. */
export interface Supplement extends StoredPayload {
  readonly projectId: ProjectId
  readonly eventId: string
  readonly attachments: ReadonlyArray<Attachment>
  readonly feedback: UserFeedback | null
}

/** A payload that cannot be recorded, with the reason. */
export interface RefusedPayload extends StoredPayload {
  readonly reason: string
}

/** An event that needs a source map lookup before it gets its title and group. */
export interface HeldEvent extends EventOfProject {
  readonly stored: StoredPayload
  readonly decoded: DecodedPayload
}

export interface Recording {
  /** Distinct by project and grouping key. */
  readonly candidates: ReadonlyArray<NewGroup>
  /** Tags of the reports of each candidate. */
  readonly tags: ReadonlyArray<TagTally>
  /** Distinct by project and event id, in the order received. */
  readonly reports: ReadonlyArray<ReportToRecord>
  readonly supplements: ReadonlyArray<Supplement>
  readonly discarded: ReadonlyArray<DiscardedEvents & { readonly projectId: ProjectId }>
  readonly undecodable: ReadonlyArray<RefusedPayload>
  /** Payloads that wait for source maps. No part of them is recorded now. */
  readonly postponed: ReadonlySet<Payload>
}

/**
 * Reduces payloads to a recording, one at a time. The objects of an event become garbage before the next is decoded,
 * which keeps garbage collection cheap.
 */
export class Gathering implements Recording {
  readonly candidates: Array<NewGroup> = []
  readonly tags: Array<Map<string, Map<string, number>>> = []
  readonly reports: Array<ReportToRecord> = []
  readonly supplements: Array<Supplement> = []
  readonly discarded: Array<DiscardedEvents & { readonly projectId: ProjectId }> = []
  readonly undecodable: Array<RefusedPayload> = []
  readonly postponed = new Set<Payload>()

  private held: Array<HeldEvent> = []
  private readonly candidateOf = new Map<string, number>()
  private readonly seen = new Set<string>()

  constructor(
    private readonly decoder: PayloadDecoder["Service"],
    private readonly atOnce: AtOnce,
  ) {}

  add(stored: StoredPayload): void {
    const result = this.decoder.decode(stored.payload)
    if (Result.isFailure(result)) {
      this.undecodable.push({ ...stored, reason: result.failure.reason })
      return
    }
    const decoded = result.success
    const { event } = decoded
    const { projectId } = stored.payload
    if (event === null) {
      this.addDecoded(stored, decoded)
      return
    }
    // Reports keep the order of arrival, so events after one that needs a lookup are held too.
    const answer = this.held.length === 0 ? this.atOnce(projectId, event) : null
    if (answer === null || answer instanceof Inspection) {
      this.held.push({ projectId, event, inspection: answer, stored, decoded })
      return
    }
    this.addDecoded(stored, decoded)
    this.addReport(stored, event, decoded.attachments, answer)
  }

  /** Takes the held events. Pass them to `addResolved` before adding many others. */
  takeHeld(): ReadonlyArray<HeldEvent> {
    const { held } = this
    this.held = []
    return held
  }

  /** Adds held events in order. Null postpones an event. */
  addResolved(held: ReadonlyArray<HeldEvent>, resolved: ReadonlyArray<MappedEvent | null>): void {
    for (const [i, { decoded, stored }] of held.entries()) {
      const answer = resolved[i] ?? null
      if (answer === null) {
        this.postponed.add(stored.payload)
        continue
      }
      this.addDecoded(stored, decoded)
      this.addReport(stored, answer.event, decoded.attachments, answer.resolution)
    }
  }

  /** Adds feedback whose event did not arrive as reports. The first of a payload gets its attachments. */
  addLonely(supplements: ReadonlyArray<Supplement>): void {
    const attachments = new Map<Payload, ReadonlyArray<Attachment>>()
    for (const { attachments: some, feedback, payload } of supplements) {
      if (feedback === null) attachments.set(payload, some)
    }
    for (const { feedback, payload, place } of supplements) {
      if (feedback?.ownEvent === undefined) continue
      this.addReport({ payload, place }, feedback.ownEvent, attachments.get(payload) ?? [], unprocessed)
      attachments.delete(payload)
    }
  }

  /** Adds everything except the event. */
  private addDecoded(
    { payload, place }: StoredPayload,
    { attachments, discarded, event, feedback }: DecodedPayload,
  ): void {
    const { projectId } = payload
    for (const counted of discarded) this.discarded.push({ ...counted, projectId })
    for (const item of feedback) {
      const { eventId } = item
      this.supplements.push({ payload, place, projectId, eventId, attachments: [], feedback: item })
    }
    if (event === null && attachments.length > 0) {
      // Screenshots arrive with the feedback, whose event is in another payload.
      const eventId = feedback[0]?.eventId ?? payload.eventId
      this.supplements.push({ payload, place, projectId, eventId, attachments, feedback: null })
    }
  }

  private addReport(
    { payload, place }: StoredPayload,
    event: ErrorEvent,
    attachments: ReadonlyArray<Attachment>,
    resolution: SourcemapResolution,
  ): void {
    const { projectId, receivedAt } = payload
    const identity = `${projectId}/${event.eventId}`
    if (this.seen.has(identity)) return
    this.seen.add(identity)
    const title = titleOf(event)
    const candidate = this.candidate(projectId, event, title)
    // Counted now: tags kept until the write would survive garbage collections and make up most of the heap.
    countTags(this.tags[candidate]!, event)
    this.reports.push({
      projectId,
      candidate,
      event: headOf(event),
      place,
      tags: TagList.encode(event.tags),
      title,
      user: userHashOf(projectId, event.details.user),
      resolution,
      receivedAt,
      attachments,
      isTruncated: event.details.ingest_truncations.length > 0,
    })
  }

  private candidate(projectId: ProjectId, event: ErrorEvent, title: EventTitle): number {
    const grouping = GroupingV2.group(event)
    const key = `${projectId}/${grouping.key}`
    const known = this.candidateOf.get(key)
    if (known !== undefined) return known
    const { release, severity } = event
    const occurredAt = DateTime.makeUnsafe(event.occurredAt)
    this.candidateOf.set(key, this.candidates.length)
    this.tags.push(new Map())
    return this.candidates.push({ projectId, grouping, ...title, severity, occurredAt, release }) - 1
  }
}

// internal

/** Copies fields, because a reference to the event would keep its details in memory. */
const headOf = (event: ErrorEvent): EventHead => ({
  eventId: event.eventId,
  occurredAt: event.occurredAt,
  platform: event.platform,
  severity: event.severity,
  handled: event.handled,
  serverName: event.serverName,
  environment: event.environment,
  release: event.release,
})
