import { describe, expect, it } from "vitest"
import { headingOf } from "../src/pages/groups/Headings.js"

const now = Date.parse("2026-11-23T18:20:00Z")
const group = { last_occurred_at: "", created_at: "", reports_count: 0, users_count: 0 }
const seen = (last_occurred_at: string) => headingOf({ ...group, last_occurred_at }, "last_seen", now)
const reported = (reports_count: number) => headingOf({ ...group, reports_count }, "reports_count", now)

describe("the headings of a list", () => {
  it("are hours and days of the last report", () => {
    expect(seen("2026-11-23T18:00:00Z")).toBe("This hour")
    expect(seen("2026-11-23T17:59:00Z")).toBe("Last 24 hours")
    expect(seen("2026-11-22T19:00:00Z")).toBe("Last 24 hours")
    expect(seen("2026-11-22T18:59:00Z")).toBe("Last 7 days")
    expect(seen("2026-11-10T00:00:00Z")).toBe("Last 30 days")
    expect(seen("2026-10-01T00:00:00Z")).toBe("Before 24 Oct")
  })

  it("show times in the future as now", () => {
    expect(seen("2026-11-23T19:30:00Z")).toBe("This hour")
  })

  it("are magnitudes of the number of reports", () => {
    expect(reported(7)).toBe("Fewer than 10 reports")
    expect(reported(10)).toBe("10 reports and more")
    expect(reported(4321)).toBe("1,000 reports and more")
  })
})
