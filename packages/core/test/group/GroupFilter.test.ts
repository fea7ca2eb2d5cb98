import { DateTime } from "effect"
import { describe, expect, it } from "vitest"
import * as GroupFilter from "../../src/group/GroupFilter.js"
import * as GroupListParameters from "../../src/group/GroupListParameters.js"
import { GroupId } from "../../src/id/GroupId.js"
import { parse } from "../../src/search/SearchQuery.js"
import { UserId } from "../../src/user/User.js"

const now = Date.UTC(2025, 5, 1, 12)
const at = (millis: number) => DateTime.makeUnsafe(millis)
const me = UserId.make(7)

const filterOf = (query: string, parameters: GroupFilter.GroupListParameters = {}) =>
  GroupFilter.make(parse(query), parameters, me, now)

const group: GroupFilter.FilteredGroup = {
  id: GroupId.make(1),
  createdAt: at(now),
  errorType: "TypeError",
  errorMessage: "x is not a function",
  culprit: "app/main in run",
  severity: "error",
  resolution: null,
  reopenedAt: null,
  mute: null,
  projectMute: null,
  assigneeId: null,
  usersCount: 3,
  reportsCount: 10,
  lastOccurredAt: at(now),
}

const passes = (
  query: string,
  changes: Partial<GroupFilter.FilteredGroup> = {},
  parameters: GroupFilter.GroupListParameters = {},
  tags: ReadonlyArray<string> = [],
) =>
  GroupFilter.matchesGroup(
    filterOf(query, parameters),
    { ...group, ...changes },
    (key, value) => tags.includes(`${key}=${value}`),
    now,
  )

describe("make", () => {
  it("is empty for an empty query without parameters", () => {
    expect(filterOf("")).toEqual(GroupFilter.all)
    expect(filterOf("", { status: "all" })).toEqual(GroupFilter.all)
  })

  it("contains every filter of the query", () => {
    expect(
      filterOf(
        "is:unresolved !is:info,debug server_name:a environment:b release:c tags.k:v error_type:E assignee:me reports_count:>5 since:2025-01-01 until:2025-01-02 boom",
      ),
    ).toEqual({
      resolved: false,
      severities: ["warning", "error", "fatal"],
      tags: [
        { key: "k", value: "v" },
        { key: "server_name", value: "a" },
        { key: "environment", value: "b" },
        { key: "release", value: "c" },
      ],
      errorType: "E",
      assignee: 7,
      reportsCount: { op: ">", value: 5 },
      lastOccurredFrom: Date.UTC(2025, 0, 1),
      lastOccurredTo: Date.UTC(2025, 0, 3) - 1,
      text: [{ words: ["boom"], phrase: false }],
    })
  })

  it("applies status and resolved parameters together with the query", () => {
    expect(filterOf("", { status: "resolved" })).toEqual({ ...GroupFilter.all, resolved: true })
    expect(filterOf("", { resolved: false })).toEqual({ ...GroupFilter.all, resolved: false })
    expect(filterOf("is:muted", { status: "unresolved" })).toEqual({
      ...GroupFilter.all,
      muted: true,
      resolved: false,
    })
    expect(filterOf("is:resolved", { status: "resolved", resolved: true }).resolved).toBe(true)
  })

  it("matches nothing if they contradict each other", () => {
    for (const filter of [
      filterOf("is:resolved", { status: "unresolved" }),
      filterOf("is:resolved", { resolved: false }),
      filterOf("", { status: "resolved", resolved: false }),
      filterOf("is:muted", { status: "unmuted" }),
      filterOf("!is:debug,info,warning,error,fatal"),
    ]) {
      expect(filter.severities).toEqual([])
      for (const resolution of [null, { at: at(now), by: null, inRelease: null }]) {
        expect(GroupFilter.matchesGroup(filter, { ...group, resolution }, () => true, now)).toBe(false)
      }
    }
  })

  it("uses the narrower of two bounds", () => {
    const since = Date.UTC(2025, 0, 2)
    const until = Date.UTC(2025, 0, 5)
    expect(filterOf("since:2025-01-01 until:2025-01-09", { since, until })).toMatchObject({
      lastOccurredFrom: since,
      lastOccurredTo: until,
    })
    expect(filterOf("since:2025-01-03 until:2025-01-04", { since, until })).toMatchObject({
      lastOccurredFrom: Date.UTC(2025, 0, 3),
      lastOccurredTo: Date.UTC(2025, 0, 5) - 1,
    })
  })
})

describe("parameters", () => {
  it("reads statuses", () => {
    for (const status of ["resolved", "unresolved", "muted", "unmuted", "all"]) {
      expect(GroupListParameters.parseStatus(status)).toBe(status)
    }
    for (const text of ["", "open", "Resolved"]) expect(GroupListParameters.parseStatus(text)).toBeNull()
  })

  it("reads resolved", () => {
    for (const text of ["true", "resolved", "1"]) expect(GroupListParameters.parseResolved(text)).toBe(true)
    for (const text of ["false", "unresolved", "0"])
      expect(GroupListParameters.parseResolved(text)).toBe(false)
    for (const text of ["", "yes", "2"]) expect(GroupListParameters.parseResolved(text)).toBeNull()
  })
})

describe("matchesGroup", () => {
  it("by resolution", () => {
    const resolution = { at: at(now), by: null, inRelease: null }
    expect(passes("is:unresolved")).toBe(true)
    expect(passes("is:resolved")).toBe(false)
    expect(passes("is:unresolved", { resolution })).toBe(false)
    expect(passes("is:resolved", { resolution })).toBe(true)
  })

  it("by whether a report reopened it", () => {
    expect([passes("is:reopened"), passes("!is:reopened")]).toEqual([false, true])
    const reopenedAt = at(now)
    expect([passes("is:reopened", { reopenedAt }), passes("!is:reopened", { reopenedAt })]).toEqual([
      true,
      false,
    ])
  })

  it("by the mute that holds at the moment of reading", () => {
    const until = (millis: number) => ({
      mute: { at: at(0), by: null, condition: { _tag: "Until" as const, until: at(millis) } },
    })
    expect(passes("is:muted")).toBe(false)
    expect(passes("is:unmuted")).toBe(true)
    expect(passes("is:muted", until(now + 1))).toBe(true)
    expect(passes("is:muted", until(now))).toBe(false)
    expect(passes("is:unmuted", until(now - 1))).toBe(true)
    expect(passes("is:muted", { mute: { at: at(0), by: null, condition: { _tag: "Permanent" } } })).toBe(true)
    expect(passes("is:muted", { projectMute: { at: at(0), by: null, until: null } })).toBe(true)
    expect(passes("is:muted", { projectMute: { at: at(0), by: null, until: at(now - 1) } })).toBe(false)
  })

  it("by severity", () => {
    expect(passes("is:error")).toBe(true)
    expect(passes("is:fatal")).toBe(false)
    expect(passes("is:error,fatal", { severity: "fatal" })).toBe(true)
    expect(passes("!is:error")).toBe(false)
    expect(passes("!is:fatal")).toBe(true)
  })

  it("by error type, whole", () => {
    expect(passes("error_type:TypeError")).toBe(true)
    expect(passes("error_type:Type")).toBe(false)
  })

  it("by assignee", () => {
    expect(passes("assignee:none")).toBe(true)
    expect(passes("assignee:me")).toBe(false)
    expect(passes("assignee:me", { assigneeId: me })).toBe(true)
    expect(passes("assignee:7", { assigneeId: me })).toBe(true)
    expect(passes("assignee:8", { assigneeId: me })).toBe(false)
    expect(passes("assignee:none", { assigneeId: me })).toBe(false)
  })

  it.each([
    ["10", true],
    ["9", false],
    [">9", true],
    [">10", false],
    [">=10", true],
    ["<11", true],
    ["<10", false],
    ["<=10", true],
  ])("by reports_count:%s", (condition, expected) => {
    expect(passes(`reports_count:${condition}`)).toBe(expected)
  })

  it("by the time of the last report, both ends included", () => {
    expect(passes("", {}, { since: now, until: now })).toBe(true)
    expect(passes("", {}, { since: now + 1 })).toBe(false)
    expect(passes("", {}, { until: now - 1 })).toBe(false)
    expect(passes("since:2025-06-01 until:2025-06-01")).toBe(true)
    expect(passes("since:2025-06-02")).toBe(false)
    expect(passes("until:2025-05-31")).toBe(false)
    const old = { lastOccurredAt: at(now - 60 * 60_000) }
    expect(passes("since:1h until:1h", old)).toBe(true)
    expect(passes("since:59m", old)).toBe(false)
    expect(passes("until:61m", old)).toBe(false)
    expect(passes("since:7d", old, { since: { span: 30 * 60_000 } })).toBe(false)
  })

  it("by tags, all of them", () => {
    expect(passes("tags.region:eu server_name:web", {}, {}, ["region=eu", "server_name=web"])).toBe(true)
    expect(passes("tags.region:eu server_name:web", {}, {}, ["region=eu"])).toBe(false)
  })

  it("by free text", () => {
    expect(passes('"not a function" run')).toBe(true)
    expect(passes('"not function"')).toBe(false)
  })
})
