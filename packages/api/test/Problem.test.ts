import { describe, expect, it } from "vitest"
import { Problem } from "../src/index.js"

describe("validationFailed", () => {
  it("puts a few errors in the detail in full", () => {
    const errors = { name: ["can't be blank", "is odd"], url: ["is not a URL"] }
    const problem = Problem.validationFailed(errors)
    expect(problem.errors).toEqual(errors)
    expect(problem.detail).toBe("name can't be blank; name is odd; url is not a URL")
  })

  it("says how much it leaves out", () => {
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`field_${i}`, ["a", "b"]]))
    const problem = Problem.validationFailed(many)
    expect(Object.values(problem.errors).flat()).toHaveLength(25)
    expect(problem.errors["field_12"]).toEqual(["a"])
    expect(problem.errors["field_13"]).toBeUndefined()
    expect(problem.detail).toMatch(/; field_12 a; and 15 more$/)
  })

  it("cuts long messages and field names", () => {
    const problem = Problem.validationFailed({ ["k".repeat(100_000)]: ["m".repeat(100_000)] })
    expect(Object.keys(problem.errors)).toEqual([`${"k".repeat(99)}…`])
    expect(Object.values(problem.errors)).toEqual([[`${"m".repeat(499)}…`]])
    expect(Problem.validationFailed({ a: [`${"m".repeat(498)}💥${"m".repeat(9)}`] }).errors).toEqual({
      a: [`${"m".repeat(498)}…`],
    })
  })

  it("keeps the messages of fields whose names begin alike", () => {
    const { errors } = Problem.validationFailed({
      [`${"k".repeat(200)}1`]: ["one"],
      [`${"k".repeat(200)}2`]: ["two"],
    })
    expect(errors).toEqual({ [`${"k".repeat(99)}…`]: ["one", "two"] })
  })

  it("accepts any field name", () => {
    const { errors } = Problem.validationFailed(Object.fromEntries([["__proto__", ["is odd"]]]))
    expect(Object.entries(errors)).toEqual([["__proto__", ["is odd"]]])
  })
})
