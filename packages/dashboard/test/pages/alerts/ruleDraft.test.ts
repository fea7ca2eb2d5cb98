import { describe, expect, it } from "vitest"
import type { RuleFields } from "../../../src/data/alerts.js"
import { draftOf, listed, newRule, ruleOf, toggled } from "../../../src/pages/alerts/ruleDraft.js"

const rule = (changes: Partial<RuleFields>): RuleFields => ({ ...newRule, name: "A rule", ...changes })

describe("a rule in the form", () => {
  it.each<readonly [string, RuleFields]>([
    ["with events", rule({})],
    ["of users", rule({ triggers: [{ type: "users", count: 7 }] })],
    [
      "of reports",
      rule({ triggers: [{ type: "fatal" }, { type: "reports", count: 5, minutes: 15, of: "project" }] }),
    ],
    ["of a rate", rule({ triggers: [{ type: "rate", factor: 1.5 }], repeat_minutes: 7 })],
    ["for chosen targets", rule({ receivers: { members: false, targets: [1, 2] } })],
    ["for no targets", rule({ receivers: { members: true, targets: [] } })],
    [
      "for some groups",
      rule({ filter: { query: "a b", environments: ["production", "x y"], severities: ["fatal"] } }),
    ],
  ])("%s is saved unchanged if nothing changes", (_, rule) => {
    expect(ruleOf(draftOf(rule))).toEqual(rule)
  })

  it("drops chosen targets when all are chosen", () => {
    const draft = draftOf(rule({ receivers: { members: true, targets: [1] } }))
    expect(ruleOf({ ...draft, targets: "all" }).receivers.targets).toBe("all")
    expect(ruleOf({ ...draft, targets: "none" }).receivers.targets).toEqual([])
  })

  it("reads numbers with separators, and NaN for other texts", () => {
    const draft = { ...draftOf(rule({})), events: [], measure: "users" as const }
    expect(ruleOf({ ...draft, users: "1,200" }).triggers).toEqual([{ type: "users", count: 1_200 }])
    expect(ruleOf({ ...draft, users: "many" }).triggers).toEqual([{ type: "users", count: Number.NaN }])
    expect(ruleOf({ ...draft, measure: "rate", factor: " " }).triggers).toEqual([
      { type: "rate", factor: Number.NaN },
    ])
  })
})

it("a list has each of its names once", () => {
  expect(listed(" production,, staging ,production, ")).toEqual(["production", "staging"])
})

it("a value is added to a list, or removed", () => {
  expect(toggled(["a", "b"], "b")).toEqual(["a"])
  expect(toggled(["a"], "b")).toEqual(["a", "b"])
})
