/** Alert rules of projects, and the default rules of the instance. */
import type { AlertRule, AlertRules, DryRun } from "@errata/api/promise"
import { api } from "./client.js"
import { type Aborts, cache } from "./query.js"

/** The fields that users edit. */
export type RuleFields = Pick<
  AlertRule,
  "enabled" | "filter" | "name" | "receivers" | "repeat_minutes" | "triggers"
>

/** The rules that apply to a project. */
export const rulesQuery = (projectId: number) => ({
  queryKey: ["alert-rules", projectId],
  queryFn: ({ signal }: Aborts): Promise<AlertRules> => api.alertRules.all(projectId, { signal }),
})

/** The default rules. For admins only. */
export const defaultRulesQuery = {
  queryKey: ["alert-rules", null],
  queryFn: async ({ signal }: Aborts): Promise<ReadonlyArray<AlertRule>> =>
    (await api.defaultAlertRules.all({ signal })).alert_rules,
}

/** The notifications that a rule would have caused in the last seven days. */
export const dryRunQuery = (projectId: number, rule: RuleFields) => ({
  queryKey: ["dry-run", projectId, JSON.stringify(rule)],
  queryFn: ({ signal }: Aborts): Promise<DryRun> => api.alertRules.dryRun(projectId, rule, { signal }),
  placeholderData: (previous: DryRun | undefined) => previous,
  staleTime: 60_000,
  gcTime: 60_000,
})

/** `projectId` is null for a default rule. */
export const createRule = async (projectId: number | null, rule: RuleFields): Promise<void> => {
  await (projectId === null ? api.defaultAlertRules.create(rule) : api.alertRules.create(projectId, rule))
  await refresh()
}

export const updateRule = async (
  { id, project_id }: AlertRule,
  changes: Partial<RuleFields>,
): Promise<void> => {
  await (project_id === null
    ? api.defaultAlertRules.update(id, changes)
    : api.alertRules.update(project_id, id, changes))
  await refresh()
}

export const deleteRule = async ({ id, project_id }: AlertRule): Promise<void> => {
  await (project_id === null ? api.defaultAlertRules.remove(id) : api.alertRules.remove(project_id, id))
  await refresh()
}

/** Copies the default rules to a project. */
export const copyRules = async (projectId: number, rules: ReadonlyArray<AlertRule>): Promise<void> => {
  try {
    // One after another, since the list keeps their order.
    for (const rule of rules) await api.alertRules.create(projectId, fieldsOf(rule))
  } finally {
    await refresh()
  }
}

/** Returns the fields that users edit. */
export const fieldsOf = ({ enabled, filter, name, receivers, repeat_minutes, triggers }: RuleFields) =>
  ({ enabled, filter, name, receivers, repeat_minutes, triggers }) satisfies RuleFields

// internal

const refresh = () => cache.invalidateQueries({ queryKey: ["alert-rules"] })
