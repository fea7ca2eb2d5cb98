/** The rules that admins write, through the core's service: checks, default rules, dry runs. */
import {
  AccessPolicy,
  Actor,
  type AlertRuleContent,
  AlertRuleId,
  AlertRules,
  CurrentActor,
  firstRule,
  type ProjectId,
  TargetId,
} from "@errata/core"
import { AlertStore } from "@errata/core/ports"
import { advance, contractCase, Given } from "@errata/testing"
import { DateTime, Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import * as Pipeline from "../../../testing/src/internal/Pipeline.js"
import * as DryRun from "../../src/alert/DryRun.js"
import * as Measurements from "../../src/alert/Measurements.js"
import { refusal } from "../support/refusal.js"
import { onStorages } from "../support/storages.js"
import { atStorageTime, target } from "./support.js"

const services = Layer.provideMerge(AlertRules.Default, AccessPolicy.layer)

const authorized = <Rule extends AccessPolicy.ProjectRule>(
  rule: Rule,
  id: ProjectId,
  actor = Actor.System(),
) =>
  Effect.flatMap(AccessPolicy.AccessPolicy, (access) => access.project(rule, id)).pipe(
    Effect.provideService(CurrentActor, actor),
    Effect.provide(services),
  )

const administer = (id: ProjectId) => authorized("alerts.administer", id)
const read = (id: ProjectId) => authorized("alerts.read", id)

const use = <A, E, R>(f: (rules: AlertRules["Service"]) => Effect.Effect<A, E, R>) =>
  Effect.provide(Effect.flatMap(AlertRules, f), services)

const withDefaults = (changes: Partial<AlertRuleContent>): AlertRuleContent => ({ ...firstRule, ...changes })

describe("Counts over time", () => {
  it("cross a limit when the sum over several steps exceeds it, and again after a drop", () => {
    expect(DryRun.beginnings([0, 3, 3, 0, 0, 6], 2, 5)).toEqual([2, 5])
    expect(DryRun.beginnings([6, 6, 6], 1, 5)).toEqual([0])
    expect(DryRun.beginnings([5, 0, 5], 2, 5)).toEqual([])
  })

  it("are compared with the mean of the same hour, or ten if that is less", () => {
    const hours = Array.from({ length: 7 * 24 }, (_, i) => (i % 24 === 0 ? 20 : 1_000))
    expect(Measurements.usualOf(hours)).toBe(20)
    expect(Measurements.usualOf(hours.map(() => 1))).toBe(10)
  })
})

onStorages("Alert rules", [
  contractCase(
    "are the default rules until a project has its own, and again without them",
    Effect.gen(function* () {
      const { id } = yield* Given.project()
      const admin = yield* administer(id)
      const before = yield* use((rules) => Effect.flatMap(read(id), rules.list))
      expect(before.areDefault).toBe(true)
      expect(before.rules).toMatchObject([{ ...firstRule, projectId: null }])
      const own = yield* use((rules) => rules.create(admin, withDefaults({ name: "Mine", enabled: false })))
      expect(yield* use((rules) => Effect.flatMap(read(id), rules.list))).toEqual({
        rules: [own],
        areDefault: false,
      })
      // A default rule is not found among those of a project, and the other way round.
      const [first] = before.rules
      expect(yield* refusal(use((rules) => rules.update(admin, first!.id, { name: "x" })))).toBe(
        "AlertRuleNotFound",
      )
      expect(yield* refusal(use((rules) => rules.remove(admin, first!.id)))).toBe("AlertRuleNotFound")
      yield* use((rules) => rules.remove(admin, own.id))
      expect((yield* use((rules) => Effect.flatMap(read(id), rules.list))).areDefault).toBe(true)
      expect(yield* refusal(use((rules) => rules.remove(admin, own.id)))).toBe("AlertRuleNotFound")
    }),
  ),

  contractCase(
    "reject invalid content with the name of the field",
    Effect.gen(function* () {
      const { id } = yield* Given.project()
      const other = yield* target((yield* Given.project()).id)
      const admin = yield* administer(id)
      const refused = (changes: Partial<Record<keyof AlertRuleContent, unknown>>) =>
        refusal(use((rules) => rules.create(admin, withDefaults(changes as Partial<AlertRuleContent>))))
      const receivers = { members: false, targets: [] }
      const filter = { query: "", environments: [], severities: [] }
      expect(yield* refused({ name: " " })).toEqual({ name: ["can't be blank"] })
      expect(yield* refused({ triggers: [] })).toEqual({ triggers: ["must be 1 to 10 conditions"] })
      expect(
        yield* refused({
          triggers: [
            { type: "users", count: 1 },
            { type: "rate", factor: 2 },
          ],
        }),
      ).toEqual({
        triggers: ["must have at most one of users, reports and rate; make a rule for each"],
      })
      expect(
        Object.keys(
          (yield* refused({ triggers: [{ type: "reports", count: 0, minutes: 1, of: "group" }] })) as object,
        ),
      ).toEqual(["triggers.0.count"])
      expect(yield* refused({ filter: { ...filter, query: "assignee:me" } })).toEqual({
        "filter.query": ["must not contain assignee:me"],
      })
      expect(yield* refused({ filter: { ...filter, query: "x".repeat(1001) } })).toEqual({
        "filter.query": ["is too long (maximum is 1000 characters)"],
      })
      expect(yield* refused({ filter: { ...filter, environments: ["\0"] } })).toEqual({
        "filter.environments": ["contains characters that cannot be stored"],
      })
      expect(yield* refused({ receivers: { ...receivers, targets: [other.id] } })).toEqual({
        "receivers.targets": ["must be targets of the project"],
      })
      expect(yield* refused({ repeatMinutes: -1 })).toEqual({
        repeatMinutes: ["must be between 0 and 10080"],
      })
      expect(yield* refused({ repeatMinutes: Number.NaN })).toEqual({
        repeatMinutes: ["must be between 0 and 10080"],
      })
      const store = yield* AlertStore
      expect(yield* store.list(id)).toEqual([])
      const defaults = use((rules) =>
        Effect.flatMap(
          Effect.provide(
            Effect.provideService(
              Effect.flatMap(AccessPolicy.AccessPolicy, (access) => access.instance("policies.administer")),
              CurrentActor,
              Actor.System(),
            ),
            services,
          ),
          (admin) =>
            rules.createDefault(
              admin,
              withDefaults({ receivers: { members: true, targets: [TargetId.make(1)] } }),
            ),
        ),
      )
      expect(yield* refusal(defaults)).toEqual({
        "receivers.targets": ["a default rule names no targets of a project"],
      })
      expect(yield* refusal(use((rules) => rules.update(admin, AlertRuleId.make(999_999), {})))).toBe(
        "AlertRuleNotFound",
      )
    }),
  ),

  contractCase(
    "return the notifications of a dry run without sending them",
    Effect.gen(function* () {
      const from = yield* Effect.andThen(atStorageTime, Pipeline.given)
      const { project } = from
      const reader = yield* read(project.id)
      const report = (group: string, count: number, severity: "error" | "fatal" = "error") =>
        Effect.gen(function* () {
          const receivedAt = (yield* DateTime.now).epochMilliseconds
          yield* Pipeline.record(
            ...Array.from({ length: count }, () =>
              from.send({ group, message: group, severity }, { receivedAt }),
            ),
          )
        })
      const run = (changes: Partial<AlertRuleContent>) =>
        Effect.map(
          use((rules) => rules.dryRun(reader, withDefaults(changes))),
          ({ count, isPartial, matches }) => ({
            count,
            isPartial,
            groups: matches.map(({ group }) => group?.errorMessage ?? null).toSorted(),
          }),
        )
      yield* report("long ago", 50)
      yield* advance("8 days")
      yield* report("spike", 12)
      yield* advance("3 hours")
      yield* report("spike", 12)
      yield* report("fatal", 1, "fatal")
      yield* advance("1 minute")
      expect(yield* run({})).toEqual({ count: 2, isPartial: false, groups: ["fatal", "spike"] })
      expect(yield* run({ triggers: [{ type: "fatal" }] })).toMatchObject({ groups: ["fatal"] })
      const spikes = { type: "reports", count: 10, minutes: 5, of: "group" } as const
      expect(yield* run({ triggers: [spikes] })).toMatchObject({ count: 2, groups: ["spike", "spike"] })
      expect(yield* run({ triggers: [spikes], repeatMinutes: 24 * 60 })).toMatchObject({ count: 1 })
      expect(yield* run({ triggers: [{ ...spikes, of: "project" }] })).toMatchObject({ count: 2 })
      expect(yield* run({ triggers: [{ ...spikes, count: 12 }] })).toMatchObject({ count: 0 })
      const query = { query: "fatal", environments: [], severities: [] }
      expect(yield* run({ filter: query })).toMatchObject({ groups: ["fatal"] })
      const store = yield* AlertStore
      expect(yield* store.list(project.id)).toEqual([])
    }),
  ),
])
