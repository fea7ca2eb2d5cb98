import { describe, expect, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { TestClock } from "effect/testing"
import { absolute, momentFrom, relative } from "../../src/api/Moments.js"

const now = DateTime.makeUnsafe("2026-03-01T12:00:00Z")

describe("moments", () => {
  it("are shown as relative times", () => {
    const told = [
      "2026-03-01T11:59:59.500Z",
      "2026-03-01T11:59:58Z",
      "2026-03-01T11:57:00Z",
      "2026-03-01T09:00:00Z",
      "2026-02-19T12:00:00Z",
      "2025-12-01T12:00:00Z",
      "2024-02-01T12:00:00Z",
      "2026-03-01T14:30:00Z",
    ].map((text) => relative(DateTime.makeUnsafe(text), now))
    expect(told).toEqual(["just now", "2s ago", "3m ago", "3h ago", "10d ago", "3mo ago", "2y ago", "in 2h"])
  })

  it("are shown as absolute times in UTC", () => {
    expect(absolute(DateTime.makeUnsafe("2026-03-01T11:56:59.123Z"), now)).toBe(
      "2026-03-01 11:56:59 UTC (3m ago)",
    )
  })

  it.effect("are read as spans from now, or as dates and timestamps", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(DateTime.toEpochMillis(now))
      expect(yield* momentFrom("--since", "30m", "past")).toBe("2026-03-01T11:30:00.000Z")
      expect(yield* momentFrom("--until", "2w", "future")).toBe("2026-03-15T12:00:00.000Z")
      expect(yield* momentFrom("--since", "2026-01-02", "past")).toBe("2026-01-02")
      expect(yield* Effect.flip(momentFrom("--until", "yesterday", "future"))).toMatchObject({
        message: `--until must be a date, an ISO 8601 timestamp, or a time span (30m, 12h, 7d, 2w), not "yesterday"`,
        exitCode: 2,
      })
    }),
  )
})
