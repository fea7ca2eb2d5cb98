/** Applies rules to events of groups: new and reopened groups, assignments, notes, fatal errors. */
import { Data, Duration, Effect } from "effect"
import { ErrataConfig } from "../ErrataConfig.js"
import type { OutboxEventName } from "../group/GroupEvent.js"
import * as GroupEventDocument from "../group/GroupEventDocument.js"
import { alertsConsumer, GroupEventStore, type LeasedGroupEvent } from "../group/GroupEventStore.js"
import type { ProjectId } from "../project/Project.js"
import * as Transactions from "../storage/Transactions.js"
import { type AlertMatch, firstTrigger, isSevereEnough, triggersOf } from "./AlertMatch.js"
import { AlertRuleStore, type ProjectRules } from "./AlertRuleStore.js"
import * as Notifier from "./Notifier.js"
import * as RuleFilter from "./RuleFilter.js"

export { alertsConsumer }

/** Subscribes the rules of all projects to their events, for as long as nodes may be away. */
export const subscribe = Effect.flatMap(GroupEventStore, (outbox) =>
  outbox.subscribe({
    consumer: alertsConsumer,
    events: eventNames,
    projects: null,
    duration: longestAbsence,
  }),
)

/**
 * Takes events that wait, once; answers how many. They leave the outbox in the transaction that writes the deliveries: a node that
 * is killed in between leaves them to another, and nothing is delivered twice for it.
 */
export const evaluateSome = Effect.gen(function* () {
  const { webhooks: settings } = yield* ErrataConfig
  const transaction = yield* Transactions.make
  const outbox = yield* GroupEventStore
  const events = yield* outbox.lease({
    consumer: alertsConsumer,
    limit: batchSize,
    duration: settings.leaseDuration,
  })
  if (events.length === 0) return 0
  const matches = yield* matchesOf(events)
  yield* transaction(
    Effect.gen(function* () {
      yield* Notifier.notify(matches)
      if (!(yield* outbox.settle(alertsConsumer, events))) return yield* new LeaseLost()
    }),
  ).pipe(
    // Another node has them, and writes the deliveries.
    Effect.catchTag("LeaseLost", () => Effect.void),
  )
  return events.length
}).pipe(Effect.uninterruptible, Effect.withSpan("AlertEvents.evaluateSome"))

// internal

const batchSize = 200

const longestAbsence = Duration.days(7)

const eventNames: ReadonlyArray<OutboxEventName> = [
  "group.created",
  "group.unresolved",
  "group.assigned",
  "group.noted",
  "group.escalated",
]

class LeaseLost extends Data.TaggedError("LeaseLost") {}

interface Candidate {
  readonly match: AlertMatch
  readonly rule: ProjectRules["rules"][number] | null
}

const matchesOf = Effect.fnUntraced(function* (events: ReadonlyArray<LeasedGroupEvent>) {
  const rules = yield* AlertRuleStore
  const projectIds = [...new Set(events.map(({ projectId }) => projectId))]
  const inForce = new Map((yield* rules.inForce(projectIds)).map((project) => [project.projectId, project]))
  const candidates: Array<Candidate> = []
  for (const event of events) {
    const project = inForce.get(event.projectId)
    if (project === undefined) continue
    const document = yield* Effect.option(
      Effect.tapError(GroupEventDocument.decode(event.document), () =>
        Effect.annotateLogs(Effect.logError("A group event cannot be read, and no rule applies to it"), {
          event: event.event,
          id: event.id,
        }),
      ),
    )
    if (document._tag === "Some") candidates.push(...candidatesOf(project, event.id, document.value))
  }
  return yield* filtered(candidates)
})

const candidatesOf = (
  { rules, ...project }: ProjectRules,
  eventId: number,
  { at, event }: GroupEventDocument.GroupEventDocument,
): ReadonlyArray<Candidate> => {
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
  const matched = rules.flatMap((rule): ReadonlyArray<Candidate> => {
    const first = firstTrigger(rule, fulfilled)
    return first._tag === "Some" ? [{ rule, match: { ...base, rule, ...first.value } }] : []
  })
  if (event._tag !== "Assigned" || matched.some(({ rule }) => rule?.receivers.members)) return matched
  const assigned = { ...base, rule: null, trigger: { type: "assigned" }, reason: "Assigned to you" } as const
  return [...matched, { rule: null, match: assigned }]
}

/** Queries the storage once for each rule that narrows its groups, in place of once for each event. */
const filtered = Effect.fnUntraced(function* (candidates: ReadonlyArray<Candidate>) {
  const passing = new Map<string, ReadonlySet<number>>()
  const keyOf = (projectId: ProjectId, ruleId: number) => `${projectId}/${ruleId}`
  const narrowed = candidates.filter(({ rule }) => rule !== null && !RuleFilter.isEmpty(rule.filter))
  for (const [key, some] of Map.groupBy(narrowed, ({ match, rule }) =>
    keyOf(match.project.projectId, rule!.id),
  )) {
    const { match, rule } = some[0]!
    const ids = [...new Set(some.flatMap(({ match: { group } }) => group?.id ?? []))]
    passing.set(key, yield* RuleFilter.passing(match.project.projectId, rule!.filter, ids))
  }
  return candidates.flatMap(({ match, rule }): ReadonlyArray<AlertMatch> => {
    const passed = rule === null ? undefined : passing.get(keyOf(match.project.projectId, rule.id))
    return passed === undefined || (match.group !== null && passed.has(match.group.id)) ? [match] : []
  })
})
