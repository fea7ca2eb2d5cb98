/** Measures the conditions of rules every 30 seconds: many reports, high rates, affected users. */
import { DateTime, Effect, Option } from "effect"
import { GroupStore } from "../group/GroupStore.js"
import type { ProjectId } from "../project/Project.js"
import * as Transactions from "../storage/Transactions.js"
import { type AlertMatch, groupIdOf, isSevereEnough } from "./AlertMatch.js"
import { type AlertRule, isMeasured, type MeasuredTrigger } from "./AlertRule.js"
import { type AlertState, AlertStore, type ProjectRules } from "./AlertStore.js"
import * as Measurements from "./Measurements.js"
import * as Notifier from "./Notifier.js"

/** Measures all conditions once, and notifies about changes. Returns the number of deliveries. */
export const measureAll = Effect.gen(function* () {
  const alerts = yield* AlertStore
  const now = yield* DateTime.now
  const since = DateTime.subtract(now, { hours: 25 })
  let after = 0
  let made = 0
  while (true) {
    const ids = yield* alerts.toMeasure(after, since, batchSize)
    const inForce = new Map((yield* alerts.inForce(ids)).map((project) => [project.projectId, project]))
    for (const id of ids) {
      const project = inForce.get(id)
      if (project === undefined) yield* endAll(id)
      else made += yield* measureProject(project, now)
    }
    after = ids.at(-1) ?? after
    if (ids.length < batchSize) return made
    yield* Effect.yieldNow
  }
}).pipe(Effect.withSpan("MeasureJob.measureAll"))

/** The job, as `Job` describes it. */
export const job = {
  name: "measure-alerts",
  run: measureAll,
}

// internal

const batchSize = 100

/** Ends the states of a project without an enabled rule, without a notification. */
const endAll = Effect.fnUntraced(function* (projectId: ProjectId) {
  const alerts = yield* AlertStore
  yield* end(yield* alerts.firing(projectId))
})

/** Ends states without a notification, in a transaction of its own: those of matches are locked by another one. */
const end = Effect.fnUntraced(function* (ended: ReadonlyArray<AlertState>) {
  if (ended.length === 0) return
  const alerts = yield* AlertStore
  const transaction = yield* Transactions.make
  yield* transaction(
    Effect.flatMap(alerts.lockStates(ended), (locked) =>
      alerts.putStates(locked.map((state) => ({ ...state, firing: false }))),
    ),
  )
})

interface MeasuredRule {
  readonly rule: AlertRule
  readonly trigger: MeasuredTrigger
}

const measureProject = Effect.fnUntraced(function* ({ rules, ...project }: ProjectRules, now: DateTime.Utc) {
  const alerts = yield* AlertStore
  const transaction = yield* Transactions.make
  const measured = rules.flatMap((rule): ReadonlyArray<MeasuredRule> => {
    const trigger = rule.triggers.find(isMeasured)
    return trigger === undefined ? [] : [{ rule, trigger }]
  })
  const firing = yield* alerts.firing(project.projectId)
  const matches: Array<AlertMatch> = []
  const ended: Array<AlertState> = firing.filter(
    ({ ruleId }) => !measured.some(({ rule }) => rule.id === ruleId),
  )
  const results = yield* Measurements.measure(
    project.projectId,
    measured.map(({ rule: { filter }, trigger }) => ({ filter, trigger })),
    now,
  )
  for (const [i, { rule, trigger }] of measured.entries()) {
    const holding = results[i]!.filter(({ group }) => group === null || isSevereEnough(project, group))
    const occurrence = Math.floor(now.epochMilliseconds / 60_000)
    const base = { project, rule, trigger, at: now, by: null } as const
    for (const { group, reason } of holding) {
      const id = `m${occurrence}-${group?.id ?? "project"}`
      matches.push({ ...base, kind: "alert", occurrence: id, reason, group })
    }
    // The number of users of a group does not fall.
    if (trigger.type === "users") continue
    const held = new Set(holding.map(groupIdOf))
    for (const state of firing.filter(({ groupId, ruleId }) => ruleId === rule.id && !held.has(groupId))) {
      const group = yield* groupOf(project.projectId, state)
      if (group === undefined) ended.push(state)
      else {
        const id = `o${occurrence}-${state.groupId ?? "project"}`
        matches.push({ ...base, kind: "over", occurrence: id, reason: Measurements.endOf(trigger), group })
      }
    }
  }
  // Rules that no longer measure, and groups that are gone.
  yield* end(ended)
  return matches.length === 0 ? 0 : yield* transaction(Notifier.notify(matches))
})

/** Undefined if the group is gone or merged; null for the project as a whole. */
const groupOf = Effect.fnUntraced(function* (projectId: ProjectId, { groupId }: AlertState) {
  if (groupId === null) return null
  const groups = yield* GroupStore
  const found = Option.getOrUndefined(yield* groups.find(projectId, groupId))
  return found?.mergedIntoId === null ? found : undefined
})
