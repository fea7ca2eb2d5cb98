import { expect } from "vitest"
import * as Given from "./Given.js"
import type { Json } from "./Json.js"
import type { Wire } from "./Wire.js"
import { type WireFile, wireCase } from "./WireCase.js"

const stateOf = async ({ admin }: Wire, { path }: Json) => {
  const { resolved, muted, notes_count } = await admin.get(path)
  return { resolved, muted, notes_count }
}

const changes = [
  ["POST", "bulk_resolve", "resolve"],
  ["DELETE", "bulk_resolve", "resolve"],
  ["POST", "bulk_mute", "mute"],
  ["DELETE", "bulk_mute", "mute"],
] as const

const verbs = {
  "POST bulk_resolve": "resolves",
  "DELETE bulk_resolve": "reopens",
  "POST bulk_mute": "mutes",
  "DELETE bulk_mute": "unmutes",
} as const

export const bulkWire: WireFile = {
  name: "Bulk",
  cases: [
    ...changes.map(([method, action, single]) =>
      wireCase(
        `${verbs[`${method} ${action}`]} the groups of the body that need it, and counts those`,
        async (wire) => {
          const { admin, member } = wire
          const project = await Given.project(wire, [member])
          const [anchor, one, two, done] = await Given.groups(wire, project, 4)
          const wanted = method === "POST"
          // `done` already has the new state; the other groups do not.
          for (const { path } of [anchor, one, two]) if (!wanted) await admin.post(`${path}/${single}`)
          if (wanted) await admin.post(`${done.path}/${single}`)
          const before = { anchor: await admin.get(anchor.path), done: await admin.get(done.path) }

          const body = { group_ids: [one.id, two.id, one.id, done.id], extra: 1 }
          const path = `${anchor.path}/${action}`
          expect(await member.expect(200, method, path, { body })).toEqual({ processed: 2 })
          const flag = single === "resolve" ? "resolved" : "muted"
          for (const group of [one, two]) {
            expect(await stateOf(wire, group)).toMatchObject({ [flag]: wanted, notes_count: wanted ? 1 : 2 })
          }
          expect(await admin.get(anchor.path)).toEqual(before.anchor)
          expect(await admin.get(done.path)).toEqual(before.done)
          expect(await member.expect(200, method, path, { body })).toEqual({ processed: 0 })
        },
      ),
    ),

    wireCase("changes the group in the path if the body lists it", async (wire) => {
      const [one, two] = await Given.groups(wire, await Given.project(wire), 2)
      const body = { group_ids: [one.id, two.id] }
      expect(await wire.admin.post(`${one.path}/bulk_resolve`, body, 200)).toEqual({ processed: 2 })
      expect(await wire.admin.get(one.path)).toMatchObject({ resolved: true, resolver_id: wire.admin.id })
    }),

    wireCase("mutes permanently and leaves muted groups unchanged", async (wire) => {
      const { admin } = wire
      const [plain, counted] = await Given.groups(wire, await Given.project(wire), 2)
      await admin.post(`${counted.path}/mute`, { occurrences: 5 })
      const ids = [plain.id, counted.id]
      for (const body of [{ group_ids: ids, occurrences: 5, snooze_until: Given.fromNow(Given.hour) }]) {
        expect(await admin.post(`${plain.path}/bulk_mute`, body, 200)).toEqual({ processed: 1 })
      }
      expect(await admin.get(plain.path)).toMatchObject({
        muted: true,
        muted_until: null,
        muted_until_reports_count: null,
        mute_source: "manual",
      })
      expect(await admin.get(counted.path)).toMatchObject({ muted: true, muted_until_reports_count: 6 })
    }),

    wireCase("unmutes groups that the project muted", async (wire) => {
      const { admin } = wire
      const project = await Given.project(wire)
      const group = await Given.group(wire, project)
      await admin.post(`${project.path}/mute`)
      expect(await admin.delete(`${group.path}/bulk_mute`, { group_ids: [group.id] }, 200)).toEqual({
        processed: 1,
      })
      expect(await admin.get(group.path)).toMatchObject({ muted: false, project_muted_at: null })
    }),

    wireCase("skips ids that are unknown, of another project or of no group at all", async (wire) => {
      const { admin } = wire
      const project = await Given.project(wire)
      const group = await Given.group(wire, project)
      const foreign = await Given.group(wire, await Given.project(wire))
      const group_ids = [foreign.id, 999_999_999_999, 0, -1, group.id]
      for (const action of ["bulk_resolve", "bulk_mute"]) {
        expect(await admin.post(`${group.path}/${action}`, { group_ids }, 200)).toEqual({ processed: 1 })
        await admin.post(`/projects/${project.id}/groups/${foreign.id}/${action}`, { group_ids }, 404)
      }
      expect(await stateOf(wire, foreign)).toEqual({ resolved: false, muted: false, notes_count: 0 })
    }),

    wireCase("accepts 1,000 ids, and rejects more, none, or invalid ones", async (wire) => {
      const { admin } = wire
      const group = await Given.group(wire, await Given.project(wire))
      const some = (count: number) => Array.from({ length: count }, (_, i) => 900_000_000_000 + i)
      for (const [method, action] of [...changes, ["POST", "bulk_merge"] as const]) {
        const path = `${group.path}/${action}`
        const refused = (body: unknown) => admin.refused(method, path, { body }, "group_ids")
        expect(await admin.expect(200, method, path, { body: { group_ids: some(1000) } })).toMatchObject({
          processed: 0,
        })
        for (const group_ids of [
          some(1001),
          [],
          null,
          5,
          "5",
          {},
          ["5"],
          [1.5],
          [null],
          [group.id, true],
          [[group.id]],
        ]) {
          await refused({ group_ids })
        }
        await refused({})
        await refused({ ids: [group.id] })
        await refused({ group: { group_ids: [group.id] } })
        await admin.refused(method, path, {}, "group_ids")
      }
      expect(await admin.get(group.path)).toMatchObject({ resolved: false, muted: false, notes_count: 0 })
    }),

    wireCase("changes each group once when requests race", async (wire) => {
      const groups = await Given.groups(wire, await Given.project(wire), 5)
      const ids = groups.map(({ id }) => id)
      const orders = [ids, ids.toReversed(), [...ids.slice(2), ...ids.slice(0, 2)], ids.toReversed()]
      const answers = await Promise.all(
        orders.map((group_ids) => wire.admin.post(`${groups[0].path}/bulk_resolve`, { group_ids }, 200)),
      )
      expect(answers.reduce((sum, { processed }) => sum + processed, 0)).toBe(5)
      for (const group of groups)
        expect(await stateOf(wire, group)).toMatchObject({ resolved: true, notes_count: 1 })
    }),
  ],
}
