import type { Group, Note } from "@errata/api/promise"
import { describe, expect, it } from "vitest"
import { muteText, reopenedIn } from "../../../src/pages/group/state.js"

const now = Date.parse("2026-11-23T18:00:00.000Z")

const group = (fields: Partial<Group>): Group =>
  ({
    resolved: false,
    reopened_at: "2026-11-23T16:00:00.000Z",
    muted: true,
    muted_at: "2026-11-23T17:00:00.000Z",
    muted_until: null,
    muted_until_reports_count: null,
    project_muted_until: null,
    reports_count: 10,
    ...fields,
  }) as Group

const notes = (...contents: ReadonlyArray<string>): ReadonlyArray<Note> =>
  contents.map((content) => ({ content, automated: true }) as Note)

describe("muteText", () => {
  it("is null for a group that is not muted", () => {
    expect(muteText(group({ muted: false }), now)).toBeNull()
  })

  it("shows how long a mute still lasts", () => {
    expect(muteText(group({ muted_until: "2026-11-23T20:30:00.000Z" }), now)).toBe("muted for 2 h")
    expect(muteText(group({ muted_until_reports_count: 110 }), now)).toBe("muted for 100 more reports")
    expect(muteText(group({ muted_until_release: "next" }), now)).toBe("muted until the next release")
    expect(muteText(group({}), now)).toBe("muted")
  })

  it("names mutes of the project", () => {
    expect(muteText(group({ muted_at: null }), now)).toBe("project muted")
  })
})

describe("reopenedIn", () => {
  it("is the release of the report that reopened the group", () => {
    const open = group({})
    expect(
      reopenedIn(open, notes("Muted permanently", "Reopened by a new report in release 1.4.2", "Resolved")),
    ).toBe("1.4.2")
    expect(reopenedIn(open, notes("Reopened by a new report"))).toBe("")
  })

  it("is empty while the note is unknown, or if a person wrote a similar note", () => {
    expect(reopenedIn(group({}), [])).toBe("")
    const written = { content: "Reopened by a new report in release 9", automated: false } as Note
    expect(reopenedIn(group({}), [written])).toBe("")
  })

  it("is null for a group that no report reopened since it was resolved", () => {
    expect(reopenedIn(group({ reopened_at: null }), notes("Resolved", "Reopened by a new report"))).toBeNull()
  })
})
