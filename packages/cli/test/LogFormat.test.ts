import { describe, expect, it } from "@effect/vitest"
import { Cause } from "effect"
import { logLine } from "../src/LogFormat.js"

const entry = {
  date: new Date("2026-01-02T03:04:05.678Z"),
  logLevel: "Warn" as const,
  message: ["A payload was moved to the dead letters"],
  cause: Cause.empty,
  annotations: { project: 7, reason: 'no "JSON"' },
}
const failed = { ...entry, annotations: {}, cause: Cause.fail(new Error("no room")) }

describe("a line of the log", () => {
  it("for people: the time of day, the level, what happened", () => {
    expect(logLine(entry, "pretty", false)).toMatch(
      /^\d\d:\d\d:\d\d WARN {2}A payload was moved to the dead letters( (project=7|reason="no \\"JSON\\"")){2}$/,
    )
    expect(logLine(entry, "pretty", true)).toContain("\u001b[33mWARN")
    const [head, ...cause] = logLine(failed, "pretty", false).split("\n")
    expect(head).toMatch(/WARN {2}A payload was moved to the dead letters$/)
    expect(cause[0]).toBe("  Error: no room")
  })

  it("in logfmt: one line, also with line breaks in values", () => {
    const line = logLine(entry, "logfmt", false)
    expect(line).toMatch(
      /^timestamp=2026-01-02T03:04:05.678Z level=WARN message="A payload was moved to the dead letters" /,
    )
    expect(line).toContain(" project=7")
    expect(line).toContain(' reason="no \\"JSON\\""')
    const withCause = logLine(failed, "logfmt", true)
    expect(withCause).toContain(' cause="Error: no room\\n')
    expect(withCause).not.toContain("\n")
  })

  it("in JSON: one document", () => {
    expect(JSON.parse(logLine(entry, "json", false))).toEqual({
      timestamp: "2026-01-02T03:04:05.678Z",
      level: "WARN",
      message: "A payload was moved to the dead letters",
      annotations: { project: 7, reason: 'no "JSON"' },
    })
    expect(JSON.parse(logLine(failed, "json", false))).toMatchObject({
      cause: expect.stringContaining("Error: no room"),
    })
  })
})
