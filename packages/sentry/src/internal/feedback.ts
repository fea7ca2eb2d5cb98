/**
 * What a user said about an error, in the old form (`user_report`) and in the new one: an event (`feedback`) whose
 * context says which other event it speaks of, if any.
 */
import { hash } from "node:crypto"
import type { ErrorEvent, UserFeedback } from "@errata/core/ports"
import { normalizeEventId } from "../EventId.js"
import { type NormalizeOptions, normalizeEvent } from "../EventNormalizer.js"
import type { Bounds } from "./Bounds.js"
import { isRecord, type UnknownRecord } from "./json.js"

export interface GivenFeedback extends Omit<UserFeedback, "eventId" | "ownEvent"> {
  /** The event that it names; null where it names none. */
  readonly eventId: string | null
  readonly url: string
  /** What else it brings: the new form has all that an event may have. */
  readonly rest: UnknownRecord
  /** Its own id, null where it has none. */
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

/**
 * The feedback as a report of its own, in a group of its own: what two people say is not the same matter because they
 * say it in the same words, and is answered and resolved one by one.
 */
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
 * The id of a report that feedback becomes whose event never came. Not the event's, which may come after all; and the
 * same whenever the same is sent, so that it is recorded once.
 */
export const ownIdOf = ({ comments, email, eventId, name, ownId }: GivenFeedback): string =>
  ownId !== null && ownId !== eventId
    ? ownId
    : hash("sha256", JSON.stringify(["feedback", eventId, name, email, comments]), "hex").slice(0, 32)

// internal

const mechanism = { type: "feedback", handled: true, synthetic: true }

const idOf = (value: unknown): string | null => (typeof value === "string" ? normalizeEventId(value) : null)
