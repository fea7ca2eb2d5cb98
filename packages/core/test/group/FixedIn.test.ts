import { describe, expect, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import * as fc from "fast-check"
import { checkInRelease, type FirstSeen, versionsToLookUp } from "../../src/group/FixedIn.js"
import { type Group, GroupId, nextRelease } from "../../src/group/Group.js"
import * as GroupLifecycle from "../../src/group/GroupLifecycle.js"
import { ProjectId } from "../../src/project/Project.js"
import { ReportId } from "../../src/report/Report.js"
import { UserId } from "../../src/user/User.js"

const start = Date.UTC(2026, 0, 1)
const millisAt = (minutes: number) => start + minutes * 60_000
const at = (minutes: number) => DateTime.makeUnsafe(millisAt(minutes))
const ada = UserId.make(7)

const group: Group = GroupLifecycle.record(
  GroupLifecycle.create(
    GroupId.make(1),
    {
      projectId: ProjectId.make(1),
      grouping: { algorithm: "v2", key: "k", data: { method: "ungroupable" } },
      errorType: "Error",
      errorMessage: "broken",
      culprit: "",
      severity: "info",
      occurredAt: at(0),
      release: "",
    },
    null,
    at(0),
  ),
  [
    {
      reportId: ReportId.make(1),
      eventId: "",
      release: "",
      occurredAt: start,
      receivedAt: start,
      severity: "error",
    },
  ],
  at(0),
).group

const report = (release: string, minutes = 20): GroupLifecycle.RecordedReport => ({
  reportId: ReportId.make(2),
  eventId: "",
  release,
  occurredAt: start,
  receivedAt: millisAt(minutes),
  severity: "error",
})

/** Versions in the order in which they were seen, by the minute. */
const seenAt =
  (minutes: Readonly<Record<string, number>>): FirstSeen =>
  (version) =>
    minutes[version] === undefined ? null : millisAt(minutes[version])

const resolvedIn = (inRelease: string | null, minutes = 10) =>
  GroupLifecycle.resolve(group, ada, at(minutes), inRelease).group

/** The releases whose report reopens a group. */
const reopeningOf = (resolved: Group, releases: ReadonlyArray<string>, seen: FirstSeen) =>
  releases.filter(
    (release) =>
      GroupLifecycle.record(resolved, [report(release)], at(21), 0, seen).group.resolution === null,
  )

describe("a group that is resolved in a release", () => {
  it("is reopened in the next release only by releases first seen after the resolution", () => {
    const seen = seenAt({ old: 1, "9.9.9": 9, "0.1.0": 10, new: 20 })
    const releases = ["old", "9.9.9", "0.1.0", "new", "", "unseen"]
    expect(reopeningOf(resolvedIn(nextRelease), releases, seen)).toEqual(["0.1.0", "new"])
  })

  it("is reopened by the version and newer ones, whenever they were first seen", () => {
    const seen = seenAt({ "shop@1.2.3": 1, "shop@1.3.0": 1, "shop@1.2.2": 20, "api@9.0.0": 20 })
    const releases = ["shop@1.2.2", "shop@1.2.3-rc.1", "shop@1.2.3", "shop@1.3.0", "api@9.0.0", "", "1.4"]
    expect(reopeningOf(resolvedIn("shop@1.2.3"), releases, seen)).toEqual(["shop@1.2.3", "shop@1.3.0", "1.4"])
  })

  it("is reopened by versions first seen after it, if versions have no order", () => {
    const seen = seenAt({ a: 1, fix: 12, together: 12, later: 13, "1.0.0": 14 })
    const releases = ["a", "fix", "together", "later", "1.0.0", "unseen"]
    expect(reopeningOf(resolvedIn("fix"), releases, seen)).toEqual(["fix", "together", "later", "1.0.0"])
    expect(reopeningOf(resolvedIn("coming"), releases, seen)).toEqual([])
    expect(reopeningOf(resolvedIn("coming"), ["coming"], seen)).toEqual(["coming"])
  })

  it("stays resolved if a report was received before the resolution", () => {
    const seen = seenAt({ "2.0.0": 1 })
    for (const inRelease of ["1.0.0", "2.0.0", nextRelease]) {
      const transition = GroupLifecycle.record(resolvedIn(inRelease), [report("2.0.0", 9)], at(21), 0, seen)
      expect([transition.group.resolution?.inRelease, transition.events]).toEqual([inRelease, []])
    }
  })

  it("is reopened by the first report of a reopening release", () => {
    const reopening = { ...report("2.0.0"), reportId: ReportId.make(4) }
    const transition = GroupLifecycle.record(
      resolvedIn("2.0.0"),
      [report("1.0.0"), report(""), reopening, report("3.0.0")],
      at(21),
      0,
      seenAt({}),
    )
    expect(transition.events).toMatchObject([
      {
        _tag: "Reopened",
        previous: { at: at(10), by: ada, inRelease: "2.0.0" },
        report: { reportId: 4, release: "2.0.0" },
      },
    ])
    expect(transition.group).toMatchObject({ resolution: null, reportsCount: 5 })
  })

  it("can get another release, and is unchanged without one", () => {
    const resolved = resolvedIn("1.0.0")
    expect(GroupLifecycle.resolve(resolved, null, at(11)).group).toBe(resolved)
    expect(GroupLifecycle.resolve(resolved, null, at(11), "1.0.0").group).toBe(resolved)
    const again = GroupLifecycle.resolve(resolved, null, at(11), nextRelease)
    expect(again.group.resolution).toEqual({ at: at(11), by: null, inRelease: nextRelease })
    expect(again.events).toMatchObject([{ _tag: "Resolved", by: null }])
    expect(GroupLifecycle.resolveUnresolved(resolved, null, at(11), nextRelease).group).toBe(resolved)
    expect(GroupLifecycle.resolve(resolvedIn(null), ada, at(11), "1.0.0").group.resolution).toMatchObject({
      inRelease: "1.0.0",
    })
  })

  it("keeps its release while it is merged into another group", () => {
    const source = { ...resolvedIn(nextRelease), id: GroupId.make(2) }
    const merged = GroupLifecycle.merge(group, [source], ada, at(11))
    expect(merged).toMatchObject({ success: { sources: [{ resolution: { inRelease: nextRelease } }] } })
  })
})

describe("a mute until the next release", () => {
  const muted = GroupLifecycle.mute(group, GroupLifecycle.MuteRequest.UntilNextRelease(), ada, at(10)).group
  const seen = seenAt({ old: 9, new: 10 })
  const record = (group: Group, ...reports: ReadonlyArray<GroupLifecycle.RecordedReport>) =>
    GroupLifecycle.record(group, reports, at(21), 0, seen)

  it("ends with the first report of a release first seen after it", () => {
    const held = record(muted, report("old"), report(""), report("unseen"))
    expect([held.group.mute, held.events]).toEqual([muted.mute, []])
    const ended = record(muted, report("old"), report("new"), report("new"))
    expect(ended.group.mute).toBeNull()
    expect(ended.events).toMatchObject([{ _tag: "Unmuted", by: null, reason: "release", release: "new" }])
  })

  it("ends without an event if the project mutes the group too", () => {
    const projectMute = { at: at(1), by: ada, until: null }
    const ended = record({ ...muted, projectMute }, report("new"))
    expect([ended.group.mute, ended.events]).toEqual([null, []])
  })

  it("does not run out by itself, and is replaced and cleared as others are", () => {
    expect(GroupLifecycle.expireMutes(muted, at(1_000_000)).group).toBe(muted)
    const again = GroupLifecycle.mute(muted, GroupLifecycle.MuteRequest.UntilNextRelease(), ada, at(11))
    expect(again.group).toBe(muted)
    const permanent = GroupLifecycle.mute(muted, GroupLifecycle.MuteRequest.Permanent(), ada, at(11)).group
    expect(permanent.mute?.condition).toEqual({ _tag: "Permanent" })
    expect(record(permanent, report("new")).group.mute).not.toBeNull()
    expect(GroupLifecycle.unmute(muted, ada, at(11)).events).toMatchObject([
      { _tag: "Unmuted", by: ada, reason: "manual", release: null },
    ])
    expect(
      GroupLifecycle.muteUnmuted(group, ada, at(11), GroupLifecycle.MuteRequest.UntilNextRelease()).group.mute
        ?.condition,
    ).toEqual({ _tag: "UntilNextRelease" })
  })
})

describe("versions to look up", () => {
  it("are those that can reopen the group, and none if no release matters", () => {
    const releases = ["", "1.0.0", "abc", "shop@2.0.0", "api@1.0.0"]
    const of = (resolved: Group) => [...versionsToLookUp(resolved, releases)]
    expect(of(group)).toEqual([])
    expect(of(resolvedIn(null))).toEqual([])
    expect(of(resolvedIn(nextRelease))).toEqual(["1.0.0", "abc", "shop@2.0.0", "api@1.0.0"])
    expect(of(resolvedIn("shop@1.0.0"))).toEqual(["abc", "shop@1.0.0"])
    expect(of(resolvedIn("abc"))).toEqual(["1.0.0", "abc", "shop@2.0.0", "api@1.0.0"])
  })

  it("are all that the decision needs", () => {
    const name = fc.constantFrom(
      "",
      "1.0.0",
      "1.0.0+1",
      "2.0.0-rc",
      "abc",
      "shop@1.0.0",
      "shop@x",
      "api@1.0.0",
    )
    const inRelease = fc.oneof(name, fc.constantFrom(nextRelease, null))
    fc.assert(
      fc.property(inRelease, fc.boolean(), fc.array(name, { minLength: 1 }), (inRelease, isMuted, names) => {
        const resolved = resolvedIn(inRelease)
        const { UntilNextRelease } = GroupLifecycle.MuteRequest
        const before = isMuted
          ? GroupLifecycle.mute(resolved, UntilNextRelease(), null, at(10)).group
          : resolved
        const known = versionsToLookUp(before, names)
        GroupLifecycle.record(
          before,
          names.map((release) => report(release)),
          at(21),
          0,
          (version) => {
            expect(known).toContain(version)
            return null
          },
        )
      }),
      { seed: 20_260_101, numRuns: 1_000 },
    )
  })
})

describe("the release to resolve in", () => {
  it("is rejected if its name is not a valid release", () => {
    const errors = (inRelease: string | null) =>
      Effect.runSync(
        checkInRelease(inRelease).pipe(
          Effect.as(null),
          Effect.catch(({ errors }) => Effect.succeed(errors)),
        ),
      )
    for (const release of [null, nextRelease, "shop@1.2.3+4", "é".repeat(100)])
      expect(errors(release)).toBeNull()
    for (const release of ["", "a\0", "a\nb", "x".repeat(201)]) {
      expect(Object.keys(errors(release) ?? {})).toEqual(["inRelease"])
    }
  })
})
