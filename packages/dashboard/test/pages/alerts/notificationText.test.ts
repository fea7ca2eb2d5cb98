import type { Notification } from "@errata/api/promise"
import { describe, expect, it } from "vitest"
import { problemOf, receiverOf, stateOf } from "../../../src/pages/alerts/notificationText.js"

const notification = (changes: Partial<Notification>): Notification => ({
  id: 1,
  project_id: 1,
  target_id: 1,
  target_kind: "slack",
  target_name: "#ops",
  rule_id: 1,
  rule_name: "A rule",
  group_id: 1,
  event: "notification.alert",
  status: "succeeded",
  throttle: null,
  user_id: null,
  recipient: null,
  attempts: 1,
  response_status: 200,
  error: null,
  duration_ms: 12,
  reason: "New error",
  title: "TypeError",
  next_attempt_at: null,
  created_at: "2026-11-26T10:00:00.000Z",
  completed_at: null,
  ...changes,
})

describe("the problem of a notification", () => {
  it("is empty if it was delivered or not tried", () => {
    expect(problemOf(notification({}))).toBe("")
    expect(problemOf(notification({ status: "pending", attempts: 0 }))).toBe("")
  })

  it("is the outcome of the last attempt", () => {
    expect(problemOf(notification({ status: "failed", attempts: 3, response_status: 410 }))).toBe(
      "The receiver responded with 410 after 12 ms, at attempt 3.",
    )
  })

  it("is the reason why it was held back", () => {
    expect(
      problemOf(notification({ status: "throttled", attempts: 0, error: "the target has quiet hours" })),
    ).toBe("The target has quiet hours.")
    expect(problemOf(notification({ status: "throttled", attempts: 0 }))).toBe("")
  })
})

it.each([
  ["succeeded", 1, "Delivered"],
  ["failed", 5, "Failed"],
  ["throttled", 0, "Held back"],
  ["pending", 0, "Waiting"],
  ["pending", 2, "Retrying"],
] as const)("%s after %i attempts is %s", (status, attempts, text) => {
  expect(stateOf({ status, attempts }).text).toBe(text)
})

it("a receiver is shown with its address if the reader may see it", () => {
  expect(receiverOf(notification({}))).toBe("#ops")
  expect(receiverOf(notification({ target_kind: "members", recipient: "ann@example.com" }))).toBe(
    "members by mail: ann@example.com",
  )
})
