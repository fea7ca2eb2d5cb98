import { expect } from "vitest"
import * as Given from "./Given.js"
import { eventually, word } from "./Wire.js"
import { type WireFile, wireCase } from "./WireCase.js"

const unmuted = {
  muted: false,
  muted_at: null,
  muter_id: null,
  muted_until: null,
  muted_until_reports_count: null,
  mute_source: null,
}

export const groupMuteWire: WireFile = {
  name: "GroupMute",
  cases: [
    wireCase("mutes permanently without a condition", async (wire) => {
      const { admin, member } = wire
      const project = await Given.project(wire, [member])
      for (const body of [undefined, "", {}, { group: { occurrences: 5 } }]) {
        const group = await Given.group(wire, project)
        await member.post(`${group.path}/mute`, body)
        const muted = await admin.get(group.path)
        expect(muted).toMatchObject({
          ...unmuted,
          muted: true,
          muted_at: muted.muted_at,
          muter_id: member.id,
          mute_source: "manual",
          notes_count: 1,
        })
        expect(muted.muted_at).not.toBeNull()
        await admin.post(`${group.path}/mute`, body)
        expect(await admin.get(group.path)).toEqual(muted)
      }
    }),

    wireCase("by occurrences ends with the report that reaches the count", async (wire) => {
      const { admin } = wire
      const project = await Given.project(wire)
      const type = word("Counted")
      const [{ group_id }] = await Given.reports(wire, project, [
        Given.failure({}, type),
        Given.failure({}, type),
      ])
      const group = await Given.groupOf(wire, project, group_id)
      await admin.post(`${group.path}/mute`, { occurrences: 2 })
      expect(await admin.get(group.path)).toMatchObject({ muted: true, muted_until_reports_count: 4 })
      await Given.again(wire, project, type)
      expect(await admin.get(group.path)).toMatchObject({ muted: true, reports_count: 3 })
      await Given.again(wire, project, type)
      expect(await admin.get(group.path)).toMatchObject({ ...unmuted, reports_count: 4 })
    }),

    wireCase("by one occurrence ends with the next report", async (wire) => {
      const project = await Given.project(wire)
      const type = word("Next")
      const group = await Given.group(wire, project, Given.failure({}, type))
      await wire.admin.post(`${group.path}/mute`, { occurrences: 1, unknown: true })
      expect(await wire.admin.get(group.path)).toMatchObject({ muted: true, muted_until_reports_count: 2 })
      await Given.again(wire, project, type)
      expect(await wire.admin.get(group.path)).toMatchObject({ ...unmuted, reports_count: 2 })
    }),

    wireCase("until a time ends by itself", async (wire) => {
      const { admin } = wire
      const group = await Given.group(wire, await Given.project(wire))
      const far = Given.fromNow(Given.day)
      await admin.post(`${group.path}/mute`, { snooze_until: far })
      expect(await admin.get(group.path)).toMatchObject({
        muted: true,
        muted_until: far,
        muted_until_reports_count: null,
        mute_source: "manual",
      })
      await Given.mutedBriefly(wire, group)
      const ended = await eventually("the mute has run out", async () => {
        const now = await admin.get(group.path)
        return now.muted ? undefined : now
      })
      expect(ended.mute_source).toBeNull()
    }),

    wireCase("uses occurrences if the body also has a time", async (wire) => {
      const group = await Given.group(wire, await Given.project(wire))
      const body = { occurrences: 9, snooze_until: Given.fromNow(Given.hour) }
      await wire.admin.post(`${group.path}/mute`, body)
      expect(await wire.admin.get(group.path)).toMatchObject({
        muted_until_reports_count: 10,
        muted_until: null,
      })
    }),

    wireCase("replaces the condition of an earlier mute", async (wire) => {
      const { admin } = wire
      const group = await Given.group(wire, await Given.project(wire))
      const until = Given.fromNow(Given.hour)
      for (const [body, muted_until, muted_until_reports_count] of [
        [{ occurrences: 4 }, null, 5],
        [{ snooze_until: until }, until, null],
        [{ snooze_until: "2999-01-02T05:04:05+02:00" }, "2999-01-02T03:04:05.000Z", null],
        [undefined, null, null],
        [{ occurrences: 1 }, null, 2],
      ] as const) {
        await admin.post(`${group.path}/mute`, body)
        expect(await admin.get(group.path)).toMatchObject({
          muted: true,
          muted_until,
          muted_until_reports_count,
        })
      }
    }),

    wireCase("rejects counts that are not positive integers, and times not in the future", async (wire) => {
      const group = await Given.group(wire, await Given.project(wire))
      const refused = (body: unknown, field: string) =>
        wire.admin.refused("POST", `${group.path}/mute`, { body }, field)
      for (const occurrences of [0, -1, 1.5, "5", "", null, true, [], {}, 1e300]) {
        await refused({ occurrences }, "occurrences")
      }
      for (const snooze_until of [
        "",
        "later",
        "2999-02-30T00:00:00Z",
        5,
        null,
        false,
        [],
        {},
        Given.fromNow(-Given.minute),
        "2020-01-01",
      ]) {
        await refused({ snooze_until }, "snooze_until")
      }
      expect(await wire.admin.get(group.path)).toMatchObject({ ...unmuted, notes_count: 0 })
    }),

    wireCase("stays while reports come in", async (wire) => {
      const project = await Given.project(wire)
      const type = word("Stays")
      const group = await Given.group(wire, project, Given.failure({}, type))
      await wire.admin.post(`${group.path}/mute`)
      await Given.again(wire, project, type)
      expect(await wire.admin.get(group.path)).toMatchObject({ muted: true, reports_count: 2 })
    }),

    wireCase("is cleared once, whatever its condition", async (wire) => {
      const { admin, member } = wire
      const project = await Given.project(wire, [member])
      const group = await Given.group(wire, project)
      await member.delete(`${group.path}/mute`)
      expect(await admin.get(group.path)).toMatchObject({ notes_count: 0 })
      let notes = 0
      for (const body of [undefined, { occurrences: 3 }, { snooze_until: Given.fromNow(Given.hour) }]) {
        await admin.post(`${group.path}/mute`, body)
        for (let times = 0; times < 2; times++) {
          await member.delete(`${group.path}/mute`)
          expect(await admin.get(group.path)).toMatchObject({ ...unmuted, notes_count: notes + 2 })
        }
        notes += 2
      }
    }),
  ],
}
