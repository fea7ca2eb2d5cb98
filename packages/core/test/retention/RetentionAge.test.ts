import { DateTime } from "effect"
import { expect, it } from "vitest"
import { defaultPolicies } from "../../src/policy/Policy.js"
import { cutoffOf } from "../../src/retention/RetentionAge.js"

const now = DateTime.makeUnsafe("2026-03-31T02:00:00Z")
const { errorRetention } = defaultPolicies

it("retention deletes data of more than 90 days ago by default", () => {
  expect(cutoffOf(errorRetention, now)).toEqual(DateTime.makeUnsafe("2025-12-31T02:00:00Z"))
})

it.each(["enabled", "timeBasedEnabled"] as const)("retention has no age limit without %s", (setting) => {
  expect(cutoffOf({ ...errorRetention, [setting]: false }, now)).toBeNull()
})
