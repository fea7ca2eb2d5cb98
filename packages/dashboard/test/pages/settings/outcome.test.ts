import { describe, expect, it } from "vitest"
import { briefOutcomeOf, outcomeOf, readableBody, stateOf } from "../../../src/pages/settings/outcome.js"

const delivered = {
  status: "succeeded",
  response_status: 204,
  error: null,
  duration_ms: 85,
  attempts: 1,
} as const

describe("the outcome of a delivery", () => {
  it("names the response and how long it took", () => {
    expect(outcomeOf(delivered)).toBe("The receiver responded with 204 after 85 ms.")
    expect(briefOutcomeOf(delivered)).toBe("204")
    expect(stateOf(delivered)).toEqual({ text: "Delivered", tone: "ok" })
  })

  it("names the reason of a failure and the number of attempts", () => {
    const failed = {
      status: "failed",
      response_status: 410,
      error: "the receiver responded with 410",
      duration_ms: 12,
      attempts: 3,
    } as const
    expect(outcomeOf(failed)).toBe("The receiver responded with 410 after 12 ms, at attempt 3.")
    expect(briefOutcomeOf(failed)).toBe("410 · 3 attempts")
  })

  it("shows the reason if no response came", () => {
    const unsent = {
      ...delivered,
      status: "failed",
      response_status: null,
      error: "the webhook is disabled",
    } as const
    expect(briefOutcomeOf(unsent)).toBe("the webhook is disabled")
    expect(outcomeOf({ ...unsent, attempts: 0 })).toBe("The webhook is disabled.")
    expect(outcomeOf(unsent)).toBe("The webhook is disabled.")
  })

  it("distinguishes a first attempt from a retry", () => {
    const pending = {
      status: "pending",
      response_status: null,
      error: null,
      duration_ms: null,
      attempts: 0,
    } as const
    expect(outcomeOf(pending)).toBe("Waiting for the first attempt.")
    expect(stateOf(pending).text).toBe("Waiting")
    expect(stateOf({ ...pending, attempts: 2 }).text).toBe("Retrying")
  })

  it("indents JSON and keeps other texts", () => {
    expect(readableBody('{"a":1}')).toBe('{\n  "a": 1\n}')
    expect(readableBody("{a")).toBe("{a")
  })
})
