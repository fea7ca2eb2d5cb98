import type { Group, Mute, ProjectMute } from "@errata/core"
import { DateTime, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { GroupDetailView } from "../src/index.js"
import { GroupMute, groupDetailView, groupView } from "../src/internal.js"

const now = DateTime.makeUnsafe("2026-01-02T03:04:05.678Z")
const later = DateTime.add(now, { hours: 1 })
const earlier = DateTime.subtract(now, { hours: 1 })

const group = (fields: {
  readonly mute?: typeof Mute.Type
  readonly projectMute?: typeof ProjectMute.Type
  readonly algorithm?: "v1" | "v2"
}): Group =>
  ({
    id: 7,
    projectId: 3,
    errorType: "TypeError",
    errorMessage: "x is not a function",
    culprit: "app.js in run",
    grouping: {
      algorithm: fields.algorithm ?? "v2",
      key: "ab".repeat(32),
      data: { method: "exception", type: "TypeError", value: "x is not a function" },
    },
    severity: "error",
    firstOccurredAt: earlier,
    lastOccurredAt: now,
    reportsCount: 5,
    usersCount: 0,
    notesCount: 0,
    resolution: null,
    mute: fields.mute ?? null,
    projectMute: fields.projectMute ?? null,
    assigneeId: null,
    issueUrl: null,
    reopenedAt: null,
    mergedIntoId: null,
    hasMembers: false,
    createdAt: earlier,
    updatedAt: now,
  }) as unknown as ConstructorParameters<typeof Group>[0]

const mute = (condition: (typeof Mute.Type)["condition"]): typeof Mute.Type => ({
  at: earlier,
  by: null,
  condition,
})

describe("GroupView", () => {
  it("shows only a mute that is in effect", () => {
    const of = (fields: Parameters<typeof group>[0]) => {
      const { mute_source, muted, muted_until, muted_until_reports_count } = groupView(
        group(fields),
        now,
        null,
      )
      return { mute_source, muted, muted_until, muted_until_reports_count }
    }
    const none = { muted_until: null, muted_until_reports_count: null }
    expect(of({})).toEqual({ ...none, muted: false, mute_source: null })
    expect(of({ mute: mute({ _tag: "Permanent" }) })).toEqual({ ...none, muted: true, mute_source: "manual" })
    expect(of({ mute: mute({ _tag: "Until", until: later }) })).toEqual({
      ...none,
      muted: true,
      muted_until: later,
      mute_source: "manual",
    })
    expect(of({ mute: mute({ _tag: "Until", until: now }) })).toMatchObject({
      muted: false,
      mute_source: null,
    })
    expect(of({ mute: mute({ _tag: "UntilReportsCount", reportsCount: 6 }) })).toMatchObject({
      muted: true,
      muted_until_reports_count: 6,
    })
    expect(of({ mute: mute({ _tag: "UntilReportsCount", reportsCount: 5 }) })).toMatchObject({ muted: false })
    expect(of({ projectMute: { at: earlier, by: null, until: null } })).toMatchObject({
      muted: true,
      mute_source: "project",
    })
    expect(
      of({ projectMute: { at: earlier, by: null, until: later }, mute: mute({ _tag: "Permanent" }) }),
    ).toMatchObject({ mute_source: "manual_and_project" })
  })

  it("is written with times in milliseconds and UTC, and the algorithm before the fingerprint", () => {
    const wire = Schema.encodeSync(GroupDetailView)(groupDetailView(group({}), now, null))
    expect(wire).toMatchObject({
      occurred_at: "2026-01-02T03:04:05.678Z",
      first_occurred_at: "2026-01-02T02:04:05.678Z",
      fingerprint: `v2:${"ab".repeat(32)}`,
      grouping: { algorithm: "v2", compatible_with: [] },
    })
    expect(Schema.decodeSync(GroupDetailView)(wire)).toEqual(groupDetailView(group({}), now, null))
  })

  it("names the algorithm that a legacy group is compatible with", () => {
    const { fingerprint, grouping } = groupDetailView(group({ algorithm: "v1" }), now, null)
    expect([fingerprint.slice(0, 3), grouping.algorithm, grouping.compatible_with]).toEqual([
      "v1:",
      "v1",
      ["v2"],
    ])
  })

  it("accepts only positive integers as counts of a mute", () => {
    const decode = Schema.decodeUnknownResult(GroupMute)
    expect(decode({ occurrences: 1 })).toMatchObject({ _tag: "Success" })
    for (const occurrences of [0, -1, 0.5, "1", null, Number.NaN, 1e10]) {
      expect(decode({ occurrences })).toMatchObject({ _tag: "Failure" })
    }
  })
})
