/** Applies rules to events of groups: new and reopened groups, assignments, notes, fatal errors. */
import { Duration, Effect, Option } from "effect"
import type { OutboxEventName } from "../group/GroupEvent.js"
import type * as GroupEventDocument from "../group/GroupEventDocument.js"
import { alertsConsumer, GroupEventStore, type LeasedGroupEvent } from "../group/GroupEventStore.js"
import * as OutboxConsumer from "../group/OutboxConsumer.js"
import { type AlertMatch, firstTrigger, isSevereEnough, triggersOf } from "./AlertMatch.js"
import { AlertStore, type ProjectRules } from "./AlertStore.js"
import * as Notifier from "./Notifier.js"
import * as RuleFilter from "./RuleFilter.js"

export { alertsConsumer }

/**
 * Subscribes rules to events of all projects for the longest absence of nodes. Does nothing if no rule needs events.
 */
export const subscribe = Effect.gen(function* () {
  const alerts = yield* AlertStore
  const outbox = yield* GroupEventStore
  if (!(yield* alerts.hasEventRules)) return
  yield* outbox.subscribe({
    consumer: alertsConsumer,
    events: eventNames,
    projects: null,
    duration: longestAbsence,
  })
})

/** Applies rules to waiting events once. Returns their number. See `OutboxConsumer`. */
export const evaluateSome = Effect.suspend(() =>
  OutboxConsumer.consumeSome(alertsConsumer, matchesOf, Notifier.notify),
).pipe(Effect.withSpan("AlertEvents.evaluateSome"))

// internal

const longestAbsence = Duration.days(7)

const eventNames: ReadonlyArray<OutboxEventName> = [
  "group.created",
  "group.unresolved",
  "group.assigned",
  "group.noted",
  "group.escalated",
]

const matchesOf = Effect.fnUntraced(function* (events: ReadonlyArray<LeasedGroupEvent>) {
  const alerts = yield* AlertStore
  const projectIds = [...new Set(events.map(({ projectId }) => projectId))]
  const inForce = new Map((yield* alerts.inForce(projectIds)).map((project) => [project.projectId, project]))
  const candidates: Array<AlertMatch> = []
  for (const event of events) {
    const project = inForce.get(event.projectId)
    if (project === undefined) continue
    const document = yield* OutboxConsumer.documentOf(event)
    if (Option.isSome(document)) candidates.push(...candidatesOf(project, event.id, document.value))
  }
  return yield* filtered(candidates)
})

const candidatesOf = (
  { rules, ...project }: ProjectRules,
  eventId: number,
  { at, event }: GroupEventDocument.GroupEventDocument,
): ReadonlyArray<AlertMatch> => {
  const fulfilled = triggersOf(event)
  if (fulfilled.length === 0 || !isSevereEnough(project, event.group)) return []
  const base = {
    project,
    kind: "alert",
    occurrence: `e${eventId}`,
    at,
    group: event.group,
    by: event.by,
  } as const
  const matched = rules.flatMap((rule): ReadonlyArray<AlertMatch> => {
    const first = firstTrigger(rule, fulfilled)
    return Option.isSome(first) ? [{ ...base, rule, ...first.value }] : []
  })
  if (event._tag !== "Assigned" || matched.some(({ rule }) => rule?.receivers.members)) return matched
  return [...matched, { ...base, rule: null, trigger: { type: "assigned" }, reason: "Assigned to you" }]
}

/** Queries the storage once for each rule that narrows its groups, in place of once for each event. */
const filtered = Effect.fnUntraced(function* (candidates: ReadonlyArray<AlertMatch>) {
  const passing = new Map<string, ReadonlySet<number>>()
  const keyOf = ({ project, rule }: AlertMatch) => `${project.projectId}/${rule?.id}`
  for (const [key, some] of Map.groupBy(candidates, keyOf)) {
    const [{ project, rule } = {}] = some
    if (project === undefined || rule == null || RuleFilter.isEmpty(rule.filter)) continue
    const ids = [...new Set(some.flatMap(({ group }) => group?.id ?? []))]
    passing.set(key, yield* RuleFilter.passing(project.projectId, rule.filter, ids))
  }
  return candidates.filter((match) => {
    const passed = passing.get(keyOf(match))
    return passed === undefined || (match.group !== null && passed.has(match.group.id))
  })
})
