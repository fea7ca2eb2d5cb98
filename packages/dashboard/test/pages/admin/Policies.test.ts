import { describe, expect, it } from "vitest"
import { policyOf, wholeNumber } from "../../../src/pages/admin/policyInput.js"

const formOf = (fields: Readonly<Record<string, string>>): FormData => {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  return form
}

describe("a number of a policy", () => {
  it("may have separators", () => {
    expect(["90", " 2,048 ", "10 000", "1_000", "-5"].map(wholeNumber)).toEqual([90, 2048, 10_000, 1000, -5])
  })

  it("is NaN if the text is not a number", () => {
    expect(["", "ninety", "1.5", "1e3", "0x10"].map(wholeNumber)).toEqual(
      Array.from({ length: 5 }, () => Number.NaN),
    )
  })
})

describe("a policy's form", () => {
  it("turns off unchecked switches, and omits fields of other forms", () => {
    const form = formOf({ enabled: "on", days: "30", kind: "full", other: "1" })
    expect(
      policyOf(form, { switches: ["enabled", "by_size"], numbers: ["days"], choices: ["kind"] }),
    ).toEqual({
      enabled: true,
      by_size: false,
      days: 30,
      kind: "full",
    })
  })
})
