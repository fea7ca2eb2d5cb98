import {
  type AlertRule,
  type AlertRuleContent,
  AlertRuleId,
  isMeasured,
  maxRules,
  ProjectId,
} from "@errata/core"
import type { AlertStore } from "@errata/core/ports"
import { DateTime, Option } from "effect"
import * as AlertStates from "./internal/AlertStates.js"
import type { State } from "./internal/State.js"
import type { Reader, Transaction } from "./internal/Transaction.js"

export const make = (state: State): AlertStore["Service"] => {
  const find = (reader: Reader, projectId: number | null, id: number): AlertRule | undefined => {
    const rule = state.alertRules.get(reader, id)
    return rule?.projectId === projectId ? rule : undefined
  }

  /** Oldest first. */
  const listed = (reader: Reader, projectId: number | null): ReadonlyArray<AlertRule> =>
    [...state.alertRules.entries(reader)]
      .map(([, rule]) => rule)
      .filter((rule) => rule.projectId === projectId)
      .sort((self, that) => self.id - that.id)

  const inForce = (reader: Reader, projectId: number): ReadonlyArray<AlertRule> => {
    const own = listed(reader, projectId)
    return (own.length > 0 ? own : listed(reader, null)).filter(({ enabled }) => enabled)
  }

  const isFiring = (reader: Reader, projectId: number): boolean => {
    for (const [, place] of state.alertStates.entries(reader)) {
      if (place.projectId === projectId && place.firing) return true
    }
    return false
  }

  const isBusy = (reader: Reader, projectId: number, reportedSince: DateTime.Utc): boolean => {
    const lastReportAt = state.projects.get(reader, projectId)?.lastReportAt ?? null
    if (lastReportAt === null || DateTime.isLessThan(lastReportAt, reportedSince)) return false
    return inForce(reader, projectId).some(({ triggers }) => triggers.some(isMeasured))
  }

  return {
    ...AlertStates.make(state),

    insert: (projectId, content, now) =>
      state.write((transaction) =>
        listed(transaction, projectId).length >= maxRules
          ? Option.none()
          : Option.some(insertRule(state, transaction, projectId, content, now)),
      ),

    find: (projectId, id) => state.read((reader) => Option.fromNullishOr(find(reader, projectId, id))),

    list: (projectId) => state.read((reader) => listed(reader, projectId)),

    update: (projectId, id, content, now) =>
      state.write((transaction) => {
        const rule = find(transaction, projectId, id)
        if (rule === undefined) return Option.none()
        const changed = { ...rule, ...contentOf(content), updatedAt: now }
        state.alertRules.set(transaction, id, changed)
        return Option.some(changed)
      }),

    remove: (projectId, id) =>
      state.write((transaction) => {
        if (find(transaction, projectId, id) === undefined) return false
        for (const [key, { ruleId }] of state.alertStates.entries(transaction)) {
          if (ruleId === id) state.alertStates.delete(transaction, key)
        }
        state.alertRules.delete(transaction, id)
        return true
      }),

    inForce: (projectIds) =>
      state.read((reader) =>
        [...new Set(projectIds)].flatMap((projectId) => {
          const project = state.projects.get(reader, projectId)
          const rules = project === undefined ? [] : inForce(reader, projectId)
          if (project === undefined || rules.length === 0) return []
          const { errorAndFatalNotificationsOnly: errorAndFatalOnly, name, timezone } = project
          return [{ projectId, name, timezone, errorAndFatalOnly, rules }]
        }),
      ),

    toMeasure: (after, reportedSince, limit) =>
      state.read((reader) => {
        const ids: Array<ProjectId> = []
        for (const id of state.projectIds.ascending(reader, after)) {
          if (ids.length >= limit) break
          if (isFiring(reader, id) || isBusy(reader, id, reportedSince)) ids.push(ProjectId.make(id))
        }
        return ids
      }),

    hasEventRules: state.read((reader) => {
      for (const [, { enabled, triggers }] of state.alertRules.entries(reader)) {
        if (enabled && !triggers.every(isMeasured)) return true
      }
      return false
    }),
  }
}

/** Adds a rule. */
export const insertRule = (
  state: State,
  transaction: Transaction,
  projectId: ProjectId | null,
  content: AlertRuleContent,
  now: DateTime.Utc,
): AlertRule => {
  const id = AlertRuleId.make(state.nextId("alertRule"))
  const rule = { ...contentOf(content), id, projectId, createdAt: now, updatedAt: now }
  state.alertRules.set(transaction, id, rule)
  return rule
}

// internal

/** Drops extra fields. */
const contentOf = ({
  enabled,
  filter,
  name,
  receivers,
  repeatMinutes,
  triggers,
}: AlertRuleContent): AlertRuleContent => ({ name, enabled, triggers, filter, receivers, repeatMinutes })
