/** Rules of projects, default rules, and which rules apply. */
import {
  type AlertRule,
  type AlertRuleContent,
  AlertRuleId,
  firstRule,
  maxRules,
  ProjectId,
} from "@errata/core"
import { AlertStore, ProjectStore, Storage } from "@errata/core/ports"
import { DateTime, Deferred, Effect, Fiber, Option } from "effect"
import { expect } from "vitest"
import { type ContractSuite, contractCase, onSecondNode } from "./ContractCase.js"
import * as Factory from "./Factory.js"
import * as Given from "./Given.js"
import { idOf, passTime } from "./internal/Paging.js"

const { noon } = Factory
const later = DateTime.add(noon, { hours: 1 })

const measured: Partial<AlertRuleContent> = {
  triggers: [{ type: "reports", count: 100, minutes: 5, of: "group" }],
}

/** A rule with every field set. */
const rich: AlertRuleContent = {
  name: 'Checkout "down" \\ {昨日 🐛}',
  enabled: false,
  triggers: [
    { type: "created" },
    { type: "users", count: 7 },
    { type: "reports", count: 1_000, minutes: 60, of: "project" },
    { type: "rate", factor: 2.5 },
  ],
  filter: {
    query: 'is:unresolved "a \\"b\\""',
    environments: ["production", "NULL"],
    severities: ["error", "fatal"],
  },
  receivers: { members: false, targets: [3 as never, 5 as never] },
  repeatMinutes: 10_080,
}

const inForce = (...projectIds: ReadonlyArray<ProjectId>) =>
  Effect.flatMap(AlertStore, (rules) => rules.inForce(projectIds))

/** Ids of the rules that apply, by project. */
const appliedTo = (...projectIds: ReadonlyArray<ProjectId>) =>
  Effect.map(
    inForce(...projectIds),
    (found) => new Map(found.map(({ projectId, rules }) => [projectId, rules.map(idOf)])),
  )

const change = (rule: AlertRule, changes: Partial<AlertRuleContent>) =>
  Effect.flatMap(AlertStore, (rules) =>
    Effect.flatMap(rules.update(rule.projectId, rule.id, { ...rule, ...changes }, later), Effect.fromOption),
  )

const remove = ({ id, projectId }: AlertRule) =>
  Effect.flatMap(AlertStore, (rules) => rules.remove(projectId, id))

const defaultRules = Effect.flatMap(AlertStore, (rules) => rules.list(null))

const reported = (projectId: ProjectId, now: DateTime.Utc) =>
  Effect.flatMap(ProjectStore, (projects) => projects.addCounts([{ projectId, groups: 0, reports: 1 }], now))

const fire = ({ id: ruleId, projectId }: Pick<AlertRule, "id" | "projectId">, firing = true) =>
  Effect.flatMap(AlertStore, (states) =>
    states.putStates([{ projectId: projectId!, ruleId, groupId: null, notifiedAt: noon, firing }]),
  )

const firingIn = (projectId: ProjectId) =>
  Effect.map(
    Effect.flatMap(AlertStore, (states) => states.firing(projectId)),
    (found) => found.map(({ ruleId }) => ruleId),
  )

/** The rules of these projects that must be measured, page by page. */
const toMeasure = (
  projects: ReadonlyArray<{ readonly id: ProjectId }>,
  reportedSince: DateTime.Utc,
  limit: number,
) =>
  Effect.gen(function* () {
    const rules = yield* AlertStore
    const found: Array<ProjectId> = []
    let after = Math.min(...projects.map(idOf)) - 1
    while (true) {
      const page = yield* rules.toMeasure(after, reportedSince, limit)
      expect(page.length).toBeLessThanOrEqual(limit)
      if (page.length === 0) break
      found.push(...page)
      after = page.at(-1)!
    }
    expect(found).toEqual(found.toSorted((a, b) => a - b))
    return found.filter((id) => projects.some((project) => project.id === id))
  })

export const alertRulesSuite: ContractSuite = {
  name: "AlertStore rules",
  cases: [
    contractCase(
      "starts with one default rule",
      Effect.gen(function* () {
        const rules = yield* defaultRules
        expect(rules).toHaveLength(1)
        expect(rules[0]).toMatchObject({ ...firstRule, projectId: null })
      }),
    ),

    contractCase(
      "keeps a rule as inserted, of a project or of all",
      Effect.gen(function* () {
        const rules = yield* AlertStore
        for (const projectId of [(yield* Given.project()).id, null]) {
          const rule = yield* Effect.fromOption(yield* rules.insert(projectId, rich, noon))
          expect(rule).toEqual({ ...rich, id: rule.id, projectId, createdAt: noon, updatedAt: noon })
          expect(yield* rules.find(projectId, rule.id)).toEqual(Option.some(rule))
          yield* remove(rule)
        }
      }),
    ),

    contractCase(
      "replaces the content of a rule",
      Effect.gen(function* () {
        const rules = yield* AlertStore
        const rule = yield* Given.rule((yield* Given.project()).id)
        const changed = yield* change(rule, rich)
        expect(changed).toEqual({ ...rule, ...rich, updatedAt: later })
        expect(yield* rules.find(rule.projectId, rule.id)).toEqual(Option.some(changed))
      }),
    ),

    contractCase(
      "finds, changes and removes a rule by its project only",
      Effect.gen(function* () {
        const rules = yield* AlertStore
        const rule = yield* Given.rule((yield* Given.project()).id)
        const standard = yield* Given.rule(null)
        const foreign = yield* Given.project()
        for (const [projectId, id] of [
          [foreign.id, rule.id],
          [null, rule.id],
          [rule.projectId, standard.id],
          [rule.projectId, AlertRuleId.make(standard.id + 1_000_000)],
        ] as const) {
          expect(yield* rules.find(projectId, id)).toEqual(Option.none())
          expect(yield* rules.update(projectId, id, rich, later)).toEqual(Option.none())
          expect(yield* rules.remove(projectId, id)).toBe(false)
        }
        expect(yield* rules.find(rule.projectId, rule.id)).toEqual(Option.some(rule))
        expect(yield* rules.find(null, standard.id)).toEqual(Option.some(standard))
        expect(yield* rules.list(foreign.id)).toEqual([])
        yield* remove(standard)
      }),
    ),

    contractCase(
      "lists the rules of a project, and the default rules, oldest first",
      Effect.gen(function* () {
        const rules = yield* AlertStore
        const { id } = yield* Given.project()
        const other = yield* Given.project()
        const before = yield* defaultRules
        const made: Array<AlertRule> = []
        const standard: Array<AlertRule> = []
        for (let i = 0; i < 3; i++) {
          made.push(yield* Given.rule(id))
          standard.push(yield* Given.rule(null))
          yield* Given.rule(other.id)
        }
        expect(yield* rules.list(id)).toEqual(made)
        expect(yield* defaultRules).toEqual([...before, ...standard])
        yield* remove(made[1]!)
        expect(yield* rules.list(id)).toEqual([made[0], made[2]])
        for (const rule of standard) yield* remove(rule)
        expect(yield* defaultRules).toEqual(before)
      }),
    ),

    contractCase(
      "adds no more rules than the limit under concurrent inserts",
      Effect.gen(function* () {
        const rules = yield* AlertStore
        const before = yield* defaultRules
        for (const projectId of [(yield* Given.project()).id, null]) {
          const count = (yield* rules.list(projectId)).length
          for (let i = count; i < maxRules - 2; i++) yield* Given.rule(projectId)
          const insert = Effect.flatMap(AlertStore, (store) =>
            store.insert(projectId, Factory.ruleContent(), noon),
          )
          const added = yield* Effect.all(
            Array.from({ length: 6 }, (_, i) => (i % 2 === 0 ? insert : onSecondNode(insert))),
            { concurrency: "unbounded" },
          )
          expect(added.filter(Option.isSome)).toHaveLength(2)
          const all = yield* rules.list(projectId)
          expect(all).toHaveLength(maxRules)
          yield* remove(all.at(-1)!)
          expect(Option.isSome(yield* insert)).toBe(true)
          for (const rule of (yield* rules.list(projectId)).slice(count)) yield* remove(rule)
        }
        expect(yield* defaultRules).toEqual(before)
      }),
    ),

    contractCase(
      "applies the default rules to projects without a rule of their own, enabled or not",
      Effect.gen(function* () {
        const projects = yield* ProjectStore
        const [bare, own, none, gone] = yield* Effect.all([
          Given.project({ timezone: "Asia/Tokyo" }),
          Given.project(),
          Given.project(),
          Given.project(),
        ])
        yield* projects.update(own.id, { errorAndFatalNotificationsOnly: true }, later)
        const first = yield* Given.rule(own.id)
        const second = yield* Given.rule(own.id, rich)
        const third = yield* Given.rule(own.id, measured)
        const disabled = yield* Given.rule(none.id, { enabled: false })
        yield* projects.remove(gone.id, later)
        const standard = (yield* defaultRules).filter(({ enabled }) => enabled)
        expect(standard.length).toBeGreaterThan(0)
        const found = yield* inForce(own.id, bare.id, none.id, gone.id, own.id)
        expect(found.toSorted((a, b) => a.projectId - b.projectId)).toEqual([
          {
            projectId: bare.id,
            name: bare.name,
            timezone: "Asia/Tokyo",
            errorAndFatalOnly: false,
            rules: standard,
          },
          {
            projectId: own.id,
            name: own.name,
            timezone: "UTC",
            errorAndFatalOnly: true,
            rules: [first, third],
          },
        ])
        yield* change(second, { enabled: true })
        yield* remove(disabled)
        expect(yield* appliedTo(own.id, none.id)).toEqual(
          new Map([
            [own.id, [first.id, second.id, third.id]],
            [none.id, standard.map(idOf)],
          ]),
        )
        const hidden = yield* Given.rule(null, { enabled: false })
        expect(yield* appliedTo(bare.id)).toEqual(new Map([[bare.id, standard.map(idOf)]]))
        yield* change(hidden, { enabled: true })
        expect((yield* appliedTo(bare.id)).get(bare.id)).toContain(hidden.id)
        yield* remove(hidden)
        expect(yield* inForce()).toEqual([])
      }),
    ),

    contractCase(
      "leaves out projects when no default rule is enabled",
      Effect.gen(function* () {
        const { id } = yield* Given.project()
        const enabled = (yield* defaultRules).filter((rule) => rule.enabled)
        for (const rule of enabled) yield* change(rule, { enabled: false })
        expect(yield* inForce(id)).toEqual([])
        for (const rule of enabled) yield* change(rule, { enabled: true })
        expect(yield* appliedTo(id)).toEqual(new Map([[id, enabled.map(idOf)]]))
      }),
    ),

    contractCase(
      "removes a rule with its states, once",
      Effect.gen(function* () {
        const states = yield* AlertStore
        const { id: projectId } = yield* Given.project()
        const other = yield* Given.project()
        const rule = yield* Given.rule(projectId)
        const kept = yield* Given.rule(projectId)
        const standard = yield* Given.rule(null)
        for (const each of [rule, kept]) yield* fire(each)
        for (const { id } of [{ id: projectId }, other]) yield* fire({ id: standard.id, projectId: id })
        const removed = yield* Effect.all([remove(rule), onSecondNode(remove(rule)), remove(rule)], {
          concurrency: "unbounded",
        })
        expect(removed.filter((found) => found)).toHaveLength(1)
        expect(yield* firingIn(projectId)).toEqual([kept.id, standard.id])
        expect(yield* remove(standard)).toBe(true)
        expect([yield* firingIn(projectId), yield* firingIn(other.id)]).toEqual([[kept.id], []])
        // Deleted rules keep no state.
        for (const each of [rule, { id: standard.id, projectId }, kept]) yield* fire(each)
        expect(yield* firingIn(projectId)).toEqual([kept.id])
        const place = { projectId, ruleId: rule.id, groupId: null }
        expect(yield* states.lockStates([place])).toEqual([])
      }),
    ),

    contractCase(
      "removes the states that another transaction is writing",
      Effect.gen(function* () {
        const storage = yield* Storage
        const states = yield* AlertStore
        const { id: projectId } = yield* Given.project()
        const rule = yield* Given.rule(projectId)
        const locked = yield* Deferred.make<void>()
        const end = yield* Deferred.make<void>()
        const writer = yield* Effect.forkChild(
          storage.transaction(
            Effect.gen(function* () {
              yield* states.lockStates([{ projectId, ruleId: rule.id, groupId: null }])
              yield* Deferred.succeed(locked, undefined)
              yield* Deferred.await(end)
              yield* fire(rule)
            }),
          ),
        )
        yield* Deferred.await(locked)
        const remover = yield* Effect.forkChild(onSecondNode(remove(rule)))
        yield* passTime(storage.ping)
        yield* Deferred.succeed(end, undefined)
        yield* Fiber.join(writer)
        expect(yield* Fiber.join(remover)).toBe(true)
        expect(yield* firingIn(projectId)).toEqual([])
      }),
    ),

    contractCase(
      "returns the projects to measure: those with a measured rule, and with reports or a firing state",
      Effect.gen(function* () {
        const projects = yield* ProjectStore
        const [own, events, disabled, idle, firing, bare, gone] = yield* Effect.all([
          Given.project(),
          Given.project(),
          Given.project(),
          Given.project(),
          Given.project(),
          Given.project(),
          Given.project(),
        ])
        const all = [own, events, disabled, idle, firing, bare, gone]
        for (const { id } of [own, idle, gone]) yield* Given.rule(id, measured)
        for (const { id } of [own, events]) yield* Given.rule(id)
        yield* Given.rule(disabled.id, { ...measured, enabled: false })
        const rule = yield* Given.rule(firing.id, measured)
        for (const { id } of [own, events, disabled, bare, gone]) yield* reported(id, noon)
        yield* reported(idle.id, DateTime.subtract(noon, { milliseconds: 1 }))
        yield* fire(rule)
        yield* projects.remove(gone.id, noon)
        const expected = [own.id, firing.id]
        expect(yield* toMeasure(all, noon, 1_000)).toEqual(expected)
        expect(yield* toMeasure(all, noon, 1)).toEqual(expected)
        expect(yield* toMeasure(all, DateTime.subtract(noon, { hours: 1 }), 1_000)).toEqual([
          own.id,
          idle.id,
          firing.id,
        ])
        yield* fire(rule, false)
        expect(yield* toMeasure(all, noon, 1_000)).toEqual([own.id])
        const standard = yield* Given.rule(null, measured)
        expect(yield* toMeasure(all, noon, 1_000)).toEqual([own.id, bare.id])
        yield* change(standard, { enabled: false })
        expect(yield* toMeasure(all, noon, 1_000)).toEqual([own.id])
        yield* remove(standard)
      }),
    ),

    contractCase(
      "returns whether an enabled rule is triggered by an event of a group",
      Effect.gen(function* () {
        const rules = yield* AlertStore
        const projects = yield* ProjectStore
        const owners = [null, ...(yield* projects.liveIds).map((id) => ProjectId.make(id))]
        const enabled: Array<AlertRule> = []
        for (const owner of owners) {
          for (const rule of yield* rules.list(owner)) if (rule.enabled) enabled.push(rule)
        }
        for (const rule of enabled) yield* change(rule, { enabled: false })
        expect(yield* rules.hasEventRules).toBe(false)
        const { id } = yield* Given.project()
        yield* Given.rule(id, measured)
        expect(yield* rules.hasEventRules).toBe(false)
        const mixed = yield* Given.rule(id, { triggers: [...measured.triggers!, { type: "noted" }] })
        expect(yield* rules.hasEventRules).toBe(true)
        yield* change(mixed, measured)
        expect(yield* rules.hasEventRules).toBe(false)
        const standard = yield* Given.rule(null)
        expect(yield* rules.hasEventRules).toBe(true)
        yield* remove(standard)
        expect(yield* rules.hasEventRules).toBe(false)
        for (const rule of enabled) yield* change(rule, { enabled: true })
        expect(yield* rules.hasEventRules).toBe(true)
      }),
    ),
  ],
}
