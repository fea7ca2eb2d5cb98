import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import {
  AlertRuleCreation,
  AlertRulesView,
  AlertRuleUpdate,
  AlertRuleView,
  DefaultAlertRulesView,
  DryRunView,
} from "./AlertRuleView.js"
import { withStatus } from "./Json.js"
import { projectIdParam, ruleIdParam } from "./Params.js"
import { bodyProblems, instanceProblems, resourceProblems } from "./Problem.js"

const all = HttpApiEndpoint.get("all", "/projects/:project_id/alert_rules", {
  params: { project_id: projectIdParam },
  success: AlertRulesView,
  error: resourceProblems,
}).annotate(OpenApi.Summary, "List the rules of a project, or the default rules if it has none")

const get = HttpApiEndpoint.get("get", "/projects/:project_id/alert_rules/:rule_id", {
  params: { project_id: projectIdParam, rule_id: ruleIdParam },
  success: AlertRuleView,
  error: resourceProblems,
}).annotate(OpenApi.Summary, "Get a rule of a project")

const create = HttpApiEndpoint.post("create", "/projects/:project_id/alert_rules", {
  params: { project_id: projectIdParam },
  payload: AlertRuleCreation,
  success: withStatus(201, AlertRuleView),
  error: [...resourceProblems, ...bodyProblems],
}).annotate(OpenApi.Summary, "Create a rule. The default rules then no longer apply to the project (admin)")

const update = HttpApiEndpoint.patch("update", "/projects/:project_id/alert_rules/:rule_id", {
  params: { project_id: projectIdParam, rule_id: ruleIdParam },
  payload: AlertRuleUpdate,
  success: AlertRuleView,
  error: [...resourceProblems, ...bodyProblems],
}).annotate(OpenApi.Summary, "Change a rule (admin)")

const remove = HttpApiEndpoint.delete("remove", "/projects/:project_id/alert_rules/:rule_id", {
  params: { project_id: projectIdParam, rule_id: ruleIdParam },
  error: resourceProblems,
}).annotate(
  OpenApi.Summary,
  "Delete a rule. Without rules of its own, a project has the default rules (admin)",
)

const dryRun = HttpApiEndpoint.post("dryRun", "/projects/:project_id/alert_rules/dry_run", {
  params: { project_id: projectIdParam },
  payload: AlertRuleCreation,
  success: DryRunView,
  error: [...resourceProblems, ...bodyProblems],
})
  .annotate(OpenApi.Summary, "Get the notifications that a rule would have caused in the last seven days")
  .annotate(
    OpenApi.Description,
    "Sends and stores nothing. Counts of reports are known by the minute for two days and by the hour before. Conditions " +
      "with less than 60 minutes are therefore checked for the last two days. Groups are filtered as they are now.",
  )

/** The rules of a project. */
export const AlertRulesApi = HttpApiGroup.make("alertRules")
  .add(all, get, create, update, remove, dryRun)
  .annotate(OpenApi.Description, "Rules of a project, which decide about its notifications.")

const allDefault = HttpApiEndpoint.get("all", "/alert_rules", {
  success: DefaultAlertRulesView,
  error: instanceProblems,
}).annotate(OpenApi.Summary, "List the default rules, which apply to projects without rules (admin)")

const getDefault = HttpApiEndpoint.get("get", "/alert_rules/:default_rule_id", {
  params: { default_rule_id: ruleIdParam },
  success: AlertRuleView,
  error: resourceProblems,
}).annotate(OpenApi.Summary, "Get a default rule (admin)")

const createDefault = HttpApiEndpoint.post("create", "/alert_rules", {
  payload: AlertRuleCreation,
  success: withStatus(201, AlertRuleView),
  error: [...instanceProblems, ...bodyProblems],
}).annotate(OpenApi.Summary, "Create a default rule (admin)")

const updateDefault = HttpApiEndpoint.patch("update", "/alert_rules/:default_rule_id", {
  params: { default_rule_id: ruleIdParam },
  payload: AlertRuleUpdate,
  success: AlertRuleView,
  error: [...resourceProblems, ...bodyProblems],
}).annotate(OpenApi.Summary, "Change a default rule (admin)")

const removeDefault = HttpApiEndpoint.delete("remove", "/alert_rules/:default_rule_id", {
  params: { default_rule_id: ruleIdParam },
  error: resourceProblems,
}).annotate(OpenApi.Summary, "Delete a default rule (admin)")

/** The default rules, for projects without rules. */
export const DefaultAlertRulesApi = HttpApiGroup.make("defaultAlertRules")
  .add(allDefault, getDefault, createDefault, updateDefault, removeDefault)
  .annotate(OpenApi.Description, "Default rules, which apply to projects without rules of their own.")
