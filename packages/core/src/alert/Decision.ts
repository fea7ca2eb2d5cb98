/** Decides whether a match is news, and the next state of its rule. Pure. */
import type { DateTime } from "effect"
import type { NewDelivery } from "../delivery/DeliveryStore.js"
import { type AlertMatch, groupIdOf } from "./AlertMatch.js"
import { isMeasured } from "./AlertRule.js"
import type { AlertPlace, AlertState } from "./AlertStore.js"

/** The place of a match's state; null without a rule. */
export const placeOf = (match: Pick<AlertMatch, "project" | "rule" | "group">): AlertPlace | null =>
  match.rule === null
    ? null
    : { projectId: match.project.projectId, ruleId: match.rule.id, groupId: groupIdOf(match) }

/** A unique text for a place. */
export const keyOf = ({ groupId, projectId, ruleId }: AlertPlace): string =>
  `${projectId}/${ruleId}/${groupId}`

/** The state of a place that has none yet. */
export const unknown: Pick<AlertState, "notifiedAt" | "firing"> = { notifiedAt: null, firing: false }

/**
 * Decides on a match. Null means that it is no news: a measured condition still holds, or it begins or ends without a
 * notification.
 */
export const make = (
  match: AlertMatch,
  state: AlertState,
  now: DateTime.Utc,
): { readonly state: AlertState; readonly heldBack: NewDelivery["heldBack"] } | null => {
  if (match.kind === "over") {
    return state.firing ? { state: { ...state, firing: false }, heldBack: null } : null
  }
  const repeats = isRepeat(match, state, now)
  if (isMeasured(match.trigger)) {
    // The next measurement follows soon. It notifies if the condition still holds after the period.
    if (state.firing || repeats) return null
    return { state: { ...state, firing: true, notifiedAt: now }, heldBack: null }
  }
  return repeats
    ? {
        state,
        heldBack: {
          throttle: "repeat",
          reason: `the rule notified about this group less than ${match.rule?.repeatMinutes} minutes before`,
        },
      }
    : { state: { ...state, notifiedAt: now }, heldBack: null }
}

// internal

const isRepeat = ({ rule }: AlertMatch, { notifiedAt }: AlertState, now: DateTime.Utc): boolean =>
  rule !== null &&
  notifiedAt !== null &&
  now.epochMilliseconds < notifiedAt.epochMilliseconds + rule.repeatMinutes * 60_000
