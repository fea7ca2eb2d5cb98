import { describe, expect, it } from "@effect/vitest"
import { DateTime, Effect, Schema } from "effect"
import * as fc from "fast-check"
import { type Group, GroupId, type MuteCondition } from "../../src/group/Group.js"
import { GroupEvent, UnmuteReason } from "../../src/group/GroupEvent.js"
import * as GroupEventDocument from "../../src/group/GroupEventDocument.js"
import { ProjectId } from "../../src/project/Project.js"
import { ReportId } from "../../src/report/Report.js"
import { UserId } from "../../src/user/User.js"

const { GroupEventDocument: schema, Microseconds } = GroupEventDocument

const millis = fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 })
const time = millis.map((epochMilliseconds) => DateTime.makeUnsafe(epochMilliseconds))
const userId = fc.integer({ min: 1, max: 2 ** 50 }).map((id) => UserId.make(id))
const groupId = fc.integer({ min: 1, max: 2 ** 50 }).map((id) => GroupId.make(id))
const orNull = <A>(arbitrary: fc.Arbitrary<A>) => fc.option(arbitrary, { nil: null })
const text = fc.string({ unit: "grapheme" })
const count = fc.nat()

const condition: fc.Arbitrary<MuteCondition> = fc.oneof(
  fc.constant({ _tag: "Permanent" } as const),
  time.map((until) => ({ _tag: "Until", until }) as const),
  count.map((reportsCount) => ({ _tag: "UntilReportsCount", reportsCount }) as const),
  fc.constant({ _tag: "UntilNextRelease" } as const),
)
const resolution = fc.record({ at: time, by: orNull(userId), inRelease: orNull(text) })

const group: fc.Arbitrary<Group> = fc
  .record({
    id: groupId,
    projectId: fc.constant(ProjectId.make(7)),
    errorType: text,
    errorMessage: text,
    culprit: text,
    grouping: fc.constant({ algorithm: "v2", key: "ab", data: { method: "ungroupable" } } as const),
    severity: fc.constantFrom(...(["fatal", "error", "warning", "info", "debug"] as const)),
    firstOccurredAt: time,
    lastOccurredAt: time,
    usersCount: count,
    reportsCount: count,
    notesCount: count,
    resolution: orNull(resolution),
    mute: orNull(fc.record({ at: time, by: orNull(userId), condition })),
    projectMute: orNull(fc.record({ at: time, by: orNull(userId), until: orNull(time) })),
    assigneeId: orNull(userId),
    issueUrl: orNull(text),
    reopenedAt: orNull(time),
    mergedIntoId: orNull(groupId),
    hasMembers: fc.boolean(),
    createdAt: time,
    updatedAt: time,
  })
  .map((fields) => fields)

const by = orNull(userId)
const event: fc.Arbitrary<GroupEventDocument.OutboxEvent> = fc.oneof(
  fc.record({ group }).map(GroupEvent.Created),
  fc.record({ group, by }).map(GroupEvent.Resolved),
  fc.record({ group, by, previous: resolution }).map(GroupEvent.Unresolved),
  fc
    .record({
      group,
      previous: resolution,
      report: fc.record({
        reportId: count.map((id) => ReportId.make(id + 1)),
        eventId: text,
        release: text,
        occurredAt: millis,
        receivedAt: millis,
      }),
    })
    .map(GroupEvent.Reopened),
  fc.record({ group, by, condition }).map(GroupEvent.Muted),
  fc
    .record({
      group,
      by,
      reason: fc.constantFrom(...UnmuteReason.literals),
      release: orNull(text),
    })
    .map(GroupEvent.Unmuted),
  fc.record({ group, by, sourceIds: fc.array(groupId) }).map(GroupEvent.Merged),
  fc.record({ group, by, assigneeId: by }).map(GroupEvent.Assigned),
)

describe("the document of a group's event", () => {
  it("is read as it was written, and written by hand as the schema writes it", () => {
    fc.assert(
      fc.property(event, time, (event, at) => {
        const written = GroupEventDocument.encode(event, at)
        const read = Effect.runSync(GroupEventDocument.decode(written))
        const { grouping: _, hasMembers: __, ...fields } = event.group
        expect(read).toEqual({
          version: 1,
          at,
          event: { by: null, ...event, group: { ...fields, fingerprint: "v2:ab" } },
        })
        expect(JSON.parse(written)).toEqual(Schema.encodeSync(schema)(read))
      }),
      { seed: 20_260_101, numRuns: 300 },
    )
  })

  it("is rejected with another version, or without one", () => {
    for (const version of ["0", "2", '"1"', "null"]) {
      const written = GroupEventDocument.encode(
        GroupEvent.Created({ group: fc.sample(group, { seed: 1, numRuns: 1 })[0]! }),
        DateTime.makeUnsafe(0),
      ).replace('"version":1', `"version":${version}`)
      expect(Effect.runSync(Effect.flip(GroupEventDocument.decode(written)))._tag).toBe("SchemaError")
    }
  })

  it("has times of reports to the microsecond", () => {
    const encode = Schema.encodeSync(Microseconds)
    const decode = Schema.decodeUnknownResult(Microseconds)
    expect(encode(Date.UTC(2026, 0, 5, 9, 30, 0, 7))).toBe("2026-01-05T09:30:00.007000Z")
    expect(encode(Date.UTC(2026, 0, 5) + 0.25)).toBe("2026-01-05T00:00:00.000250Z")
    expect(encode(-0.5)).toBe("1969-12-31T23:59:59.999500Z")
    expect(decode("1969-12-31T23:59:59.999500Z")).toMatchObject({ success: -0.5 })
    for (const text of [
      "2026-01-05T09:30:00.007Z",
      "2026-01-05T09:30:00.007000",
      "2026-13-05T09:30:00.007000Z",
      "",
    ]) {
      expect(decode(text)._tag, text).toBe("Failure")
    }
  })
})
