import { describe, expect, it } from "@effect/vitest"
import { DateTime, Result } from "effect"
import * as fc from "fast-check"
import { type Group, GroupId, isMuted, muteSource } from "../../src/group/Group.js"
import * as GroupLifecycle from "../../src/group/GroupLifecycle.js"
import { figuresTogether, type LockedMerge, MergeId } from "../../src/group/GroupMerge.js"
import { ProjectId } from "../../src/project/Project.js"
import { ReportId } from "../../src/report/Report.js"
import { UserId } from "../../src/user/User.js"

const start = Date.UTC(2026, 0, 1)
const at = (minutes: number) => DateTime.makeUnsafe(start + minutes * 60_000)
const ada = UserId.make(7)
const { MuteRequest } = GroupLifecycle

const newGroup = (id = 1): Group =>
  GroupLifecycle.create(
    GroupId.make(id),
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
  )

let reportCount = 0
const report = (fields: Partial<GroupLifecycle.RecordedReport> = {}): GroupLifecycle.RecordedReport => {
  reportCount++
  return {
    reportId: ReportId.make(reportCount),
    eventId: String(reportCount).padStart(32, "0"),
    release: "",
    occurredAt: start,
    receivedAt: start,
    severity: "error",
    ...fields,
  }
}

const recorded = (count: number, group = newGroup()): Group =>
  GroupLifecycle.record(
    group,
    Array.from({ length: count }, () => report()),
    at(0),
  ).group

const tags = (transition: GroupLifecycle.Transition) => transition.events.map((event) => event._tag)

describe("GroupLifecycle.record", () => {
  it("updates count, times and severity, and publishes a new group once", () => {
    const times = [5, 2, 9].map((minutes) => at(minutes).epochMilliseconds)
    const first = GroupLifecycle.record(
      newGroup(),
      times.map((occurredAt) => report({ occurredAt, severity: "warning" })),
      at(10),
    )
    expect(tags(first)).toEqual(["Created"])
    expect(first.group).toMatchObject({ reportsCount: 3, severity: "warning" })
    expect(first.group.firstOccurredAt).toEqual(at(0))
    expect(first.group.lastOccurredAt).toEqual(at(9))
    const second = GroupLifecycle.record(first.group, [report({ severity: "debug" })], at(11))
    expect(tags(second)).toEqual([])
    expect(second.group).toMatchObject({ reportsCount: 4, severity: "warning" })
  })

  it("reopens a resolved group by the first report received after the resolution, muted or not", () => {
    const muted = GroupLifecycle.mute(recorded(1), MuteRequest.Permanent(), ada, at(1)).group
    const resolved = GroupLifecycle.resolve(muted, ada, at(2)).group
    const late = report({ receivedAt: at(1).epochMilliseconds })
    expect(GroupLifecycle.record(resolved, [late], at(3)).group.resolution).toEqual({
      at: at(2),
      by: ada,
      inRelease: null,
    })
    const reopening = report({ receivedAt: at(2).epochMilliseconds, release: "2.0" })
    const reopened = GroupLifecycle.record(resolved, [late, reopening, report()], at(3))
    expect(reopened.group.resolution).toBe(null)
    expect(reopened.group.reopenedAt).toEqual(at(3))
    expect(GroupLifecycle.resolve(reopened.group, null, at(4)).group.reopenedAt).toBe(null)
    expect(isMuted(reopened.group, at(3))).toBe(true)
    expect(reopened.events).toMatchObject([
      {
        _tag: "Reopened",
        previous: { at: at(2), by: ada, inRelease: null },
        report: { reportId: reopening.reportId },
      },
    ])
  })

  it("ends a mute by count exactly at its count", () => {
    const muted = GroupLifecycle.mute(
      recorded(2),
      MuteRequest.ForReports({ occurrences: 3 }),
      ada,
      at(1),
    ).group
    const before = GroupLifecycle.record(muted, [report(), report()], at(2))
    expect(isMuted(before.group, at(2))).toBe(true)
    const after = GroupLifecycle.record(before.group, [report()], at(3))
    expect(tags(after)).toEqual(["Unmuted"])
    expect(after.group).toMatchObject({ mute: null, reportsCount: 5 })
  })
})

describe("GroupLifecycle: mutes of the project", () => {
  const projectMute = { at: at(1), by: ada, until: at(5) }
  const inheriting = (group: Group) => GroupLifecycle.inheritMute(group, projectMute, at(1)).group

  it("publish no event of the group when they begin or end", () => {
    const group = inheriting(recorded(1))
    const ended = GroupLifecycle.expireMutes(group, at(5))
    expect([ended.group.projectMute, tags(ended)]).toEqual([null, []])
    const cleared = GroupLifecycle.unmute(group, ada, at(6))
    expect([cleared.group.projectMute, tags(cleared)]).toEqual([null, []])
    expect(tags(GroupLifecycle.unmute(group, ada, at(4)))).toEqual(["Unmuted"])
  })

  it("suppress the event for the end of the group's own mute", () => {
    const byCount = GroupLifecycle.mute(
      recorded(1),
      MuteRequest.ForReports({ occurrences: 1 }),
      ada,
      at(1),
    ).group
    const held = GroupLifecycle.record(inheriting(byCount), [report()], at(2))
    expect([held.group.mute, tags(held)]).toEqual([null, []])
    // The project's mute has expired but is not cleared.
    const free = GroupLifecycle.record(inheriting(byCount), [report()], at(5))
    expect([free.group.mute, tags(free)]).toEqual([null, ["Unmuted"]])

    const timed = GroupLifecycle.mute(recorded(1), MuteRequest.Until({ until: at(3) }), ada, at(1)).group
    const hidden = GroupLifecycle.expireMutes(inheriting(timed), at(4))
    expect([hidden.group.mute, hidden.group.projectMute, tags(hidden)]).toEqual([null, projectMute, []])
    const both = GroupLifecycle.expireMutes(inheriting(timed), at(5))
    expect([both.group.mute, both.group.projectMute, tags(both)]).toEqual([null, null, ["Unmuted"]])
  })

  it("end before or after the group's own mute without an event", () => {
    const permanent = GroupLifecycle.mute(recorded(1), MuteRequest.Permanent(), ada, at(1)).group
    const outlived = GroupLifecycle.expireMutes(inheriting(permanent), at(6))
    expect([outlived.group.projectMute, tags(outlived)]).toEqual([null, []])
  })
})

describe("GroupLifecycle: resolving and muting", () => {
  it("changes nothing and publishes nothing if the state stays the same", () => {
    const group = recorded(1)
    const resolved = GroupLifecycle.resolve(group, ada, at(1)).group
    const muted = GroupLifecycle.mute(group, MuteRequest.Permanent(), ada, at(1)).group
    for (const [before, transition] of [
      [group, GroupLifecycle.unresolve(group, ada, at(2))],
      [resolved, GroupLifecycle.resolve(resolved, ada, at(2))],
      [group, GroupLifecycle.unmute(group, ada, at(2))],
      [muted, GroupLifecycle.mute(muted, MuteRequest.Permanent(), ada, at(2))],
      [group, GroupLifecycle.expireMutes(group, at(2))],
      [group, GroupLifecycle.assign(group, null, ada, at(2))],
    ] as const) {
      expect(transition).toEqual({ group: before, events: [] })
      expect(GroupLifecycle.changed(before, transition)).toBe(false)
    }
  })

  it("replaces one mute by another", () => {
    const byCount = GroupLifecycle.mute(
      recorded(4),
      MuteRequest.ForReports({ occurrences: 2 }),
      ada,
      at(1),
    ).group
    expect(byCount.mute?.condition).toEqual({ _tag: "UntilReportsCount", reportsCount: 6 })
    const timed = GroupLifecycle.mute(byCount, MuteRequest.Until({ until: at(9) }), null, at(2))
    expect(timed.group.mute).toEqual({ at: at(2), by: null, condition: { _tag: "Until", until: at(9) } })
    expect(tags(timed)).toEqual(["Muted"])
  })

  it("ends a timed mute on time, and publishes it once when cleared", () => {
    const { group } = GroupLifecycle.mute(recorded(1), MuteRequest.Until({ until: at(5) }), ada, at(1))
    expect([isMuted(group, at(4)), isMuted(group, at(5))]).toEqual([true, false])
    expect(GroupLifecycle.expireMutes(group, at(4)).events).toEqual([])
    const expired = GroupLifecycle.expireMutes(group, at(5))
    expect(tags(expired)).toEqual(["Unmuted"])
    expect(expired.group.mute).toBe(null)
    // Clearing it before the job has the same effect as the job.
    expect(GroupLifecycle.unmute(group, ada, at(6)).events).toMatchObject([
      { _tag: "Unmuted", by: null, reason: "expired" },
    ])
  })

  it("keeps the project's mute apart from its own, and clears both", () => {
    const projectMute = { at: at(1), by: ada, until: null }
    const inherited = GroupLifecycle.inheritMute(recorded(1), projectMute, at(1))
    expect(tags(inherited)).toEqual([])
    expect(muteSource(inherited.group, at(2))).toBe("project")
    const both = GroupLifecycle.mute(inherited.group, MuteRequest.Until({ until: at(5) }), ada, at(2)).group
    expect(muteSource(both, at(3))).toBe("manual_and_project")
    expect(muteSource(both, at(6))).toBe("project")
    const unmuted = GroupLifecycle.unmute(both, ada, at(7)).group
    expect([unmuted.mute, unmuted.projectMute, muteSource(unmuted, at(7))]).toEqual([null, null, null])
  })

  it("mutes in bulk only groups without a mute", () => {
    const timed = GroupLifecycle.mute(recorded(1), MuteRequest.Until({ until: at(5) }), ada, at(1)).group
    expect(GroupLifecycle.muteUnmuted(timed, ada, at(2)).group).toBe(timed)
    expect(GroupLifecycle.muteUnmuted(timed, ada, at(6)).group.mute?.condition).toEqual({ _tag: "Permanent" })
  })
})

describe("GroupLifecycle.merge", () => {
  it("adds counts, keeps the earliest and latest times, and extends a mute by count", () => {
    const target = GroupLifecycle.mute(
      recorded(2),
      MuteRequest.ForReports({ occurrences: 3 }),
      ada,
      at(1),
    ).group
    const source = GroupLifecycle.record(
      newGroup(2),
      [
        report({ severity: "fatal", occurredAt: at(-5).epochMilliseconds }),
        report({ occurredAt: at(8).epochMilliseconds }),
      ],
      at(9),
    ).group
    const merged = Result.getOrThrow(GroupLifecycle.merge(target, [source], ada, at(10)))
    expect(merged.target).toMatchObject({ reportsCount: 4, severity: "fatal" })
    expect(merged.target.firstOccurredAt).toEqual(at(-5))
    expect(merged.target.lastOccurredAt).toEqual(at(8))
    expect(merged.target.mute?.condition).toEqual({ _tag: "UntilReportsCount", reportsCount: 7 })
    expect(merged.sources.map((group) => group.mergedIntoId)).toEqual([target.id])
    expect(merged.events).toMatchObject([{ _tag: "Merged", by: ada, sourceIds: [source.id] }])
  })

  it("is rejected for the group itself, for merged sources and for a merged target", () => {
    const [a, b, c] = [recorded(1), recorded(1, newGroup(2)), recorded(1, newGroup(3))]
    const merged = Result.getOrThrow(GroupLifecycle.merge(a!, [b!], ada, at(1)))
    const reason = (target: Group, sources: ReadonlyArray<Group>) =>
      Result.getOrThrow(Result.flip(GroupLifecycle.merge(target, sources, ada, at(2)))).reason
    expect(reason(a!, [c!, a!])).toBe("into_itself")
    expect(reason(c!, [merged.sources[0]!])).toBe("source_already_merged")
    expect(reason(merged.sources[0]!, [c!])).toBe("target_already_merged")
  })
})

describe("GroupLifecycle.unmerge", () => {
  /** A group with two reports, and one with three that is merged into it through another and will be unmerged. */
  const merged = (source: Group, root = recorded(2)): LockedMerge => {
    const between = recorded(0, newGroup(2))
    const inner = Result.getOrThrow(GroupLifecycle.merge(between, [source], ada, at(1)))
    const outer = Result.getOrThrow(GroupLifecycle.merge(root, [inner.target], ada, at(2)))
    return {
      merge: {
        id: MergeId.make(1),
        projectId: source.projectId,
        sourceId: source.id,
        targetId: between.id,
        mergedAt: at(1),
        mergedBy: ada,
      },
      root: outer.target,
      source: inner.sources[0]!,
      between: [outer.sources[0]!],
      freed: { ...figuresTogether(source, []), hasMembers: false },
      rest: { ...figuresTogether(root, [between]), hasMembers: true },
      projectMute: null,
    }
  }
  const source = (change: (group: Group) => Group = (group) => group) => change(recorded(3, newGroup(3)))

  it("restores the counts of both groups, and publishes it for both", () => {
    const locked = merged(source())
    expect(locked.root).toMatchObject({ reportsCount: 5, hasMembers: true })
    const unmerged = GroupLifecycle.unmerge(locked, ada, at(3))
    expect(unmerged.root).toMatchObject({ id: 1, reportsCount: 2, hasMembers: true, mergedIntoId: null })
    expect(unmerged.source).toMatchObject({ id: 3, reportsCount: 3, hasMembers: false, mergedIntoId: null })
    expect(unmerged.between).toEqual([])
    expect(unmerged.events).toMatchObject([
      { _tag: "Unmerged", group: { id: 1 }, by: ada, otherId: 3 },
      { _tag: "Unmerged", group: { id: 3 }, by: ada, otherId: 1 },
    ])
  })

  it("keeps the distance of mutes by count from their end", () => {
    const byCount = (group: Group) =>
      GroupLifecycle.mute(group, MuteRequest.ForReports({ occurrences: 4 }), ada, at(1)).group
    const locked = merged(source(byCount), byCount(recorded(2)))
    expect(locked.root.mute?.condition).toEqual({ _tag: "UntilReportsCount", reportsCount: 9 })
    const between = { ...locked.between[0]!, mute: { ...locked.root.mute!, at: at(0) } } as Group
    const unmerged = GroupLifecycle.unmerge({ ...locked, between: [between] }, ada, at(3))
    expect(unmerged.root.mute?.condition).toEqual({ _tag: "UntilReportsCount", reportsCount: 6 })
    expect(unmerged.source.mute?.condition).toEqual({ _tag: "UntilReportsCount", reportsCount: 7 })
    expect(unmerged.between).toMatchObject([{ id: 2, mute: { condition: { reportsCount: 6 } } }])
  })

  it("ends a mute whose count was reached meanwhile, and publishes it", () => {
    const locked = merged(
      source(
        (group) => GroupLifecycle.mute(group, MuteRequest.ForReports({ occurrences: 2 }), ada, at(1)).group,
      ),
    )
    const since = { ...locked, freed: { ...locked.freed, reportsCount: 5 } }
    const unmerged = GroupLifecycle.unmerge(since, ada, at(3))
    expect(unmerged.source.mute).toBe(null)
    expect(unmerged.events.map(({ _tag }) => _tag)).toEqual(["Unmerged", "Unmerged", "Unmuted"])
    expect(GroupLifecycle.unmerge(locked, ada, at(3)).source.mute).not.toBe(null)
  })

  it("keeps the source's resolution and assignee, and applies the project's current mute", () => {
    const decided = (group: Group) =>
      GroupLifecycle.assign(GroupLifecycle.resolve(group, ada, at(1)).group, ada, ada, at(1)).group
    const locked = merged(source(decided))
    const projectMute = { at: at(2), by: ada, until: at(5) }
    const unmerged = GroupLifecycle.unmerge({ ...locked, projectMute }, null, at(3))
    expect(unmerged.source).toMatchObject({
      resolution: { at: at(1), by: ada, inRelease: null },
      assigneeId: ada,
      projectMute,
    })
    const over = GroupLifecycle.unmerge({ ...locked, projectMute }, null, at(6))
    expect(over.source.projectMute).toBe(null)
  })
})

describe("GroupLifecycle: any sequence of commands", () => {
  type Step = (group: Group, minute: number) => GroupLifecycle.Transition
  const step: fc.Arbitrary<Step> = fc.oneof(
    fc.constant<Step>((group, minute) => GroupLifecycle.resolve(group, ada, at(minute))),
    fc.constant<Step>((group, minute) => GroupLifecycle.unresolve(group, ada, at(minute))),
    fc.constant<Step>((group, minute) =>
      GroupLifecycle.mute(group, MuteRequest.Permanent(), ada, at(minute)),
    ),
    fc.constant<Step>((group, minute) => GroupLifecycle.unmute(group, ada, at(minute))),
    fc.constant<Step>((group, minute) => GroupLifecycle.expireMutes(group, at(minute))),
    fc.integer({ min: 1, max: 5 }).map(
      (occurrences): Step =>
        (group, minute) =>
          GroupLifecycle.mute(group, MuteRequest.ForReports({ occurrences }), ada, at(minute)),
    ),
    fc.integer({ min: 1, max: 5 }).map(
      (minutes): Step =>
        (group, minute) =>
          GroupLifecycle.mute(group, MuteRequest.Until({ until: at(minute + minutes) }), ada, at(minute)),
    ),
    fc.integer({ min: 1, max: 4 }).map(
      (count): Step =>
        (group, minute) =>
          GroupLifecycle.record(
            group,
            Array.from({ length: count }, () => report({ receivedAt: at(minute).epochMilliseconds })),
            at(minute),
          ),
    ),
  )

  it("publishes each change of resolution and mute, and nothing else", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        let group = recorded(1)
        for (const [minute, run] of steps.entries()) {
          const before = group
          const transition = run(before, minute)
          group = transition.group
          const events = tags(transition)
          expect(group.reportsCount).toBeGreaterThanOrEqual(before.reportsCount)
          expect(events.includes("Resolved")).toBe(before.resolution === null && group.resolution !== null)
          expect(events.includes("Unresolved") || events.includes("Reopened")).toBe(
            before.resolution !== null && group.resolution === null,
          )
          // A report that ends a mute by count also clears it.
          if (group.mute?.condition._tag === "UntilReportsCount") {
            expect(group.mute.condition.reportsCount).toBeGreaterThan(group.reportsCount)
          }
          if (isMuted(before, at(minute)) && !isMuted(group, at(minute))) expect(events).toContain("Unmuted")
          if (!isMuted(before, at(minute)) && isMuted(group, at(minute))) expect(events).toContain("Muted")
        }
      }),
      { seed: 20_260_101, numRuns: 300 },
    )
  })
})
