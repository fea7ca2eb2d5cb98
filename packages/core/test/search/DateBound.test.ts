import { describe, expect, it } from "vitest"
import { formatSpan, momentOf, parseDateBound, parseTimeBound } from "../../src/search/DateBound.js"

describe("parseDateBound", () => {
  it("reads a bare date as the day in UTC", () => {
    expect(parseDateBound("2024-02-29", "start")).toBe(Date.UTC(2024, 1, 29))
    expect(parseDateBound("2024-02-29", "end")).toBe(Date.UTC(2024, 2, 1) - 1)
  })

  it.each([
    ["2025-01-31T10:30", Date.UTC(2025, 0, 31, 10, 30)],
    ["2025-01-31 10:30:15", Date.UTC(2025, 0, 31, 10, 30, 15)],
    ["2025-01-31T10:30:15z", Date.UTC(2025, 0, 31, 10, 30, 15)],
    ["2025-01-31T10:30:15.123456Z", Date.UTC(2025, 0, 31, 10, 30, 15, 123)],
    ["2025-01-31T10:30:15.5Z", Date.UTC(2025, 0, 31, 10, 30, 15, 500)],
    ["2025-01-31T10:30:15+05:30", Date.UTC(2025, 0, 31, 5, 0, 15)],
    ["2025-01-31T10:30:15 02:00", Date.UTC(2025, 0, 31, 8, 30, 15)],
    ["2025-01-31T10:30:15-0800", Date.UTC(2025, 0, 31, 18, 30, 15)],
    ["2025-01-31T10:30:15-08", Date.UTC(2025, 0, 31, 18, 30, 15)],
  ])("reads the timestamp %s unchanged, at either end", (text, expected) => {
    expect(parseDateBound(text, "start")).toBe(expected)
    expect(parseDateBound(text, "end")).toBe(expected)
  })

  it.each([
    "",
    "2025",
    "2025-13-01",
    "2025-02-30",
    "2025-1-1",
    "2025-01-31T24:00",
    "2025-01-31T10:60",
    "2025-01-31T10:00+25:00",
    "2025-01-31Z",
    "9999-12-31T23:59:59-00:01",
    "9999-12-31T23:59:60Z",
    "0000-01-01T00:00:00+00:01",
    "31.01.2025",
    "yesterday",
    "1738281600",
    " 2025-01-31",
  ])("refuses %j", (text) => {
    expect(parseDateBound(text, "start")).toBeNull()
  })
})

describe("parseTimeBound", () => {
  const minute = 60_000
  const now = Date.UTC(2025, 0, 31)

  it.each([
    ["30m", 30 * minute],
    ["24h", 24 * 60 * minute],
    ["7d", 7 * 24 * 60 * minute],
    ["2w", 14 * 24 * 60 * minute],
    ["0m", 0],
  ])("reads %s as a span from now", (text, span) => {
    expect(parseTimeBound(text, "start")).toEqual({ span })
    expect(momentOf({ span }, "past", now)).toBe(now - span)
    expect(momentOf({ span }, "future", now)).toBe(now + span)
  })

  it.each(["1d", "25h", "2w", "90m", "0w"])("writes %s back in its largest unit", (text) => {
    expect(formatSpan(parseTimeBound(text, "start") as { span: number })).toBe(text)
  })

  it("reads dates and timestamps unchanged", () => {
    expect(parseTimeBound("2025-01-31", "end")).toBe(now + 24 * 60 * minute - 1)
    expect(momentOf(now, "past", 0)).toBe(now)
  })

  it.each(["", "h", "24", "24H", "-24h", "1.5h", "24 h", "1y", "1234567m", "999999w", "24h ", "yesterday"])(
    "refuses %j",
    (text) => {
      expect(parseTimeBound(text, "start")).toBeNull()
    },
  )

  it("keeps the longest spans within the years that can be stored", () => {
    expect(parseTimeBound("52142w", "start")).toEqual({ span: 52_142 * 7 * 24 * 60 * minute })
    expect(parseTimeBound("52143w", "start")).toBeNull()
  })
})
