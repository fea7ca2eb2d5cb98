import { Context, DateTime, Effect, Layer, Option, Result, Schema, SchemaParser } from "effect"
import type { AuthorizedInstance, AuthorizedProject } from "../access/AccessPolicy.js"
import type { ActivityStore } from "../activity/ActivityStore.js"
import { GroupEventStore } from "../group/GroupEventStore.js"
import type { GroupStore } from "../group/GroupStore.js"
import type { NoteStore } from "../note/NoteStore.js"
import { TargetStore } from "../notification/TargetStore.js"
import type { ProjectId } from "../project/Project.js"
import * as SearchQuery from "../search/SearchQuery.js"
import * as DecodeIssues from "../validation/DecodeIssues.js"
import { isStorable, notStorable, textProblem, tooLong } from "../validation/StorableText.js"
import { ValidationError } from "../validation/ValidationError.js"
import * as AlertEvents from "./AlertEvents.js"
import {
  AlertFilter,
  AlertReceivers,
  type AlertRule,
  type AlertRuleContent,
  AlertRuleId,
  AlertTrigger,
  isMeasured,
  maxRules,
} from "./AlertRule.js"
import { AlertStore } from "./AlertStore.js"
import * as DryRun from "./DryRun.js"

/** No such rule in the project, or none among the default rules. */
export class AlertRuleNotFound extends Schema.TaggedError<AlertRuleNotFound>()("AlertRuleNotFound", {
  ruleId: AlertRuleId,
}) {}

/** The rules that apply to a project. */
export interface RulesOfProject {
  readonly rules: ReadonlyArray<AlertRule>
  /** True if these are the default rules, because the project has none of its own. */
  readonly areDefault: boolean
}

/** Changes of a rule. Missing fields stay as they are. */
export type UpdateAlertRule = { readonly [Key in keyof AlertRuleContent]?: AlertRuleContent[Key] | undefined }

/** The rules of projects, and the default rules. */
export class AlertRules extends Context.Service<AlertRules>()("@errata/core/alert/AlertRules", {
  make: Effect.gen(function* () {
    const store = yield* AlertStore
    const targets = yield* TargetStore
    const outbox = yield* GroupEventStore
    const context = yield* Effect.context<GroupStore | ActivityStore | NoteStore>()

    // So that a rule holds for what happens right after it was made.
    const subscribe = AlertEvents.subscribe.pipe(
      Effect.provideService(GroupEventStore, outbox),
      Effect.provideService(AlertStore, store),
    )

    const existing = (found: Option.Option<AlertRule>, ruleId: AlertRuleId) =>
      Option.match(found, {
        onNone: () => Effect.fail(new AlertRuleNotFound({ ruleId })),
        onSome: Effect.succeed,
      })

    const checked = Effect.fnUntraced(function* (projectId: ProjectId | null, content: AlertRuleContent) {
      yield* ValidationError.ensure(problemsOf(content))
      const wanted = content.receivers.targets
      if (wanted === "all" || wanted.length === 0) return content
      if (projectId === null) {
        return yield* ValidationError.of("receivers.targets", "a default rule names no targets of a project")
      }
      const known = new Set((yield* targets.ofProjects([projectId])).map(({ id }) => id))
      if (wanted.every((id) => known.has(id))) return content
      return yield* ValidationError.of("receivers.targets", "must be targets of the project")
    })

    const insert = Effect.fnUntraced(function* (projectId: ProjectId | null, input: AlertRuleContent) {
      const content = yield* checked(projectId, input)
      const created = yield* store.insert(projectId, content, yield* DateTime.now)
      const rule = yield* Effect.fromOption(created, () =>
        ValidationError.of("name", `there are ${maxRules} rules already`),
      )
      yield* subscribe
      return rule
    })

    const replace = Effect.fnUntraced(function* (
      projectId: ProjectId | null,
      id: AlertRuleId,
      changes: UpdateAlertRule,
    ) {
      const rule = yield* existing(yield* store.find(projectId, id), id)
      const content = yield* checked(projectId, {
        name: changes.name ?? rule.name,
        enabled: changes.enabled ?? rule.enabled,
        triggers: changes.triggers ?? rule.triggers,
        filter: changes.filter ?? rule.filter,
        receivers: changes.receivers ?? rule.receivers,
        repeatMinutes: changes.repeatMinutes ?? rule.repeatMinutes,
      })
      const updated = yield* existing(yield* store.update(projectId, id, content, yield* DateTime.now), id)
      yield* subscribe
      return updated
    })

    const removeOne = Effect.fnUntraced(function* (projectId: ProjectId | null, id: AlertRuleId) {
      if (!(yield* store.remove(projectId, id))) return yield* new AlertRuleNotFound({ ruleId: id })
    })

    /** The rules of a project, or the default rules if it has none of its own, oldest first. */
    const list = Effect.fn("AlertRules.list")(function* ({ project }: AuthorizedProject<"alerts.read">) {
      const own = yield* store.list(project.id)
      return (
        own.length > 0
          ? { rules: own, areDefault: false }
          : { rules: yield* store.list(null), areDefault: true }
      ) satisfies RulesOfProject
    })

    const get = Effect.fn("AlertRules.get")(function* (
      { project }: AuthorizedProject<"alerts.read">,
      id: AlertRuleId,
    ) {
      return yield* existing(yield* store.find(project.id, id), id)
    })

    /** Adds a rule. With its first rule, the default rules no longer apply to the project. */
    const create = Effect.fn("AlertRules.create")(function* (
      { project }: AuthorizedProject<"alerts.administer">,
      content: AlertRuleContent,
    ) {
      return yield* insert(project.id, content)
    })

    const update = Effect.fn("AlertRules.update")(function* (
      { project }: AuthorizedProject<"alerts.administer">,
      id: AlertRuleId,
      changes: UpdateAlertRule,
    ) {
      return yield* replace(project.id, id, changes)
    })

    /** Removes a rule. Without its last rule, the project follows the default rules again. */
    const remove = Effect.fn("AlertRules.remove")(function* (
      { project }: AuthorizedProject<"alerts.administer">,
      id: AlertRuleId,
    ) {
      return yield* removeOne(project.id, id)
    })

    /** Says what a rule would have done in the last seven days, without keeping or sending anything. */
    const dryRun = Effect.fn("AlertRules.dryRun")(function* (
      { project }: AuthorizedProject<"alerts.read">,
      input: AlertRuleContent,
    ) {
      const content = yield* checked(project.id, input)
      return yield* Effect.provideContext(
        DryRun.run(
          { projectId: project.id, errorAndFatalOnly: project.errorAndFatalNotificationsOnly },
          content,
        ),
        context,
      )
    })

    const listDefaults = Effect.fn("AlertRules.listDefaults")(function* (
      _: AuthorizedInstance<"policies.read">,
    ) {
      return yield* store.list(null)
    })

    const getDefault = Effect.fn("AlertRules.getDefault")(function* (
      _: AuthorizedInstance<"policies.read">,
      id: AlertRuleId,
    ) {
      return yield* existing(yield* store.find(null, id), id)
    })

    const createDefault = Effect.fn("AlertRules.createDefault")(function* (
      _: AuthorizedInstance<"policies.administer">,
      content: AlertRuleContent,
    ) {
      return yield* insert(null, content)
    })

    const updateDefault = Effect.fn("AlertRules.updateDefault")(function* (
      _: AuthorizedInstance<"policies.administer">,
      id: AlertRuleId,
      changes: UpdateAlertRule,
    ) {
      return yield* replace(null, id, changes)
    })

    const removeDefault = Effect.fn("AlertRules.removeDefault")(function* (
      _: AuthorizedInstance<"policies.administer">,
      id: AlertRuleId,
    ) {
      return yield* removeOne(null, id)
    })

    return {
      list,
      get,
      create,
      update,
      remove,
      dryRun,
      listDefaults,
      getDefault,
      createDefault,
      updateDefault,
      removeDefault,
    }
  }),
}) {
  static readonly Default = Layer.effect(this, this.make)
}

// internal

const maxNameLength = 100
const maxTriggers = 10
const maxEnvironments = 20
const maxEnvironmentLength = 200
const maxTargets = 100
const maxRepeatMinutes = 7 * 24 * 60

const parts = Schema.Struct({
  triggers: Schema.Array(AlertTrigger),
  filter: AlertFilter,
  receivers: AlertReceivers,
})

const decodeParts = SchemaParser.decodeUnknownResult(Schema.toType(parts), { errors: "all" })

const problemsOf = (content: AlertRuleContent): Record<string, string | null> => {
  const { filter, name, receivers, repeatMinutes, triggers } = content
  const decoded = decodeParts({ triggers, filter, receivers })
  if (Result.isFailure(decoded)) {
    return Object.fromEntries(
      DecodeIssues.of(decoded.failure).map(({ message, path }) => [path.map(String).join("."), message]),
    )
  }
  return {
    name: textProblem(name, maxNameLength),
    triggers: triggersProblem(triggers),
    "filter.query": queryProblem(filter.query),
    "filter.environments": environmentsProblem(filter.environments),
    "receivers.targets": receivers.targets.length > maxTargets ? `must be at most ${maxTargets}` : null,
    repeatMinutes:
      Number.isInteger(repeatMinutes) && repeatMinutes >= 0 && repeatMinutes <= maxRepeatMinutes
        ? null
        : `must be between 0 and ${maxRepeatMinutes}`,
  }
}

const triggersProblem = (triggers: ReadonlyArray<AlertTrigger>): string | null => {
  if (triggers.length === 0 || triggers.length > maxTriggers) return `must be 1 to ${maxTriggers} conditions`
  // A state says of one condition whether it holds.
  return triggers.filter(isMeasured).length > 1
    ? "must have at most one of users, reports and rate; make a rule for each"
    : null
}

const queryProblem = (query: string): string | null => {
  if (!isStorable(query)) return notStorable
  if (query.length > SearchQuery.maxQueryLength) return tooLong(SearchQuery.maxQueryLength)
  return SearchQuery.parse(query).assignee === "me" ? "must not contain assignee:me" : null
}

const environmentsProblem = (environments: ReadonlyArray<string>): string | null => {
  if (environments.length > maxEnvironments) return `must be at most ${maxEnvironments}`
  return environments.map((one) => textProblem(one, maxEnvironmentLength)).find((one) => one !== null) ?? null
}
