/** Alert rules of projects, and the default rules of the instance. */
import { request } from "./client.js"
import { cache } from "./query.js"
import type { Severity } from "./severities.js"

export type Trigger =
  | { readonly type: "created" | "reopened" | "assigned" | "noted" | "fatal" }
  | { readonly type: "users"; readonly count: number }
  | {
      readonly type: "reports"
      readonly count: number
      readonly minutes: number
      readonly of: "group" | "project"
    }
  | { readonly type: "rate"; readonly factor: number }

export interface RuleFields {
  readonly name: string
  readonly enabled: boolean
  readonly triggers: ReadonlyArray<Trigger>
  readonly filter: {
    readonly query: string
    readonly environments: ReadonlyArray<string>
    readonly severities: ReadonlyArray<Severity>
  }
  readonly receivers: { readonly members: boolean; readonly targets: "all" | ReadonlyArray<number> }
  readonly repeat_minutes: number
}

export interface Rule extends RuleFields {
  readonly id: number
  /** Null for a default rule. */
  readonly project_id: number | null
}

export interface RulesOfProject {
  /** True if the project has no rules and so uses the default rules. */
  readonly default: boolean
  readonly alert_rules: ReadonlyArray<Rule>
}

export interface DryRun {
  readonly count: number
  /** True if the count is too low, because there are too many groups or changes to read. */
  readonly partial: boolean
  readonly matches: ReadonlyArray<{
    readonly at: string
    readonly trigger: Trigger["type"]
    /** Null for the project as a whole. */
    readonly group: {
      readonly id: number
      readonly error_type: string
      readonly error_message: string
    } | null
  }>
}

/** The rules that apply to a project. */
export const rulesQuery = (projectId: number) => ({
  queryKey: ["alert-rules", projectId],
  queryFn: ({ signal }: Aborts) => request<RulesOfProject>("GET", pathOf(projectId), { signal }),
})

/** The default rules. For admins only. */
export const defaultRulesQuery = {
  queryKey: ["alert-rules", null],
  queryFn: async ({ signal }: Aborts): Promise<ReadonlyArray<Rule>> =>
    (await request<{ readonly alert_rules: ReadonlyArray<Rule> }>("GET", pathOf(null), { signal }))
      .alert_rules,
}

/** The notifications that a rule would have caused in the last seven days. */
export const dryRunQuery = (projectId: number, rule: RuleFields) => ({
  queryKey: ["dry-run", projectId, JSON.stringify(rule)],
  queryFn: ({ signal }: Aborts) =>
    request<DryRun>("POST", `${pathOf(projectId)}/dry_run`, { body: rule, signal }),
  placeholderData: (previous: DryRun | undefined) => previous,
  staleTime: 60_000,
  gcTime: 60_000,
})

/** `projectId` is null for a default rule. */
export const createRule = async (projectId: number | null, rule: RuleFields): Promise<void> => {
  await request<Rule>("POST", pathOf(projectId), { body: rule })
  await refresh()
}

export const updateRule = async ({ id, project_id }: Rule, changes: Partial<RuleFields>): Promise<void> => {
  await request<Rule>("PATCH", `${pathOf(project_id)}/${id}`, { body: changes })
  await refresh()
}

export const deleteRule = async ({ id, project_id }: Rule): Promise<void> => {
  await request<void>("DELETE", `${pathOf(project_id)}/${id}`)
  await refresh()
}

/** Copies the default rules to a project. */
export const copyRules = async (projectId: number, rules: ReadonlyArray<Rule>): Promise<void> => {
  try {
    // One after another, since the list keeps their order.
    for (const rule of rules) {
      await request<Rule>("POST", pathOf(projectId), { body: fieldsOf(rule) })
    }
  } finally {
    await refresh()
  }
}

/** Returns the fields that users edit. */
export const fieldsOf = ({ enabled, filter, name, receivers, repeat_minutes, triggers }: RuleFields) =>
  ({ enabled, filter, name, receivers, repeat_minutes, triggers }) satisfies RuleFields

// internal

interface Aborts {
  readonly signal: AbortSignal
}

const pathOf = (projectId: number | null): string =>
  projectId === null ? "/alert_rules" : `/projects/${projectId}/alert_rules`

const refresh = () => cache.invalidateQueries({ queryKey: ["alert-rules"] })
