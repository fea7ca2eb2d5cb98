/**
 * The stored form of a group event: versioned JSON with all data that consumers need, as of the time of the event.
 * Later changes, merges and resolutions do not affect it.
 */
import { DateTime, Effect, Schema, SchemaGetter, SchemaIssue } from "effect"
import { fingerprint } from "../grouping/Grouping.js"
import { ReportId } from "../id/ReportId.js"
import { UserId } from "../user/User.js"
import { Group, GroupId, MuteCondition, Resolution } from "./Group.js"
import { authorOf, type GroupEvent, outboxNameOf, UnmuteReason } from "./GroupEvent.js"

/** A time in ISO 8601 with microseconds, UTC. Decoded to epoch milliseconds. */
export const Microseconds = Schema.String.pipe(
  Schema.decodeTo(Schema.Number, {
    decode: SchemaGetter.transformEffect((text) => {
      const millis = microseconds.test(text) ? Date.parse(`${text.slice(0, -4)}Z`) : Number.NaN
      return Number.isNaN(millis)
        ? Effect.fail(new SchemaIssue.InvalidValue({ message: "Expected a time with microseconds, in UTC" }))
        : Effect.succeed(millis + Number(text.slice(-4, -1)) / 1000)
    }),
    encode: SchemaGetter.transform((micros: number) => formatMicroseconds(micros)),
  }),
)

const { grouping: _, hasMembers: __, ...fields } = Group.fields

/** A group as lists show it. */
export const DocumentGroup = Schema.Struct({
  ...fields,
  /** `v2:HEX` */
  fingerprint: Schema.String,
})
export type DocumentGroup = typeof DocumentGroup.Type

const common = { group: DocumentGroup, by: Schema.NullOr(UserId) }

/** The variants of `GroupEvent` that go to the outbox. */
export const DocumentEvent = Schema.Union([
  Schema.TaggedStruct("Created", common),
  Schema.TaggedStruct("Resolved", common),
  Schema.TaggedStruct("Unresolved", { ...common, previous: Resolution }),
  Schema.TaggedStruct("Reopened", {
    ...common,
    previous: Resolution,
    report: Schema.Struct({
      reportId: ReportId,
      eventId: Schema.String,
      release: Schema.String,
      occurredAt: Microseconds,
      receivedAt: Microseconds,
    }),
  }),
  Schema.TaggedStruct("Muted", { ...common, condition: MuteCondition }),
  Schema.TaggedStruct("Unmuted", {
    ...common,
    reason: UnmuteReason,
    release: Schema.NullOr(Schema.String),
  }),
  Schema.TaggedStruct("Merged", { ...common, sourceIds: Schema.Array(GroupId) }),
  Schema.TaggedStruct("Assigned", { ...common, assigneeId: Schema.NullOr(UserId) }),
  Schema.TaggedStruct("Noted", { ...common, content: Schema.String }),
  Schema.TaggedStruct("Escalated", common),
])
export type DocumentEvent = typeof DocumentEvent.Type

/** To change this shape, add a version beside it: events of both can wait in the outbox during an upgrade. */
export const GroupEventDocument = Schema.Struct({
  version: Schema.Literal(1),
  /** When the group changed. */
  at: Schema.DateTimeUtcFromString,
  event: DocumentEvent,
})
export type GroupEventDocument = typeof GroupEventDocument.Type

/** Decodes a document. */
export const decode = Schema.decodeEffect(Schema.fromJsonString(GroupEventDocument))

/**
 * Encodes an event by hand, with the same result as the schema. Events of new groups are written while reports are recorded,
 * even if no webhook subscribes, and the schema takes four times as long (45 us instead of 12).
 */
export const encode = (event: OutboxEvent, at: DateTime.Utc): string =>
  JSON.stringify({
    version: 1,
    at: DateTime.formatIso(at),
    event: encodeEvent(event),
  } satisfies typeof GroupEventDocument.Encoded)

/** Events that have a document. */
export type OutboxEvent = Extract<GroupEvent, { readonly _tag: DocumentEvent["_tag"] }>

export const isOutboxEvent = (event: GroupEvent): event is OutboxEvent => outboxNameOf(event) !== null

// internal

const microseconds = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/

/** Formats epoch milliseconds in ISO 8601 with microseconds, UTC. */
export const formatMicroseconds = (time: number): string => {
  const millis = Math.floor(time)
  const micros = Math.floor((time - millis) * 1000)
  return `${new Date(millis).toISOString().slice(0, -1)}${String(micros).padStart(3, "0")}Z`
}

const encodeEvent = (event: OutboxEvent): typeof DocumentEvent.Encoded => {
  const known = { group: encodeGroup(event.group), by: authorOf(event) }
  switch (event._tag) {
    case "Created":
    case "Escalated":
    case "Resolved":
      return { ...known, _tag: event._tag }
    case "Unresolved":
      return { ...known, _tag: event._tag, previous: encodeResolution(event.previous) }
    case "Reopened": {
      const { eventId, occurredAt, receivedAt, release, reportId } = event.report
      return {
        ...known,
        _tag: event._tag,
        previous: encodeResolution(event.previous),
        report: {
          reportId,
          eventId,
          release,
          occurredAt: formatMicroseconds(occurredAt),
          receivedAt: formatMicroseconds(receivedAt),
        },
      }
    }
    case "Muted":
      return { ...known, _tag: event._tag, condition: encodeCondition(event.condition) }
    case "Unmuted":
      return { ...known, _tag: event._tag, reason: event.reason, release: event.release }
    case "Merged":
      return { ...known, _tag: event._tag, sourceIds: event.sourceIds }
    case "Assigned":
      return { ...known, _tag: event._tag, assigneeId: event.assigneeId }
    case "Noted":
      return { ...known, _tag: event._tag, content: event.content }
  }
}

const encodeGroup = (group: Group): typeof DocumentGroup.Encoded => ({
  id: group.id,
  projectId: group.projectId,
  errorType: group.errorType,
  errorMessage: group.errorMessage,
  culprit: group.culprit,
  fingerprint: fingerprint(group.grouping),
  severity: group.severity,
  firstOccurredAt: DateTime.formatIso(group.firstOccurredAt),
  lastOccurredAt: DateTime.formatIso(group.lastOccurredAt),
  reportsCount: group.reportsCount,
  usersCount: group.usersCount,
  notesCount: group.notesCount,
  resolution: group.resolution && encodeResolution(group.resolution),
  reopenedAt: group.reopenedAt && DateTime.formatIso(group.reopenedAt),
  mute: group.mute && {
    at: DateTime.formatIso(group.mute.at),
    by: group.mute.by,
    condition: encodeCondition(group.mute.condition),
  },
  projectMute: group.projectMute && {
    at: DateTime.formatIso(group.projectMute.at),
    by: group.projectMute.by,
    until: group.projectMute.until && DateTime.formatIso(group.projectMute.until),
  },
  assigneeId: group.assigneeId,
  issueUrl: group.issueUrl,
  mergedIntoId: group.mergedIntoId,
  createdAt: DateTime.formatIso(group.createdAt),
  updatedAt: DateTime.formatIso(group.updatedAt),
})

const encodeResolution = ({ at, by, inRelease }: Resolution): typeof Resolution.Encoded => ({
  at: DateTime.formatIso(at),
  by,
  inRelease,
})

const encodeCondition = (condition: MuteCondition): typeof MuteCondition.Encoded =>
  condition._tag === "Until" ? { _tag: "Until", until: DateTime.formatIso(condition.until) } : condition
