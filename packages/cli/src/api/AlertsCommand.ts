/** `errata alerts`: rules that decide about the notifications of a project. */
import { Effect, Option } from "effect"
import { Argument, Command } from "effect/cli"
import { usageError } from "../ErrorOutput.js"
import { toggle } from "../Toggle.js"
import { type RuleFlags, ruleFields, ruleOptions } from "./AlertInput.js"
import { dryRunLines, namesOf, ruleColumns, ruleLines, type TargetNames } from "./AlertText.js"
import { apiCommand, projectCommand } from "./ApiCommand.js"
import { given, idArgument, optionalFlag, optionalText, projectOption, textArgument } from "./ApiOptions.js"
import { note } from "./Output.js"
import { type Client, type Session, show } from "./Session.js"
import { wholeList } from "./WholeList.js"

const ruleArgument = idArgument("rule", "Id of the rule")

const defaultOption = {
  default: toggle(
    "default",
    "Use the default rules, which apply to projects without rules of their own (admin)",
  ),
}

const list = projectCommand(
  "list",
  "List the rules of a project, or the default rules if it has none",
  {},
  function* (choice, { client, project }) {
    const answer = yield* client.alertRules.all(project)
    const names = choice.json ? noNames : yield* targetNames(client, project)
    if (answer.default && !choice.json) {
      yield* note("The project has no rules of its own. These are the default rules.")
    }
    yield* wholeList({
      choice,
      answer,
      items: answer.alert_rules,
      columns: ruleColumns(names),
      empty: "No rules.",
    })
  },
)

const defaults = apiCommand(
  "defaults",
  "List the default rules, which apply to projects without rules of their own (admin)",
  {},
  function* (choice, { client }) {
    yield* Effect.flatMap(client.defaultAlertRules.all(), (answer) =>
      wholeList({
        choice,
        answer,
        items: answer.alert_rules,
        columns: ruleColumns(noNames),
        empty: "No default rules.",
      }),
    )
  },
)

const get = apiCommand(
  "get",
  "Show a rule",
  { rule: ruleArgument, ...defaultOption, ...projectOption },
  function* (choice, session) {
    const { all, names } = yield* rulesOf(session, choice)
    yield* show(choice, yield* all.get(choice.rule), ruleLines(names))
  },
)

const create = apiCommand(
  "create",
  "Create a rule (admin). The default rules then no longer apply to the project",
  {
    name: textArgument("name", "Name of the rule"),
    ...ruleOptions,
    disabled: toggle("disabled", "Create the rule disabled"),
    ...defaultOption,
    ...projectOption,
  },
  function* (choice, session) {
    const content = yield* contentOf(choice, choice.name)
    const { all, names } = yield* rulesOf(session, choice)
    const created = yield* all.create({ ...content, ...(choice.disabled && { enabled: false }) })
    yield* show(choice, created, ruleLines(names))
  },
)

const update = apiCommand(
  "update",
  "Change a rule (admin). --when, --environment, --severity and --to replace all of theirs",
  {
    rule: ruleArgument,
    name: optionalText("name", "New name"),
    ...ruleOptions,
    enabled: optionalFlag("enabled", "Enable or disable the rule"),
    ...defaultOption,
    ...projectOption,
  },
  function* (choice, session) {
    const changed = yield* ruleFields(choice)
    const others = given({ name: choice.name, enabled: choice.enabled })
    if (Object.keys({ ...changed, ...others }).length === 0) {
      return yield* usageError(
        "No change was given. Give --name, --enabled, --when, --query, --environment, --severity, --to or --every.",
      )
    }
    const { all, names } = yield* rulesOf(session, choice)
    const fields =
      changed.filter === undefined ? changed : yield* ruleFields(choice, (yield* all.get(choice.rule)).filter)
    yield* show(choice, yield* all.update(choice.rule, { ...fields, ...others }), ruleLines(names))
  },
)

const remove = apiCommand(
  "delete",
  "Delete a rule (admin). The default rules apply to a project without rules of its own",
  { rule: ruleArgument, ...defaultOption, ...projectOption },
  function* (choice, session) {
    const { all } = yield* rulesOf(session, choice)
    yield* all.remove(choice.rule)
    yield* note(`Deleted rule ${choice.rule}.`)
  },
)

const dryRun = projectCommand(
  "dry-run",
  "Show the notifications that a rule, with the given changes, would have caused in the last week. Sends nothing",
  { rule: ruleArgument.pipe(Argument.optional), ...ruleOptions },
  function* (choice, { client, project }) {
    const content = Option.isNone(choice.rule)
      ? yield* contentOf(choice, "Dry run")
      : yield* Effect.flatMap(client.alertRules.get(project, choice.rule.value), (rule) =>
          Effect.map(ruleFields(choice, rule.filter), (changes) => ({
            name: rule.name,
            triggers: rule.triggers,
            filter: rule.filter,
            receivers: rule.receivers,
            repeat_minutes: rule.repeat_minutes,
            ...changes,
          })),
        )
    yield* show(choice, yield* client.alertRules.dryRun(project, content), dryRunLines(project))
  },
)

export const alerts = Command.make("alerts").pipe(
  Command.withDescription("Manage the rules that decide about notifications"),
  Command.withSubcommands([list, get, create, update, remove, dryRun, defaults]),
)

// internal

const noNames: TargetNames = new Map()

const targetNames = (client: Client, project: number) =>
  Effect.map(client.targets.all(project), ({ targets }) => namesOf(targets))

/** The content of a new rule, which has at least one condition. */
const contentOf = Effect.fnUntraced(function* (flags: RuleFlags, name: string) {
  const { triggers, ...fields } = yield* ruleFields(flags)
  if (triggers !== undefined) return { name, triggers, ...fields }
  return yield* usageError("The rule needs a condition. Give --when, such as --when created")
})

/** The rules of a project, or the default rules, with the same methods. */
const rulesOf = Effect.fnUntraced(function* (
  { client, projectId }: Session,
  choice: { readonly default: boolean; readonly json: boolean; readonly project: Option.Option<string> },
) {
  if (choice.default) return { all: defaultRules(client), names: noNames }
  const project = yield* projectId(choice.project)
  const names = choice.json ? noNames : yield* targetNames(client, project)
  return { all: projectRules(client, project), names }
})

type Rules = ReturnType<typeof projectRules>

const projectRules = ({ alertRules }: Client, project: number) => ({
  get: (rule: number) => alertRules.get(project, rule),
  create: (rule: Parameters<typeof alertRules.create>[1]) => alertRules.create(project, rule),
  update: (rule: number, changes: Parameters<typeof alertRules.update>[2]) =>
    alertRules.update(project, rule, changes),
  remove: (rule: number) => alertRules.remove(project, rule),
})

const defaultRules = ({ defaultAlertRules }: Client): Rules => ({
  get: (rule) => defaultAlertRules.get(rule),
  create: (rule) => defaultAlertRules.create(rule),
  update: (rule, changes) => defaultAlertRules.update(rule, changes),
  remove: (rule) => defaultAlertRules.remove(rule),
})
