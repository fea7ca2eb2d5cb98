import { AlertRuleCreation, AlertRuleUpdate, alertRuleView, dryRunView } from "@errata/api/internal"
import {
  AccessPolicy,
  type AlertReceivers,
  type AlertRuleContent,
  AlertRuleId,
  AlertRules,
  firstRule,
  ProjectId,
  TargetId,
  type UpdateAlertRule,
  WebAddress,
} from "@errata/core"
import { Effect } from "effect"
import * as AuthorizedBody from "./AuthorizedBody.js"
import { toProblems } from "./Problems.js"
import { inProject } from "./ProjectPath.js"
import type { HandlersOf } from "./ServedApi.js"

export const make = (handlers: HandlersOf<"alertRules">) =>
  Effect.gen(function* () {
    const access = yield* AccessPolicy.AccessPolicy
    const rules = yield* AlertRules

    const readable = inProject(access, "alerts.read")
    const administered = inProject(access, "alerts.administer")

    return handlers
      .handle("all", ({ params }) =>
        Effect.flatMap(readable(params), rules.list).pipe(
          Effect.map((found) => ({
            default: found.areDefault,
            alert_rules: found.rules.map(alertRuleView),
          })),
          toProblems,
        ),
      )
      .handle("get", ({ params }) =>
        Effect.flatMap(readable(params), (project) =>
          rules.get(project, AlertRuleId.make(params.rule_id)),
        ).pipe(Effect.map(alertRuleView), toProblems),
      )
      .handleRaw("create", ({ params, request }) =>
        AuthorizedBody.use(request, AlertRuleCreation, administered(params), (input, project) =>
          rules.create(project, contentOf(input)),
        ).pipe(Effect.map(alertRuleView), toProblems),
      )
      .handleRaw("update", ({ params, request }) =>
        AuthorizedBody.use(request, AlertRuleUpdate, administered(params), (input, project) =>
          rules.update(project, AlertRuleId.make(params.rule_id), changesOf(input)),
        ).pipe(Effect.map(alertRuleView), toProblems),
      )
      .handle("remove", ({ params }) =>
        Effect.flatMap(administered(params), (project) =>
          rules.remove(project, AlertRuleId.make(params.rule_id)),
        ).pipe(toProblems),
      )
      .handleRaw("dryRun", ({ params, request }) =>
        Effect.gen(function* () {
          const address = yield* WebAddress
          const found = yield* AuthorizedBody.use(
            request,
            AlertRuleCreation,
            readable(params),
            (input, project) => rules.dryRun(project, contentOf(input)),
          )
          return dryRunView(found, ProjectId.make(params.project_id), address)
        }).pipe(toProblems),
      )
  })

/** The default rules. */
export const makeDefault = (handlers: HandlersOf<"defaultAlertRules">) =>
  Effect.gen(function* () {
    const access = yield* AccessPolicy.AccessPolicy
    const rules = yield* AlertRules

    const readable = access.instance("policies.read")
    const administered = access.instance("policies.administer")

    return handlers
      .handle("all", () =>
        Effect.flatMap(readable, rules.listDefaults).pipe(
          Effect.map((found) => ({ alert_rules: found.map(alertRuleView) })),
          toProblems,
        ),
      )
      .handle("get", ({ params }) =>
        Effect.flatMap(readable, (allowed) =>
          rules.getDefault(allowed, AlertRuleId.make(params.default_rule_id)),
        ).pipe(Effect.map(alertRuleView), toProblems),
      )
      .handleRaw("create", ({ request }) =>
        AuthorizedBody.use(request, AlertRuleCreation, administered, (input, allowed) =>
          rules.createDefault(allowed, contentOf(input)),
        ).pipe(Effect.map(alertRuleView), toProblems),
      )
      .handleRaw("update", ({ params, request }) =>
        AuthorizedBody.use(request, AlertRuleUpdate, administered, (input, allowed) =>
          rules.updateDefault(allowed, AlertRuleId.make(params.default_rule_id), changesOf(input)),
        ).pipe(Effect.map(alertRuleView), toProblems),
      )
      .handle("remove", ({ params }) =>
        Effect.flatMap(administered, (allowed) =>
          rules.removeDefault(allowed, AlertRuleId.make(params.default_rule_id)),
        ).pipe(toProblems),
      )
  })

// internal

const contentOf = (input: AlertRuleCreation): AlertRuleContent => ({
  ...firstRule,
  ...definedOf(changesOf(input)),
  name: input.name,
  triggers: input.triggers,
})

const definedOf = (changes: UpdateAlertRule): Partial<AlertRuleContent> =>
  Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))

/** A filter and receivers are replaced as a whole. Missing fields have the defaults of an instance's first rule. */
const changesOf = ({ enabled, filter, name, receivers, repeat_minutes, triggers }: AlertRuleUpdate) =>
  ({
    name,
    enabled,
    triggers,
    filter: filter && { ...firstRule.filter, ...filter },
    receivers: receivers && receiversOf(receivers),
    repeatMinutes: repeat_minutes,
  }) satisfies UpdateAlertRule

const receiversOf = ({
  members = firstRule.receivers.members,
  targets = firstRule.receivers.targets,
}: NonNullable<AlertRuleUpdate["receivers"]>): AlertReceivers => ({
  members,
  targets: typeof targets === "string" ? targets : targets.map((id) => TargetId.make(id)),
})
