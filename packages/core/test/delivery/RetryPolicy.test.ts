import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { isRetried, pauseAfter, RetryPauses, readRetryAfter } from "../../src/delivery/RetryPolicy.js"
import { defaultSettings } from "../../src/index.js"

const { maxAttempts } = defaultSettings.webhooks
const pauses = Effect.runSync(RetryPauses)
const seconds = (attempts: number, retryAfter: Duration.Duration | null = null, random = 0) => {
  const pause = pauseAfter(attempts, maxAttempts, pauses, retryAfter, random)
  return pause === null ? null : Duration.toSeconds(pause)
}

describe("attempts", () => {
  it("are ten at most, with pauses that grow from ten seconds to six hours", () => {
    const pauses = Array.from({ length: 10 }, (_, i) => seconds(i + 1))
    expect(pauses).toEqual([10, 30, 90, 270, 810, 2430, 7290, 17280, 17280, null])
  })

  it("have a jitter of a quarter of the pause, up to the longest pause", () => {
    expect([seconds(1, null, 1), seconds(8, null, 1)]).toEqual([12.5, 21_600])
  })

  it("wait for the receiver's Retry-After up to an hour, but never less than the usual pause", () => {
    expect(seconds(1, Duration.seconds(120))).toBe(120)
    expect(seconds(1, Duration.days(3))).toBe(3600)
    expect(seconds(1, Duration.zero)).toBe(10)
    expect(seconds(8, Duration.seconds(5))).toBe(17_280)
    expect(seconds(10, Duration.seconds(5))).toBeNull()
  })

  it("are repeated after temporary failures only", () => {
    const again = Array.from({ length: 600 }, (_, status) => status).filter(isRetried)
    expect(again.slice(0, 3)).toEqual([408, 425, 429])
    expect(again.slice(3)).toEqual(Array.from({ length: 100 }, (_, i) => 500 + i))
  })
})

describe("Retry-After", () => {
  const now = Date.UTC(2026, 0, 5, 9, 30)
  const read = (text: string | undefined) => {
    const wait = readRetryAfter(text, now)
    return wait === null ? null : Duration.toSeconds(wait)
  }

  it.each([
    ["120", 120],
    ["0", 0],
    [" 7 ", 7],
    ["Mon, 05 Jan 2026 09:31:00 GMT", 60],
    ["Monday, 05-Jan-26 09:31:00 GMT", 60],
    ["Mon Jan  5 09:31:00 2026 GMT", 60],
    // Past, or no date and no number.
    ["Mon, 05 Jan 2026 09:29:00 GMT", null],
    ["-5", null],
    ["1.5", null],
    ["soon", null],
    ["2026", 2026],
    ["", null],
    [undefined, null],
  ])("%j is %j seconds", (text, expected) => {
    expect(read(text)).toBe(expected)
  })
})
