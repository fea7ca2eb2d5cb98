import { describe, expect, it } from "vitest"
import { dateTime, dateTimeWithZone, day, duration, hour, offset, relative } from "../../src/text/Times.js"

const now = Date.parse("2026-11-23T18:02:11.000Z")
const ago = (millis: number) => new Date(now - millis).toISOString()

describe("relative", () => {
  it("names the largest whole unit", () => {
    expect(relative(ago(42_000), now)).toBe("42 s ago")
    expect(relative(ago(3 * 60_000 + 59_000), now)).toBe("3 min ago")
    expect(relative(ago(5 * 3_600_000), now)).toBe("5 h ago")
    expect(relative(ago(29 * 86_400_000), now)).toBe("29 d ago")
  })

  it("is the day after 30 days, with the year of another year", () => {
    expect(relative("2026-10-03T12:00:00.000Z", now, "UTC")).toBe("3 Oct")
    expect(relative("2025-10-03T12:00:00.000Z", now, "UTC")).toBe("3 Oct 2025")
  })

  it("shows small clock differences as now, and supports future times", () => {
    expect(relative(ago(4_000), now)).toBe("now")
    expect(relative(ago(-30_000), now)).toBe("now")
    expect(relative(ago(-2 * 3_600_000), now)).toBe("in 2 h")
  })

  it("returns invalid times unchanged", () => {
    expect(relative("yesterday", now)).toBe("yesterday")
    expect(dateTime("yesterday")).toBe("yesterday")
  })
})

describe("absolute times", () => {
  it("are shown in UTC", () => {
    expect(dateTime("2026-11-23T18:02:11.000Z", "UTC")).toBe("23 Nov 2026, 18:02:11")
    expect(dateTimeWithZone("2026-11-23T18:02:11.000Z", "UTC")).toBe("23 Nov 2026, 18:02:11 UTC")
    expect(hour("2026-11-23T18:00:00.000Z", "UTC")).toBe("Mon 23 Nov, 18:00")
  })

  it("count midnight as hour 0", () => {
    expect(dateTime("2026-11-23T00:00:00.000Z", "UTC")).toBe("23 Nov 2026, 00:00:00")
  })

  it("have the year of the same zone as the day", () => {
    expect(day("2026-01-01T00:00:00.000Z", Date.parse("2026-12-31T23:59:00.000Z"), "UTC")).toBe("1 Jan")
  })
})

describe("offset", () => {
  const base = "2026-11-23T18:02:11.000Z"

  it("shows the time from a breadcrumb to the error", () => {
    expect(offset("2026-11-23T18:02:07.800Z", base)).toBe("−3.2 s")
    expect(offset("2026-11-23T18:00:57.000Z", base)).toBe("−1 min 14 s")
    expect(offset("2026-11-23T15:01:11.000Z", base)).toBe("−3 h 1 min")
    expect(offset("2026-11-20T15:01:11.000Z", base)).toBe("−3 d 3 h")
  })

  it("shows the time from the error to a later breadcrumb", () => {
    expect(offset("2026-11-23T18:02:12.500Z", base)).toBe("+1.5 s")
  })

  it("is 0 for the same moment, and empty without a time", () => {
    expect(offset(base, base)).toBe("0 s")
    expect(offset(undefined, base)).toBe("")
    expect(offset("never", base)).toBe("")
  })
})

describe("duration", () => {
  it("is never negative", () => {
    expect(duration(-5)).toBe("0 s")
  })
})
