import { describe, expect, it } from "vitest"
import { parseDateBound } from "../../src/search/DateBound.js"

describe("parseDateBound", () => {
  it("takes a bare date as the day in UTC", () => {
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
  ])("takes the timestamp %s as it is, at either end", (text, expected) => {
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
