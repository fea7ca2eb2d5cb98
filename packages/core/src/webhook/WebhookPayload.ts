/** JSON payloads of webhooks: the core's own wire format, with the field names of the REST contract. */
import { DateTime } from "effect"
import { nameOf } from "../group/GroupEvent.js"
import {
  type DocumentEvent,
  formatMicroseconds,
  type GroupEventDocument,
} from "../group/GroupEventDocument.js"
import { groupFields } from "../group/GroupFields.js"
import type { ProjectId } from "../project/Project.js"
import type { UserId } from "../user/User.js"
import type { WebhookId } from "./Webhook.js"

/** Names by user id. */
export type Names = ReadonlyMap<UserId, string>

/** Ids of the users whose names the payload contains. */
export const usersIn = ({ event }: GroupEventDocument): ReadonlyArray<UserId> =>
  [event.by, event._tag === "Reopened" ? event.previous.by : null].filter((id) => id !== null)

/** Returns the payload for an event of a group. `address` is the public address of the instance. */
export const ofDocument = (
  { at, event }: GroupEventDocument,
  names: Names,
  address: string | null,
): string => {
  if (event._tag === "Reopened") return JSON.stringify(reopening(event, names))
  return JSON.stringify({
    event: nameOf(event),
    ...detailsOf(event),
    group_id: event.group.id,
    project_id: event.group.projectId,
    occurred_at: DateTime.formatIso(at),
    actor: actorOf(event.by, names),
    group: groupFields(event.group, event.group.fingerprint, at, address),
  })
}

/** Returns the payload of a test. */
export const ofTest = (
  webhook: { readonly id: WebhookId; readonly projectId: ProjectId },
  by: UserId | null,
  names: Names,
  now: DateTime.Utc,
): string =>
  JSON.stringify({
    event: "webhook.test",
    webhook_id: webhook.id,
    group_id: null,
    project_id: webhook.projectId,
    occurred_at: DateTime.formatIso(now),
    actor: actorOf(by, names),
    group: null,
  })

// internal

type Reopening = Extract<DocumentEvent, { readonly _tag: "Reopened" }>
type Other = Exclude<DocumentEvent, Reopening>

/** As the specification defines it. */
const reopening = ({ group, previous, report, ...event }: Reopening, names: Names) => ({
  event: nameOf(event),
  reason: "new_report",
  group_id: group.id,
  project_id: group.projectId,
  report_id: report.reportId,
  event_id: report.eventId === "" ? null : report.eventId,
  release_version: report.release === "" ? null : report.release,
  report_occurred_at: formatMicroseconds(report.occurredAt),
  report_received_at: formatMicroseconds(report.receivedAt),
  previous_resolved_at: formatMicroseconds(previous.at.epochMilliseconds),
  previous_resolver_id: previous.by,
  previous_resolver_name: previous.by === null ? null : (names.get(previous.by) ?? null),
})

const detailsOf = (event: Other): object => {
  switch (event._tag) {
    case "Unresolved":
      return { reason: "manual" }
    case "Unmuted":
      return { reason: event.reason, ...(event.reason === "release" && { release_version: event.release }) }
    case "Merged":
      return { source_ids: event.sourceIds }
    default:
      return {}
  }
}

const actorOf = (id: UserId | null, names: Names) =>
  id === null ? null : { id, name: names.get(id) ?? null }
