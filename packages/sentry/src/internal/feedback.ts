/** User feedback: the old `user_report`, and the new `feedback`, an event whose context may refer to another event. */
import { hash } from "node:crypto"
import type { ErrorEvent, UserFeedback } from "@errata/core/ports"
import { normalizeEventId } from "../EventId.js"
import { type NormalizeOptions, normalizeEvent } from "../EventNormalizer.js"
import type { Bounds } from "./Bounds.js"
import { isRecord, type UnknownRecord } from "./json.js"

export interface GivenFeedback extends Omit<UserFeedback, "eventId" | "ownEvent"> {
  /** The event that it refers to, or null. */
  readonly eventId: string | null
  readonly url: string
  /** The other properties of an event, which the new form may have. */
  readonly rest: UnknownRecord
  /** Its own id, or null. */
  readonly ownId: string | null
}

export const readUserReport = (value: UnknownRecord, bounds: Bounds): GivenFeedback => ({
  eventId: idOf(value.event_id),
  name: bounds.short(value.name, "name"),
  email: bounds.short(value.email, "email"),
  comments: bounds.long(value.comments, "comments"),
  url: "",
  rest: {
    contexts: {
      feedback: { message: value.comments, name: value.name, contact_email: value.email },
    },
  },
  ownId: null,
})

export const readFeedback = (value: UnknownRecord, bounds: Bounds): GivenFeedback => {
  const contexts = isRecord(value.contexts) ? value.contexts : {}
  const context = isRecord(contexts.feedback) ? contexts.feedback : {}
  return {
    eventId: idOf(context.associated_event_id),
    name: bounds.short(context.name, "name"),
    email: bounds.short(context.contact_email, "email"),
    comments: bounds.long(context.message, "comments"),
    url: bounds.short(context.url, "url"),
    rest: value,
    ownId: idOf(value.event_id),
  }
}

/** Feedback as a report in a group of its own: equal words of two users are separate matters, resolved one by one. */
export const eventOfFeedback = (
  { comments, email, name, rest, url }: GivenFeedback,
  options: NormalizeOptions,
): ErrorEvent => {
  const user = isRecord(rest.user) ? rest.user : {}
  const request = isRecord(rest.request) ? rest.request : {}
  return normalizeEvent(
    {
      ...rest,
      level: rest.level ?? "info",
      exception: { values: [{ type: "User Feedback", value: comments, mechanism }] },
      fingerprint: rest.fingerprint ?? ["user-feedback", options.eventId],
      user: { ...user, username: user.username || name, email: user.email || email },
      request: { ...request, url: request.url || url },
    },
    options,
  )
}

/**
 * The id of the report for feedback whose event never arrived. It differs from the event's id, since the event may
 * still arrive, and is deterministic, so that duplicates are recorded once.
 */
export const ownIdOf = ({ comments, email, eventId, name, ownId }: GivenFeedback): string =>
  ownId !== null && ownId !== eventId
    ? ownId
    : hash("sha256", JSON.stringify(["feedback", eventId, name, email, comments]), "hex").slice(0, 32)

// internal

const mechanism = { type: "feedback", handled: true, synthetic: true }

const idOf = (value: unknown): string | null => (typeof value === "string" ? normalizeEventId(value) : null)
